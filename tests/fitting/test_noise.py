"""Noise: symmetries, functions and multiples of columns are found, and all rows decide."""

import numpy as np
import pytest

import nalm
from nalm.fitting.evidence.assess import assess
from nalm.fitting.rows import DOUBLE, Rows
from nalm.fitting.search.symmetry.bases import arguments
from nalm.fitting.search.symmetry.inversions import powered
from nalm.fitting.search.symmetry.noisy_frequencies import noisy_frequencies
from nalm.fitting.search.symmetry.noisy_reduction import noisy_reductions
from nalm.fitting.search.symmetry.reduced_table import original_table
from nalm.fitting.search.symmetry.smoothing import smooth
from nalm.fitting.tree import HALF, ONE, Applied, Column, PowerProduct, WeightedSum
from nalm.fitting.tree.functions import EXP
from nalm.fitting.tree.text import written

RNG = np.random.default_rng(0)
A, B, C = RNG.uniform(1, 4, (3, 1000))
NOISE = RNG.standard_normal(1000)


def noisy(y, share):
    return y + share * np.sqrt(np.mean(y**2)) * NOISE


def test_a_smooth_model_knows_slopes_and_how_far_it_is_off():
    model = smooth(np.column_stack([A, B]), A * np.log(B) + 0.1 * NOISE, np.ones(1000))
    assert model is not None
    assert model.error == pytest.approx(0.1, rel=0.1)
    assert np.std(model.slopes - np.column_stack([np.log(B), A / B])) < 0.1
    assert np.std(model.values - A * np.log(B)) < 0.03


@pytest.mark.parametrize(
    ("law", "column", "factor"),
    [
        (A * np.tanh(B / C), {"b/c", "c/b"}, "a"),
        (np.exp(-A * B / C), {"a*b/c", "c/(a*b)", "c/(b*a)", "b*a/c"}, "1"),
        (C * np.exp(-((A - B) ** 2)), {"a - b"}, "c"),
    ],
)
def test_a_table_with_noise_is_reduced_to_one_column(law, column, factor):
    table = original_table(np.column_stack([A, B, C]), noisy(law, 0.1))
    first = noisy_reductions(table, np.ones(1000), 3, lambda: False)[0]
    assert {written(part, "abc") for part in first.parts} & column
    assert written(first.factor, "abc") == factor


def test_no_symmetry_is_invented():
    table = original_table(np.column_stack([A, B]), noisy(A + B**2 + 3, 0.01))
    found = noisy_reductions(table, np.ones(1000), 3, lambda: False)
    assert [each.x.shape[1] for each in found] == [2]


def test_a_frequency_is_found_in_noise():
    x = A[:, None]
    rows = Rows(x, noisy(2 + np.cos(3.7 * A), 0.05), np.ones(1000))
    best = noisy_frequencies(x, arguments(x)[:1], rows, frozenset({"sin", "cos"}))[0]
    assert best.frequency == pytest.approx(3.7, abs=0.05)


def test_the_power_of_an_exponential_is_one():
    halved = powered(WeightedSum(((4.0, Applied(EXP, Column(0))),)), HALF)
    assert written(halved, "a") == "2*exp(a/2)"
    assert written(powered(PowerProduct(((Column(0), ONE),)), -ONE), "a") == "1/a"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "columns", "text"),
    [
        (np.exp(-((A / (B + 2)) ** 2)) / (B + 2), (A, B + 2), "1/(b*exp((a/b)**2))"),
        (A / np.sqrt(1 - (B / (2 * C + 4)) ** 2), (A, B, 2 * C + 4), "a*c/sqrt(c**2 - b**2)"),
    ],
)
def test_laws_in_a_tenth_of_noise(law, columns, text):
    names = list("abc")[: len(columns)]
    found = nalm.fit(np.column_stack(columns), noisy(law, 0.1), names, functions=["exp"])
    assert found.text() == text


def test_all_rows_decide_on_the_numbers_of_a_law():
    rng = np.random.default_rng(1)
    x = rng.uniform(1, 2, (6000, 1))
    y = np.pi**3 * x[:, 0] + rng.normal(0, 1, 6000)
    (constant,) = nalm.fit(x, y, ["a"], functions="arithmetic").constants
    assert constant.error < 1 / np.sqrt(5000 * 2.2)


def test_rows_that_rounding_does_not_touch_count():
    """A formula cannot leave out the rows that it misses as if rounding made them uncertain."""
    x = np.linspace(1e-6, 3, 300)[:, None]
    tree = PowerProduct(((Column(0), -ONE),))
    rows = Rows(x, np.ones(300), np.ones(300))
    missed = np.sqrt(np.mean((1 / x[:, 0] - 1) ** 2))
    assert assess(tree, rows, DOUBLE).rms == pytest.approx(missed)
