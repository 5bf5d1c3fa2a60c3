"""95 % confidence intervals of rates and means, done right.

The mean of steps is that of a gamma distribution, the mean of sparsity errors that of a beta
distribution on [0, 1/2]; both intervals are those of the profile likelihood. Sparsity errors beyond
1/2, which unbounded weights have, get Student's interval instead.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite, log, sqrt
from typing import Any

import numpy as np

from nalm.errors import InputError
from nalm.sweeps.statistics.estimate import UNKNOWN, Estimate, Interval, Method

Z95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""
DEVIANCE = Z95**2
"""Twice the drop of the log-likelihood at the ends of a 95 % interval."""
SMALLEST = 1e-16
"""How near to its ends a sparsity error counts."""


Values = Sequence[float] | np.ndarray


def wilson(successes: int, runs: int) -> Interval:
    """Return the Wilson score interval of a success rate, without continuity correction.

    >>> [round(bound, 6) for bound in wilson(0, 100)]
    [0.0, 0.036993]
    """
    if not 0 <= successes <= runs or runs < 1:
        raise InputError(
            "A success rate needs at least 1 run and between 0 and all of them successful; "
            f"received {successes} of {runs}."
        )
    p, z2 = successes / runs, Z95**2
    centre = (p + z2 / (2 * runs)) / (1 + z2 / runs)
    half = Z95 * sqrt((p * (1 - p) + z2 / (4 * runs)) / runs) / (1 + z2 / runs)
    return Interval(
        0.0 if successes == 0 else centre - half, 1.0 if successes == runs else centre + half
    )


def rate(successes: int, runs: int) -> Estimate:
    """Return a success rate with its Wilson interval.

    >>> print(rate(25, 25))
    1 [0.867, 1] (n = 25)
    """
    low, high = wilson(successes, runs)
    return Estimate(successes / runs, low, high, runs, Method.WILSON)


def load() -> None:
    """Load what intervals are computed with, which takes a quarter of a second."""
    import scipy.optimize
    import scipy.special  # noqa: F401


def student(values: Values, low: float, high: float) -> Estimate:
    """Return the mean with Student's interval, cut to [low, high]; one value has no interval."""
    from scipy.special import stdtrit

    x = np.asarray(values, float)
    if x.size == 0:
        return Estimate(float("nan"), *UNKNOWN, 0, Method.STUDENT)
    mean = float(x.mean())
    if x.size == 1:
        return Estimate(mean, *UNKNOWN, 1, Method.STUDENT)
    half = float(stdtrit(x.size - 1, 0.975) * x.std(ddof=1) / sqrt(x.size))
    return Estimate(mean, max(low, mean - half), min(high, mean + half), x.size, Method.STUDENT)


