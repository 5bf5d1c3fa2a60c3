"""Scattered inputs: which belong to an operand is drawn by the seed of a run."""

from dataclasses import replace

import numpy as np
import pytest

from nalm.errors import InputError, UnknownNameError
from nalm.tasks import Needs, Scattered, Task, Uniform, threshold

TASK = Task(Scattered("sub"), 100, Uniform(-3, 3), Uniform(-5, -3))


def test_each_input_belongs_to_one_operand_at_most_and_each_seed_draws_anew():
    layouts = np.array([TASK.layout(seed) for seed in range(400)])
    assert layouts.sum(axis=1).max() == 1
    np.testing.assert_allclose(layouts.mean(axis=(0, 2)), [0.5, 0.25], atol=0.01)
    assert len({layout.tobytes() for layout in layouts}) == 400
    np.testing.assert_array_equal(TASK.layout(7), layouts[7])


def test_no_operand_is_empty():
    few = Scattered("mul", shares=(0.9, 0.1))
    assert all(few.layout(2, seed).any(axis=1).all() for seed in range(50))


def test_its_values_are_the_operation_on_the_sums():
    x = np.random.default_rng(0).uniform(-3, 3, (5, 100))
    first, second = TASK.layout(3).astype(bool)
    expected = x[:, first].sum(axis=1) - x[:, second].sum(axis=1)
    np.testing.assert_allclose(TASK.target.values(x, TASK.layout(3)), expected)


def test_its_threshold_is_the_error_of_weights_a_little_off():
    """Of a - b, a 1 is off by -ε and a 0 by ε: the error is ε times a weighted sum of inputs."""
    first, second = TASK.layout(0)
    weights = (-first + (first == 0)) - (-second + (second == 0))
    mean, variance = -4, 1 / 3
    expected = 1e-10 * ((mean * weights.sum()) ** 2 + variance * (weights**2).sum())
    assert threshold(TASK) == pytest.approx(expected, rel=0.01)


def test_other_operations_keep_the_shares():
    assert TASK.target.with_operation("div") == Scattered("div")
    assert TASK.target.with_operation("reciprocal") == Scattered("reciprocal", shares=(0.5,))
    assert Scattered("reciprocal", shares=(0.5,)).with_operation("mul") is None
    assert TASK.target.needs(100) == Needs(frozenset({"sub"}), layers=2)
    assert replace(TASK, target=Scattered("div")).divides_by_zero
    assert not TASK.divides_by_zero


def test_wrong_shares_and_too_few_inputs_are_refused():
    for shares in ((0.5,), (0.5, 0.0), (0.6, 0.6)):
        with pytest.raises(InputError, match="one for each of the 2 operands of mul"):
            Scattered("mul", shares=shares)
    with pytest.raises(InputError, match="at least 2 of them; received inputs=1"):
        Task(Scattered("mul"), 1)
    with pytest.raises(UnknownNameError, match="Did you mean 'mul'"):
        Scattered("mull")
