"""Tasks: what the inputs are, which of them count, and when a unit has learnt."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from nalm.errors import InputError, UnknownNameError
from nalm.formula.operations import operation
from nalm.tasks import (
    RANGES,
    Benford,
    Exponential,
    Grid,
    Near,
    Subsets,
    Task,
    Tied,
    TruncatedNormal,
    Uniform,
    Union,
    arithmetic_dataset,
    single_module,
    threshold,
)
from nalm.tasks.distributions.benford import BENFORD

U = (np.arange(200_000) + 0.5) / 200_000


@pytest.mark.parametrize(
    ("distribution", "reference"),
    [
        (Uniform(-2, 3), stats.uniform(-2, 5)),
        (Exponential(5.0), stats.expon(scale=5.0)),
        (TruncatedNormal(-1.0, 3.0, -5.0, 10.0), stats.truncnorm(-4 / 3, 11 / 3, -1, 3)),
    ],
)
def test_quantiles_are_those_of_the_distribution(distribution, reference):
    np.testing.assert_allclose(distribution.quantile(np, U), reference.ppf(U), rtol=1e-6, atol=1e-6)
    on_device = distribution.quantile(jnp, jnp.asarray(U, jnp.float32))
    assert np.quantile(on_device, 0.3) == pytest.approx(reference.ppf(0.3), abs=1e-3)


def test_a_union_has_half_of_its_mass_in_each_range():
    x = Union(Uniform(-6, -2), Uniform(2, 6)).quantile(np, U)
    assert np.mean(x < 0) == 0.5
    assert (x.min(), x.max()) == pytest.approx((-6, 6), abs=1e-3)
    assert not np.any((x > -2) & (x < 2))


@pytest.mark.parametrize(
    ("low", "high", "smallest", "largest"), [(10, 100, 11, 99), (100, 1000, 110, 999)]
)
def test_benford_numbers(low, high, smallest, largest):
    x = Benford(low, high).quantile(np, U)
    assert np.all(x == np.round(x))
    assert (x.min(), x.max()) == (smallest, largest)
    leading = (x // low).astype(int)
    shares = np.bincount(leading, minlength=10)[1:] / x.size
    np.testing.assert_allclose(shares, np.array(BENFORD) / sum(BENFORD), atol=1e-3)
    if low == 10:
        assert not np.any(x % 10 == 0)


@pytest.mark.parametrize("xp", [np, jnp])
def test_a_grid_has_each_of_its_numbers_equally_often(xp):
    u = xp.asarray(U, dtype=xp.float32)
    for grid, numbers in (
        (Grid(1.0, 9.0), np.arange(1, 10)),
        (Grid(0.1, 0.9, 0.1), np.arange(1, 10) / 10),
        (Grid(1e6, 1e6), np.array([1e6])),
    ):
        found, counts = np.unique(np.asarray(grid.quantile(xp, u)), return_counts=True)
        np.testing.assert_allclose(found, numbers, rtol=1e-6)
        np.testing.assert_allclose(counts / U.size, 1 / numbers.size, atol=1e-4)


def test_tied_inputs_repeat_the_first():
    u = np.random.default_rng(0).random((100_000, 3))
    x = Tied(Grid(1.0, 9.0), 7 / 16).sample(u)
    assert set(x.ravel()) == set(range(1, 10))
    np.testing.assert_allclose(np.mean(x[:, 1:] == x[:, :1], axis=0), 0.5, atol=0.01)
    others = x[x[:, 1] != x[:, 0], 1]
    np.testing.assert_allclose(np.bincount(others.astype(int))[1:] / others.size, 1 / 9, atol=0.01)


def test_near_inputs_are_an_offset_from_the_first():
    u = [jnp.asarray(U, jnp.float32), jnp.asarray(U[::-1], jnp.float32)]
    first, second = Near(Grid(1e5, 2e5), Grid(-5.0, 5.0)).inputs(jnp, u)
    assert set(np.asarray(second - first)) == set(range(-5, 6))


@pytest.mark.parametrize(
    ("op", "truths"),
    [
        ("and", (0, 0, 0, 1)),
        ("or", (0, 1, 1, 1)),
        ("nand", (1, 1, 1, 0)),
        ("nor", (1, 0, 0, 0)),
        ("xor", (0, 1, 1, 0)),
        ("and_not", (0, 0, 1, 0)),
        ("not", (1, 1, 0, 0)),
        ("identity", (0, 0, 1, 1)),
        ("mean", (0, 0.5, 0.5, 1)),
        ("constant", (0.7, 0.7, 0.7, 0.7)),
        ("gt", (0, 0, 1, 0)),
        ("ge", (1, 0, 1, 1)),
        ("lt", (0, 1, 0, 0)),
        ("le", (1, 1, 0, 1)),
        ("eq", (1, 0, 0, 1)),
        ("ne", (0, 1, 1, 0)),
    ],
)
@pytest.mark.parametrize("xp", [np, jnp])
def test_truth_tables(op, truths, xp):
    x = xp.asarray([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]], dtype=xp.float32)
    wanted = operation(op)
    y = wanted.apply(xp, list(x[: len(wanted.weights)]))
    assert y.dtype == xp.float32
    np.testing.assert_allclose(y, truths)
    if wanted.kind != "sum":
        assert threshold(Task(op, 2, Uniform(0, 1), Uniform(0, 1))) == 0.005**2


def test_logic_between_truth_and_falsehood():
    a, b = np.float64(0.3), np.float64(0.8)
    values = {op: operation(op).apply(np, [a, b]) for op in ("or", "xor", "nor", "and_not")}
    assert values == pytest.approx({"or": 0.86, "xor": 0.86 * 0.76, "nor": 0.14, "and_not": 0.06})


def position(task, seed):
    return np.flatnonzero(task.layout(seed)[0])[0]


def test_positions_are_those_of_the_published_runs():
    task = single_module("mul", inputs=10)
    published = [5, 5, 8, 8, 7, 3, 3, 4, 3, 5, 4, 0, 6, 2, 8, 8, 5, 1, 3, 5, 3, 8, 5, 3, 2]
    assert [position(task, seed) for seed in range(25)] == published
    assert [position(arithmetic_dataset("mul"), seed) for seed in range(10)] == [
        44, 37, 40, 42, 58, 35, 10, 47, 3, 62,
    ]  # fmt: skip
    assert {position(single_module("mul"), seed) for seed in range(25)} == {0}


def test_subsets_of_the_arithmetic_dataset():
    target = Subsets("mul", 25, 12)
    assert arithmetic_dataset("mul").target == target
    assert (target.width(100), target.positions(100)) == (38, 63)
    selected = target.subsets(100, 3)
    assert selected.sum(axis=1).tolist() == [25, 25]
    assert np.sum(selected[0] * selected[1]) == 12
    assert np.flatnonzero(selected.any(axis=0))[[0, -1]].tolist() == [3, 40]


@pytest.mark.parametrize(
    ("op", "name", "inputs", "expected"),
    [
        ("add", "U[10,20)", 2, 3.66667e-7),
        ("sub", "U[1,2)", 10, 1.61333e-7),
        ("add", "U[0.1,0.2)", 100, 1.2127e-6),
        ("mul", "U[1,2)", 2, 1.20177e-7),
        ("mul", "U[-2,2)", 2, 1.20177e-7),
        ("mul", "U[-1.2,-1.1)", 10, 2.32261e-5),
        ("div", "U[10,20)", 2, 4.66657e-10),
        ("div", "U[0.1,0.2)", 10, 4.39516e-8),
    ],
)
def test_thresholds_of_the_single_module_task_match_the_closed_forms(op, name, inputs, expected):
    assert threshold(single_module(op, name, inputs)) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("add", 1.604e-5),
        ("sub", 1.383e-8),
        ("mul", 0.1605),
        ("div", 5.84e-12),
        ("square", 0.1600),
        ("root", 1.010e-8),
    ],
)
@pytest.mark.slow
def test_thresholds_of_the_arithmetic_dataset_match_the_known_values(op, expected):
    assert threshold(arithmetic_dataset(op)) == pytest.approx(expected, rel=0.01)


def test_wrong_tasks_are_refused():
    with pytest.raises(InputError, match=r"lower < upper; received \[2, 1\)"):
        Uniform(2, 1)
    with pytest.raises(InputError, match="finite bounds"):
        Uniform(0, float("inf"))
    train, test = RANGES["U[1,2)"]
    with pytest.raises(InputError, match="needs 2 inputs; received inputs=1"):
        Task("mul", 1, train, test)
    with pytest.raises(InputError, match="share at most all"):
        Subsets("mul", subset=2, overlap=3)
    with pytest.raises(UnknownNameError, match="Did you mean 'mul'"):
        Task("mull", 2, train, test)


def test_operands_with_signs_and_spans():
    spans = ((0, 1), (1, 3), (3, 4))
    target = Subsets("add", spans=spans, signs=(1, -1, 1))
    expected = [[1, 0, 0, 0], [0, -1, -1, 0], [0, 0, 0, 1]]
    np.testing.assert_array_equal(target.subsets(4, 0), expected)
    assert (target.operands, target.positions(4), target.sums) == (3, 1, True)
    assert threshold(Task(target, 4, *RANGES["U[1,2)"])) > 0
    alone = replace(target, spans=((0, 1), (1, 2), (3, 4)), signs=())
    assert (alone.sums, alone.weighted(4)) == (False, True)
    assert replace(alone, signs=(1, 1, -1)).sums
    assert not Subsets("add").weighted(2)
    for change, message in [
        ({"signs": (1, 1)}, "Signs are 1 or -1"),
        ({"signs": (2, 1, 1)}, "Signs are 1 or -1"),
        ({"spans": ((0, 5), (1, 2), (2, 3))}, "Spans are 3 ranges"),
        ({"op": "sub"}, "Spans are 2 ranges"),
    ]:
        with pytest.raises(InputError, match=message):
            Task(replace(target, **change), 4, *RANGES["U[1,2)"])
