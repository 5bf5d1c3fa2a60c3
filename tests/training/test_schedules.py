"""What every schedule promises, and a custom one in training."""

from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nalm
from nalm.tasks import single_module
from nalm.training import SCHEDULES, Constant, Decay, Growth, Late, Ramp, Recipe, Run, Schedule
from nalm.training.description import canonical, decode, encode
from nalm.training.engine.plan import signature
from nalm.training.engine.train import train_block

EXAMPLES: list[Schedule] = [
    Constant(0.5),
    Decay(1000, 0.5),
    Growth(1e-9, 1e-7, every=1000),
    Late(2.0, after=1000, below=1.0),
    Ramp(10.0, 1000, 3000),
]
STEPS = np.array([0, 1, 999, 1000, 1001, 2000, 2999, 3000, 50_000])


def test_every_schedule_has_an_example():
    assert {type(schedule).__name__ for schedule in EXAMPLES} == set(SCHEDULES)


@pytest.mark.parametrize("schedule", EXAMPLES, ids=repr)
class TestEvery:
    def test_json_gives_it_back(self, schedule):
        assert decode(encode(schedule)) == schedule

    @pytest.mark.parametrize("validation", [0.1, 5.0, np.nan])
    def test_numpy_and_jax_agree(self, schedule, validation):
        with_numpy = schedule.value(np, STEPS, np.full(STEPS.shape, validation))
        with_jax = schedule.value(jnp, jnp.asarray(STEPS), jnp.full(STEPS.shape, validation))
        np.testing.assert_allclose(with_numpy, with_jax, rtol=1e-6)
        assert np.all(np.isfinite(with_numpy))
        assert np.all(np.asarray(with_numpy) >= 0)

    def test_stretching_twice_is_stretching_once(self, schedule):
        assert schedule.stretched(4).stretched(0.5) == schedule.stretched(2)
        assert schedule.stretched(1) == schedule

    def test_a_stretched_schedule_has_the_values_of_earlier_steps(self, schedule):
        steps, errors = np.arange(0, 5000, 500), np.full(10, 0.5)
        values = schedule.value(np, steps, errors)
        np.testing.assert_allclose(schedule.stretched(3).value(np, 3 * steps, errors), values)

    def test_very_short_training_is_possible(self, schedule):
        assert np.all(np.isfinite(schedule.stretched(1e-6).value(np, STEPS, np.zeros(9))))

    def test_the_parts_multiply_to_the_schedule(self, schedule):
        factor, bare = schedule.split()
        errors = np.full(STEPS.shape, 0.5)
        product = factor * bare.value(np, STEPS, errors)
        np.testing.assert_allclose(product, schedule.value(np, STEPS, errors), rtol=1e-12)
        assert bare.split() == (1.0, bare)


@given(st.floats(0, 100), st.integers(0, 1000), st.integers(1, 1000), st.integers(0, 3000))
def test_a_ramp_is_a_straight_line_between_its_ends(scale, start, length, step):
    ramp = Ramp(scale, start, start + length)
    expected = scale * min(max((step - start) / length, 0.0), 1.0)
    assert float(ramp.value(np, np.array(step), np.nan)) == pytest.approx(expected)


@dataclass(frozen=True)
class Jump(Schedule):
    at: int
    height: float = 1.0

    def value(self, xp, step, validation):
        return xp.where(step >= self.at, self.height, 0.0)

    def stretched(self, share):
        return replace(self, at=int(self.at * share))


def test_a_custom_schedule_trains_a_penalty_and_a_learning_rate():
    model, task = nalm.unit("nmu", 2, 1), single_module("mul")
    recipe = Recipe(0.001, steps=200, log_every=100, evaluation=500)
    late = recipe.replace(penalties=(("discretise", Jump(100, 10.0)),))
    still = recipe.replace(decay=Jump(100))
    plain, pulled, waiting = (
        train_block([Run(model, task, r, 0)])[0] for r in (recipe, late, still)
    )
    assert pulled.validation[1] == plain.validation[1]
    assert pulled.validation[2] != plain.validation[2]
    assert waiting.validation[1] == waiting.validation[0] != waiting.validation[2]
    assert late.stretched(20).penalties == (("discretise", Jump(10, 10.0)),)


def test_runs_that_differ_in_scale_share_a_program():
    model, task = nalm.unit("nmu", 2, 1), single_module("mul")
    one, other, later = (
        Run(model, task, Recipe(penalties=(("discretise", ramp),)), 0)
        for ramp in (Ramp(1.0, 0, 9), Ramp(5.0, 0, 9), Ramp(1.0, 0, 8))
    )
    assert signature(one) == signature(other) != signature(later)
    assert one.recipe.penalty_scales == (1.0,)
    assert canonical(one.recipe) != canonical(other.recipe)
