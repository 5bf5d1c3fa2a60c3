"""A law is found exactly, or said not to be found."""

import os
import subprocess
import sys

import numpy as np
import pytest
import sympy

import nalm
from fitting.laws import COEFFICIENTS, PHYSICS, RANGES, Law, chain, chains, table
from nalm.errors import InputError


def far(law: nalm.Law, formula, inputs: int, low: float, high: float) -> float:
    """Return the median relative error where no row was."""
    x = np.random.default_rng(99).uniform(high, high + 2 * (high - low), (500, inputs))
    y = formula(x)
    return float(np.median(np.abs(law.predict(x) - y) / np.abs(y)))


@pytest.mark.parametrize("inputs", [2, 10, 100])
@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_one_operation_on_every_range(op, inputs):
    for seed, (low, high) in enumerate(RANGES):
        rng = np.random.default_rng(seed)
        x = rng.uniform(low, high, (128, inputs)).astype(np.float32)
        a, b = x[:, rng.permutation(inputs)[:2]].T
        y = {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[op]
        law = nalm.fit(x, y)
        assert law.outcome == "exact", (low, high, law.expression)
        assert law.complexity == 3, law.expression


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "square", "root"])
def test_two_layers_of_a_hundred_inputs(op):
    low, high = (1.1, 1.2) if op != "square" else (-2, 2)
    rng = np.random.default_rng(5)
    x = rng.uniform(low, high, (1000, 100)).astype(np.float32)

    def formula(x):
        a, b = x[:, 40:65].sum(axis=1), x[:, 53:78].sum(axis=1)
        powers = {"square": a**2, "root": np.sqrt(np.abs(a))}
        return {"+": a + b, "-": a - b, "*": a * b, "/": a / b, **powers}[op]

    law = nalm.fit(x, formula(x))
    assert law.outcome == "exact"
    assert far(law, formula, 100, low, high) < 1e-9


@pytest.mark.parametrize("ops", chains(2))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_steps(ops, dtype):
    x, y = table(chain(ops), 4, 300, 1, 2, 7, dtype)
    law = nalm.fit(x, y)
    assert law.outcome == "exact"
    assert far(law, chain(ops), 4, 1, 2) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("ops", chains(3)[::4])
def test_three_steps(ops):
    x, y = table(chain(ops), 5, 500, 1, 2, 11, np.float32)
    law = nalm.fit(x, y)
    assert law.outcome == "exact"
    assert far(law, chain(ops), 5, 1, 2) < 1e-12


@pytest.mark.parametrize("truth", [*PHYSICS, *COEFFICIENTS], ids=lambda t: t.name)
def test_laws_with_numbers_of_their_own(truth: Law):
    x, y = table(truth.formula, truth.inputs, 300, 1, 3, 3)
    law = nalm.fit(x, y)
    assert law.outcome == "exact"
    assert far(law, truth.formula, truth.inputs, 1, 3) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("truth", COEFFICIENTS[:3], ids=lambda t: t.name)
def test_noise_is_estimated(truth: Law):
    x, y = table(truth.formula, truth.inputs, 600, 1, 3, 3)
    sigma = 0.01 * float(np.std(y))
    noisy = y + np.random.default_rng(4).normal(0, sigma, len(y))
    law = nalm.fit(x, noisy, functions="arithmetic")
    assert law.verified or law.plausible
    assert law.noise == pytest.approx(sigma, rel=0.1)
    assert far(law, truth.formula, truth.inputs, 1, 3) < 0.01


@pytest.mark.parametrize(
    ("formula", "dtype"),
    [
        (lambda x: np.sin(x[:, 0]), np.float32),
        (lambda x: np.exp(x[:, 0]) + x[:, 1], np.float64),
        (lambda x: np.maximum(x[:, 0], x[:, 1]), np.float32),
        (lambda x: np.random.default_rng(8).normal(size=len(x)), np.float64),
    ],
    ids=["sin", "exp", "max", "noise"],
)
def test_what_is_no_law_of_the_language_is_not_found(formula, dtype):
    x, y = table(formula, 2, 200, 1, 3, 3, dtype)
    law = nalm.fit(x, y, functions="arithmetic", max_time=3)
    assert not law.verified
    assert law.reason
    assert np.isfinite(law.error)


