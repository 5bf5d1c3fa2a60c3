"""Intervals: closed cases, coverage by simulation, and the edges."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nalm.errors import InputError
from nalm.sweeps.statistics import (
    Interval,
    Verdict,
    beta_mean,
    gamma_mean,
    median_interval,
    sparsity_mean,
    verdict,
    wilson,
)
from nalm.sweeps.statistics.legacy import published_solved_at, published_sparsity

SIMULATIONS = 1500


def test_wilson_known_cases():
    assert wilson(0, 100) == pytest.approx((0.0, 0.0369935), abs=1e-6)
    assert wilson(100, 100) == pytest.approx((0.9630065, 1.0), abs=1e-6)
    assert wilson(18, 25) == pytest.approx((0.5242339481, 0.8571614615), abs=1e-9)
    for successes, runs in ((1, 0), (-1, 3), (4, 3)):
        with pytest.raises(InputError, match="A success rate needs"):
            wilson(successes, runs)


@given(st.integers(1, 400), st.data())
def test_wilson_contains_the_rate(runs, data):
    successes = data.draw(st.integers(0, runs))
    low, high = wilson(successes, runs)
    assert 0 <= low <= successes / runs <= high <= 1


def test_the_gamma_mean_is_the_sample_mean_and_scales():
    values = [3000, 5000, 9000, 14_000, 2000]
    estimate, larger = gamma_mean(values), gamma_mean([10 * v for v in values])
    assert estimate.value == np.mean(values)
    assert larger.interval == pytest.approx([10 * bound for bound in estimate.interval], rel=1e-6)


def test_the_exponential_case_has_a_wider_profile_than_known_shape():
    """With the shape known to be 1, the likelihood interval has a closed condition."""
    rng = np.random.default_rng(1)
    x = rng.exponential(1000, 200)
    low, high = gamma_mean(x).interval
    ratio = np.array([low, high]) / x.mean()
    deviance = 2 * 200 * (np.log(ratio) + 1 / ratio - 1)  # of an exponential distribution
    np.testing.assert_allclose(deviance, 3.84, rtol=0.25)


def test_the_interval_of_a_median_is_between_values():
    assert median_interval(range(25)) == (7, 17)  # the 8th and 18th, by the binomial table
    assert median_interval([5.0] * 30) == (5, 5)
    for few in ([], [1.0], [1.0, 2.0, 3.0, 4.0, 5.0]):
        assert all(isnan(end) for end in median_interval(few))


@pytest.mark.parametrize("runs", [6, 25, 100])
def test_intervals_of_the_median_cover(runs):
    x = np.random.default_rng(runs).lognormal(0, 2, (SIMULATIONS, runs))
    ends = np.array([median_interval(row) for row in x])
    covered = np.mean((ends[:, 0] <= 1) & (ends[:, 1] >= 1))
    assert covered > 0.94  # values are few, so it may be more


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "runs"), [(2.0, 25), (20.0, 50)])
def test_gamma_intervals_cover(shape, runs):
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(SIMULATIONS):
        low, high = gamma_mean(rng.gamma(shape, 20_000 / shape, runs)).interval
        hits += low <= 20_000 <= high
    assert hits / SIMULATIONS == pytest.approx(0.95, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "runs"), [(2.0, 5.0, 50), (20.0, 400.0, 50)])
def test_beta_intervals_cover(a, b, runs):
    rng = np.random.default_rng(0)
    count, hits, mean = 400, 0, 0.5 * a / (a + b)
    for _ in range(count):
        low, high = beta_mean(0.5 * rng.beta(a, b, runs)).interval
        hits += low <= mean <= high
    assert hits / count == pytest.approx(0.95, abs=0.02)


def test_the_beta_mean_is_close_to_the_sample_mean():
    x = 0.5 * np.random.default_rng(0).beta(3, 9, 400)
    assert beta_mean(x).value == pytest.approx(x.mean(), rel=0.02)


@pytest.mark.parametrize("function", [gamma_mean, beta_mean])
def test_few_or_equal_values(function):
    none, one, three = function([]), function([0.25]), function([0.25, 0.25, 0.25])
    assert isnan(none.value)
    assert isnan(none.low)
    assert one.value == 0.25
    assert isnan(one.high)
    assert (three.value, three.low, three.high, three.n) == (0.25, 0.25, 0.25, 3)


def test_extreme_values_have_finite_intervals():
    for values in ([0.0, 1000.0, 2000.0], [1e-300, 5e6, 1.0]):
        low, high = gamma_mean(values).interval
        assert 0 < low < high < np.inf
    for values in ([0.0, 1e-9, 0.5], [0.5, 0.4999, 0.3], [1.2, 0.3, 0.1]):
        estimate = beta_mean(values)
        mean, (low, high) = estimate.value, estimate.interval
        assert 0 <= low <= mean <= high <= 0.5


@given(st.lists(st.floats(0, 5), min_size=2, max_size=30))
def test_a_mean_sparsity_error_lies_in_its_interval(values):
    estimate = sparsity_mean(values)
    mean, (low, high), kind = estimate.value, estimate.interval, estimate.method
    assert kind == ("student" if max(values) > 0.5 else "beta")
    assert low <= mean * (1 + 1e-9)
    assert mean <= high * (1 + 1e-9) + 1e-15


def test_sparsity_errors_beyond_a_half_have_their_sample_mean():
    estimate = sparsity_mean([1.0, 1.2, 1.4])
    mean, (low, high), kind = estimate.value, estimate.interval, estimate.method
    assert (round(mean, 9), kind) == (1.2, "student")
    assert (low, high) == pytest.approx((0.703172, 1.696828), abs=1e-6)


def test_verdicts():
    nothing = float("nan")
    assert verdict(Interval(0.2, 0.5), Interval(0.5, 0.9)) is Verdict.AGREES
    assert verdict(Interval(0.2, 0.5), Interval(0.51, 0.9)) is Verdict.DIFFERS
    assert verdict(Interval(0.2, 0.5), Interval(nothing, 0.1)) is Verdict.DIFFERS
    assert verdict(Interval(0.2, 0.5), Interval(nothing, nothing)) is Verdict.INCOMPARABLE


def test_the_published_sparsity_means_are_half_of_ours():
    x = 0.5 * np.random.default_rng(0).beta(3, 9, 400)
    assert published_sparsity(x).value == pytest.approx(beta_mean(x).value / 2, rel=0.02)


@pytest.mark.parametrize(
    ("solved_at", "mean", "low", "high"),
    [
        (  # NAU, subtraction: the optimizer moves the mean by itself
            [4000] * 26 + [5000] * 69 + [6000, 351_000, 991_000, 1_019_000, 3_010_000],
            161_802.2663, 145_642.6541, 178_534.23,
        ),
        (  # linear, subtraction: seven profiles find a better mean
            [4000, 2_384_000, 3_248_000, 3_332_000, 3_440_000, 4_261_000, 4_621_000],
            1_446_751.473, 836_626.2757, 2_147_484.467,
        ),
        ([891_000, 4_398_000], 3_327_098.384, 1_114_085.025, 5_119_901.772),  # NALU, root
        ([1_003_000] * 3, 1_003_000, 1_003_000, 1_003_000),  # NAC with NMU weights, root
    ],
)  # fmt: skip
def test_the_published_means_of_solved_at_are_those_of_the_authors(solved_at, mean, low, high):
    estimate = published_solved_at(solved_at)
    assert estimate.value == pytest.approx(mean, rel=1e-6)
    assert estimate.interval == pytest.approx((low, high), rel=3e-3)
    if len(set(solved_at)) > 1:
        assert gamma_mean(solved_at).value != pytest.approx(mean, rel=0.05)


def test_the_published_mean_of_few_or_early_steps():
    assert isnan(published_solved_at([]).value)
    assert published_solved_at([3000.0]).value == 3000
    early = published_solved_at([0.0, 1000.0, 2000.0])
    assert 0 < early.low < early.value < early.high < np.inf
