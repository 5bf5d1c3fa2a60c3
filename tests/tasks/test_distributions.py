"""Every distribution keeps its promises: one suite over the registry."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nalm
from nalm.errors import InputError
from nalm.tasks import (
    DISTRIBUTIONS,
    Benford,
    Distribution,
    Exponential,
    Grid,
    Halves,
    Joint,
    Near,
    Rows,
    Sobol,
    Task,
    Tied,
    TruncatedNormal,
    Uniform,
    Union,
    default_test,
    parse,
    range_pair,
)
from nalm.tasks.distributions._zero import comes_near_zero
from nalm.training import Recipe
from nalm.training.description import decode, encode
from nalm.training.engine.plan import signature
from nalm.training.engine.train import train_block
from nalm.training.run import Run


@dataclass(frozen=True)
class LogUniform(Distribution):
    low: float
    high: float

    def quantile(self, xp, u):
        return self.low * xp.exp(u * np.log(self.high / self.low))


TABLE = np.random.default_rng(0).uniform(1, 2, (20, 2))
EXAMPLES: dict[str, list[Distribution]] = {
    "Uniform": [Uniform(1, 2), Uniform(-2, 2), Uniform(0.1234567891, 1e3)],
    "Union": [
        Union(Uniform(-6, -2), Uniform(2, 6)),
        Union(Grid(0, 0), Union(Grid(1, 5), Grid(7, 9))),
    ],
    "TruncatedNormal": [TruncatedNormal(0, 1, -5, 5), TruncatedNormal(10, 3, 5, 15)],
    "Exponential": [Exponential(0.2)],
    "Benford": [Benford(10, 100)],
    "Sobol": [Sobol(-1, 1), Sobol(1, 2)],
    "Grid": [Grid(1, 9), Grid(-1, 1, 0.5), Grid(1e6, 2e6)],
    "Halves": [Halves(Uniform(1, 2), Union(Uniform(-6, -2), Uniform(2, 6)))],
    "Tied": [Tied(Grid(1, 9), 0.4)],
    "Near": [Near(Grid(1e6, 2e6), Grid(-5, 5))],
    "Rows": [Rows(TABLE)],
}  # fmt: skip
ALL = [*(each for found in EXAMPLES.values() for each in found), LogUniform(1, 100)]


def label(distribution):
    return distribution.label


def test_every_distribution_is_in_the_suite():
    assert EXAMPLES.keys() == DISTRIBUTIONS.keys()
    assert len({d.label for d in ALL}) == len(ALL)


@pytest.mark.parametrize("distribution", ALL, ids=label)
def test_it_is_the_same_on_numpy_and_jax(distribution):
    u = np.random.default_rng(0).random((3, 500)).astype(np.float32)
    on_numpy = distribution.inputs(np, list(u.astype(np.float64)))
    on_jax = distribution.inputs(jnp, [jnp.asarray(v) for v in u])
    for mine, its in zip(on_numpy, on_jax, strict=True):
        assert np.mean(np.isclose(mine, its, rtol=1e-4, atol=1e-4)) > 0.98  # edges of steps
    together = distribution.along(jnp, jnp.asarray(u)[None])
    np.testing.assert_allclose(together[0], np.stack(on_jax), rtol=1e-6)


@pytest.mark.parametrize("distribution", ALL, ids=label)
def test_quantiles_grow_and_joint_ones_have_none(distribution):
    u = (np.arange(1000) + 0.5) / 1000
    if isinstance(distribution, Joint):
        with pytest.raises(InputError, match="all inputs together"):
            distribution.quantile(np, u)
    else:
        assert np.all(np.diff(distribution.quantile(np, u)) >= 0)


@pytest.mark.parametrize("distribution", ALL, ids=label)
def test_zero_is_found_by_sampling_too(distribution):
    cautious = isinstance(distribution, Near)
    assert cautious or distribution.reaches_zero == comes_near_zero(distribution)


@pytest.mark.parametrize("distribution", ALL, ids=label)
def test_it_is_written_and_read(distribution):
    assert decode(encode(distribution), distribution.tables()) == distribution


@pytest.mark.parametrize("distribution", ALL, ids=label)
def test_its_numbers_can_be_taken_out_and_put_back(distribution):
    assert distribution.opened().bound(distribution.numbers()) == distribution
    assert hash(distribution) == hash(distribution.bound(distribution.numbers()))


@pytest.mark.parametrize(
    "distribution",
    [d for d in ALL if type(d).__name__ not in {"Tied", "Rows", "LogUniform"}],
    ids=label,
)
def test_labels_are_read_back(distribution):
    assert parse(distribution.label) == distribution
    assert parse(f" {distribution.label.replace(',', ' , ')} ") == distribution


@pytest.mark.slow
@pytest.mark.parametrize("path", ["fused", "plain"])
@pytest.mark.parametrize("distribution", [d for d in ALL if not isinstance(d, Rows)], ids=label)
def test_it_trains(distribution, path):
    recipe = Recipe(steps=4, log_every=2, evaluation=100)
    run = Run(nalm.unit("nau", 2, 1), Task("add", 2, distribution, distribution), recipe, 0)
    (curves,) = train_block([run], path=path)
    assert np.isfinite(curves.test).all()


def test_ranges_share_a_program_and_custom_bounds_do_not():
    def program(train):
        return signature(Run(nalm.unit("nau", 2, 1), Task("add", 2, train, train), Recipe(), 0))

    assert program(Uniform(1, 2)) == program(Uniform(5, 9))
    assert program(LogUniform(1, 2)) != program(LogUniform(1, 3))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_any_range_is_read_back(low, width):
    found = Uniform(low, low + width)
    assert parse(found.label) == found
    test = default_test(found)
    u = np.linspace(0, 1, 50, endpoint=False)
    x = test.quantile(np, u)
    assert np.all((x >= found.high) | (x < found.low))


def test_a_test_range_may_be_named():
    assert [d.label for d in range_pair("U[5,9)->U[9,30)")] == ["U[5,9)", "U[9,30)"]
    assert [d.label for d in range_pair("U[5,9)")] == ["U[5,9)", "U[9,25)"]
    assert Task("mul", 2, "U[1,2)").test == Uniform(2, 6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: parse("U[9,5)"), r"lower < upper; received \[9"),
        (lambda: parse("U(5,9)"), r"There is no range 'U\(5,9\)'\. Write U\[5,9\)"),
        (lambda: parse("U[5, 9]"), r"^A range ends with \), since .* excluded: U\[5,9\); received"),
        (lambda: parse("U(5,9]"), r"There is no range"),
        (
            lambda: range_pair("U[5,9)->"),
            r"^Give a test range after ->, such as U\[5,9\)->U\[9,30\)",
        ),
        (lambda: parse(5), "A range is text"),  # pyright: ignore[reportArgumentType]
        (lambda: range_pair("U[1,2)->U[2,3)->U[3,4)"), "with its test range"),
        (lambda: Uniform("a", 2), "finite bounds"),
        (lambda: Union(Tied(Grid(1, 2), 0.1), Grid(1, 2)), "distribution of one input"),
        (lambda: Tied(Grid(1, 2), 1.0), "below 1"),
        (lambda: Grid(2, 1), "from low up to high"),
        (lambda: Exponential(0), "above 0"),
        (lambda: Rows(np.array([1.0])), "rows of finite numbers"),
        (lambda: Task("mul", 2, 3), "train is a distribution"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    "text",
    [
        "|".join(["U[1,2)"] * 30) + "|x",
        "&".join(["U[1,2)|U[3,4)"] * 15) + "&x",
        "U[1,2)|" * 5000,
        f"B[10,{'9' * 40})",
        f"U[0,{'9' * 400})",
        "U[1,1e999)",
        "U[nan,2)",
    ],
    ids=lambda text: text[:30],
)
def test_a_text_that_is_no_label_is_refused_at_once(text):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert len(str(caught.value)) < 700