def median_interval(values: Values) -> Interval:
    """Return the interval of the median between two of the values, whatever their distribution.

    Below six values even the smallest and the largest are not 95 %: then there is none.

    >>> median_interval([1, 2, 3, 4, 5, 6])
    Interval(low=1.0, high=6.0)
    """
    from scipy.special import bdtr

    x = np.sort(np.asarray(values, float))
    beyond = [float(bdtr(k, x.size, 0.5)) for k in range(x.size // 2)]
    outside = sum(share <= 0.025 for share in beyond)
    return Interval(float(x[outside - 1]), float(x[-outside])) if outside else UNKNOWN


def median(values: Values) -> Estimate:
    """Return the median with its interval.

    >>> print(median([1, 2, 3, 4, 5, 60]))
    3.5 [1, 60] (n = 6)
    """
    x = np.asarray(values, float)
    middle = float(np.median(x)) if x.size else float("nan")
    return Estimate(middle, *median_interval(x), x.size, Method.ORDER)


def gamma_mean(values: Values) -> Estimate:
    """Return the mean of positive numbers as that of a gamma distribution.

    The most likely mean is the sample mean. Numbers below 1 count as 1; where all are equal, or
    fewer than two, the interval is Student's.

    >>> estimate = gamma_mean([1000, 2000, 3000, 4000])
    >>> round(estimate.value), [round(bound) for bound in estimate.interval]
    (2500, [1450, 4861])
    """
    x = np.maximum(np.asarray(values, float), 1.0)
    if x.size < 2 or np.ptp(x) <= 1e-5:
        return student(values, 0.0, float("inf"))
    mean, mean_log = float(x.mean()), float(np.log(x).mean())

    def likelihood(log_mean: float) -> float:
        """Return the greatest log-likelihood with this mean, over all shapes."""
        from scipy.special import gammaln

        ratio = mean / np.exp(log_mean)
        k = _gamma_shape(ratio + log_mean - mean_log - 1)
        return x.size * float(
            k * log(k) - k * log_mean - gammaln(k) + (k - 1) * mean_log - k * ratio
        )

    low, high = profile(likelihood, log(mean), (-50.0, log(mean) + 50.0))
    return Estimate(mean, float(np.exp(low)), float(np.exp(high)), x.size, Method.GAMMA)


def beta_mean(values: Values) -> Estimate:
    """Return the mean of sparsity errors as that of a beta distribution on [0, 1/2].

    Where all are nearly equal, or fewer than two, it is the sample mean with Student's interval.
    """
    x = np.clip(np.asarray(values, float), SMALLEST, 0.5 - SMALLEST)
    if x.size < 2 or x.std(ddof=1) <= 1e-10:
        return student(values, 0.0, 0.5)
    logs = float(np.log(2 * x).mean()), float(np.log1p(-2 * x).mean())

    def likelihood(logit: float) -> float:
        return x.size * _beta_likelihood(logit, logs)

    start = float(np.log(2 * x.mean()) - np.log1p(-2 * x.mean()))
    best, _ = _maximum(likelihood, start - 15, start + 15)
    low, high = profile(likelihood, best, (best - 40, best + 40))
    mean, *ends = (0.5 / (1 + np.exp(-logit)) for logit in (best, low, high))
    return Estimate(float(mean), float(ends[0]), float(ends[1]), x.size, Method.BETA)


def student_mean(values: Values) -> Estimate:
    """Return the mean of errors with Student's interval; unknown if one is not finite.

    >>> print(student_mean([1.0, 2.0, 3.0]))
    2 [0, 4.48] (n = 3)
    """
    x = np.asarray(values, float)
    if not np.isfinite(x).all():
        return Estimate(float("nan"), *UNKNOWN, x.size, Method.STUDENT)
    return student(x, 0.0, float("inf"))


def sparsity_mean(values: Values) -> Estimate:
    """Return the mean of sparsity errors.

    Unbounded weights may be further than 1/2 from -1, 0 and 1, where no beta distribution is: then
    it is the sample mean with Student's interval.

    >>> print(sparsity_mean([0.75, 0.75]))
    0.75 [0.75, 0.75] (n = 2)
    """
    x = np.asarray(values, float)
    if x.size and x.max() > 0.5:
        return student(x, 0.0, float("inf"))
    return replace(beta_mean(x), method=Method.BETA)


def _gamma_shape(excess: float) -> float:
    """Return the shape k with log k - ψ(k) equal to a number above 0."""
    from scipy.special import digamma

    above = max(excess, 1e-15)

    def difference(log_k: float) -> float:
        return log_k - float(digamma(np.exp(log_k))) - above

    return float(np.exp(_root(difference, -60.0, 60.0)))


def _beta_likelihood(logit: float, logs: tuple[float, float]) -> float:
    """Return the greatest mean log-likelihood with this mean, over all precisions."""
    from scipy.special import gammaln

    m, rest = 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(logit))

    def likelihood(log_v: float) -> float:
        a, b = m * np.exp(log_v), rest * np.exp(log_v)
        density = (a - 1) * logs[0] + (b - 1) * logs[1]
        return float(gammaln(a + b) - gammaln(a) - gammaln(b) + density)

    return _maximum(likelihood, -12.0, 60.0)[1]


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(f, low, high))  # pyright: ignore[reportArgumentType]


def _maximum(f: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return where a function is greatest, and how great."""
    from scipy.optimize import minimize_scalar

    found: Any = minimize_scalar(
        lambda at: -f(at), bounds=(low, high), method="bounded", options={"xatol": 1e-9}
    )
    return float(found.x), -float(found.fun)


def profile(
    likelihood: Callable[[float], float], best: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return where the likelihood has dropped to the ends of the interval, on both sides."""
    top = likelihood(best)

    def drop(at: float) -> float:
        value = 2 * (top - likelihood(at)) - DEVIANCE
        return value if isfinite(value) else 1e6

    ends = []
    for bound in bounds:
        width = (bound - best) / 2**12
        while abs(width) < abs(bound - best) and drop(best + width) < 0:
            width *= 2
        outside = best + width if drop(best + width) >= 0 else bound
        ends.append(_root(drop, best, outside) if drop(outside) >= 0 else outside)
    return ends[0], ends[1]