def test_the_same_whatever_the_order_of_rows():
    x, y = table(COEFFICIENTS[1].formula, 6, 200, 1, 3, 3)
    y = y + np.random.default_rng(0).normal(0, 0.002, len(y))
    order = np.random.default_rng(1).permutation(len(y))
    assert nalm.fit(x, y).tree == nalm.fit(x[order], y[order]).tree


@pytest.mark.slow
def test_the_same_whatever_the_number_of_cores():
    code = (
        "import numpy as np, nalm; x = np.random.default_rng(0).uniform(1, 3, (400, 4));"
        "y = (x[:, 0] - x[:, 1]) / (x[:, 2] + x[:, 3]);"
        "y = y + np.random.default_rng(1).normal(0, .01, 400);"
        "print(repr(nalm.fit(x, y).tree))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"OMP_NUM_THREADS": n, "OPENBLAS_NUM_THREADS": n},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for n in ("1", "2")
    }
    assert len(answers) == 1


def test_weights_stand_for_repeated_rows():
    x, y = table(PHYSICS[3].formula, 3, 60, 1, 3, 3)
    y = y + np.random.default_rng(0).normal(0, 0.05, len(y))
    weight = np.arange(60) % 3
    repeated = nalm.fit(np.repeat(x, weight, axis=0), np.repeat(y, weight), functions="arithmetic")
    weighted = nalm.fit(x, y, sample_weight=weight, functions="arithmetic")
    assert weighted.tree == repeated.tree


def test_the_time_limit_is_kept():
    x, y = table(lambda x: np.sin(x).sum(axis=1), 6, 600, 1, 3, 3)
    law = nalm.fit(x, y, max_time=0.5)
    assert law.seconds < 5
    assert not law.verified


def test_the_frontier_falls():
    x, y = table(PHYSICS[7].formula, 3, 200, 1, 3, 3)
    law = nalm.fit(x, y + np.random.default_rng(0).normal(0, 0.1, len(y)))
    errors = [a.error for a in law.alternatives]
    assert len(errors) > 1
    assert errors == sorted(errors, reverse=True)
    assert [a.complexity for a in law.alternatives] == sorted(
        a.complexity for a in law.alternatives
    )


@pytest.mark.parametrize(
    ("x", "y", "names", "message"),
    [
        (np.empty((0, 2)), np.empty(0), None, "at least one row"),
        (np.ones((1, 2)), np.ones(1), None, "at least 2 rows"),
        (np.array([["a", "1"], ["2", "3"]]), np.ones(2), None, "received 'a'"),
        (
            np.array([[1.0, np.nan], [2, 3]]),
            np.ones(2),
            None,
            r"Column 'x2' holds finite numbers; received NaN \(missing\) in row 0 \(the only",
        ),
        (np.array([[1.0, 2], [np.inf, 3]]), np.ones(2), None, "'x1'.*infinity in row 1"),
        (np.ones((3, 1)), np.ones(2), None, "received 3 rows and 2"),
        (np.ones((3, 2)), np.ones(3), ["a", "a"], "received 'a' twice"),
        (np.ones((3, 2)), np.ones(3), ["a"], "received 1 for 2"),
        (np.ones((3, 2)) * 1j, np.ones(3), None, "complex"),
        (np.ones((3, 2)), np.ones((3, 2)), None, "one number per row"),
    ],
)
def test_wrong_tables_are_explained(x, y, names, message):
    with pytest.raises(InputError, match=message):
        nalm.fit(x, y, names)


def test_a_column_that_is_the_result_and_constant_columns():
    x, y = table(lambda x: x[:, 1], 3, 50, 1, 3, 3)
    x[:, 2] = 4
    assert nalm.fit(x, y, ["a", "b", "c"]).expression == sympy.Symbol("b")
    constant = nalm.fit(x, np.full(50, 2.5))
    assert constant.expression == sympy.Rational(5, 2)
    assert constant.outcome == "exact"


def test_a_constant_column_is_not_part_of_a_law():
    x = np.random.default_rng(0).uniform(1, 3, (60, 2))
    x[:, 1] = 3
    assert nalm.fit(x, 2 * x[:, 0] + 1).tree == nalm.fit(x[:, :1], 2 * x[:, 0] + 1).tree


def test_zero_divisors_are_no_obstacle():
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 4, (200, 2)).astype(float)
    law = nalm.fit(x, x[:, 0] * x[:, 1] + 2)
    assert str(law.expression) == "x1*x2 + 2"
