"""What rows may confirm, and what they may not."""

import numpy as np
import pytest

import nalm
from nalm.fitting.evidence.settle import settle
from nalm.fitting.evidence.verify import printed_unit, verify
from nalm.fitting.rows import Rows, canonical, split
from nalm.fitting.tree import Applied, Column, WeightedSum
from nalm.fitting.tree.functions import LOG


def test_results_with_few_decimals_are_confirmed_as_rounded():
    t = np.round(np.random.default_rng(3).uniform(0, 10, 30), 2)
    law = nalm.fit(t[:, None], np.round(2 + 3 * t - 4.905 * t**2, 2), ["t"])
    assert law.outcome == "within noise"
    assert "rounding" in law.reason
    assert law.predict(np.array([[100.0]]))[0] == pytest.approx(2 + 300 - 49050)


def test_a_few_noisy_rows_confirm_nothing():
    rng = np.random.default_rng(624)
    x = rng.uniform(0, 10, (12, 2))
    law = nalm.fit(x, x[:, 0] + np.exp(-x[:, 1]))
    assert not law.verified


def test_what_imitates_a_law_is_not_called_exact():
    a = np.random.default_rng(0).uniform(0, 1, 300).astype(np.float32)
    for y in (np.sin(a), np.log(a + 2)):
        assert nalm.fit(a[:, None], y, functions="arithmetic").outcome != "exact"


@pytest.mark.parametrize(
    ("y", "unit"),
    [([1.0, 2.0], 1.0), ([0.1, 2.25], 0.01), ([np.pi, 1.0], 0.0), ([1e9 + 0.5, 1.0], 0.1)],
)
def test_the_last_printed_decimal(y, unit):
    assert printed_unit(np.array(y)) == pytest.approx(unit)


def test_noise_confirms_no_series_and_no_formula_with_rivals():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 3, (200, 2))
    for law, noise in ((np.sin, 0.01), (np.tanh, 0.03)):
        y = law(x[:, 0]) * x[:, 1]
        y = y + noise * y.std() * rng.standard_normal(len(y))
        assert not nalm.fit(x, y, functions="arithmetic").verified


def test_noise_confirms_no_functions_with_many_measured_numbers():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 5, (300, 2))
    logarithm = Applied(LOG, Column(0))
    tree = WeightedSum(((0.31, logarithm), (1.73, Column(1)), (0.57, Column(0))))
    y = tree.evaluate(x) + 0.02 * rng.normal(size=300)
    fitted = WeightedSum(((1.73, Column(1)), (0.31, logarithm)))
    rows = split(canonical(Rows(x, y, np.ones(300))), rng)
    judgment = verify(settle(tree, rows.seen, rows.epsilon), rows)
    assert "functions with so many fitted numbers" in judgment.reason
    y = fitted.evaluate(x) + 0.02 * rng.normal(size=300)
    rows = split(canonical(Rows(x, y, np.ones(300))), rng)
    assert verify(settle(fitted, rows.seen, rows.epsilon), rows).verified


def noisy(y: np.ndarray, share: float = 0.01) -> np.ndarray:
    return y + share * np.std(y) * np.random.default_rng(1).standard_normal(len(y))


def test_in_noise_a_sum_with_fitted_weights_is_plausible_and_a_sum_of_columns_verified():
    x = np.random.default_rng(0).uniform(1, 3, (400, 3))
    m, v, c = x.T
    energy = m * (20 * c) ** 2 / np.sqrt(1 - (v / (5 * c)) ** 2)
    series = nalm.fit(x, noisy(energy), functions="arithmetic")
    assert not series.verified
    weighted = nalm.fit(x, noisy(1.379 * m * v + 0.617 * c))
    assert weighted.plausible
    assert "may only imitate another law" in weighted.reason
    line = nalm.fit(x, noisy(1.379 * m + 0.617 * c - 0.231))
    assert line.outcome == "within noise"


def test_in_noise_the_weights_of_a_sum_are_one_factor_if_their_ratios_are_simple():
    x = np.random.default_rng(0).uniform(1, 3, (400, 3))
    a, b, c = x.T
    law = nalm.fit(x, noisy(np.pi * (a * b + 2 * c)), ["a", "b", "c"])
    assert law.outcome == "within noise"
    (factor,) = law.tree.measured()
    assert factor in (pytest.approx(np.pi, rel=5e-3), pytest.approx(2 * np.pi, rel=5e-3))


@pytest.mark.parametrize("rows", [6, 10])
def test_a_law_that_fits_too_few_rows_is_plausible(rows):
    x = np.random.default_rng(0).uniform(1, 3, (rows, 3))
    law = nalm.fit(x, x[:, 0] * x[:, 1], ["a", "b", "c"])
    assert (law.text(), law.outcome) == ("a*b", "plausible")
    assert not law.verified
    assert law.verdict().startswith("Plausible: it fits every row, but ")
    assert "do not prove it" in str(law)
