"""The published estimates as they were computed, flaws and all, to compare like with like.

The published code fits a beta distribution with mean 2μ to sparsity errors that it does not double,
so its means are half of the true ones wherever it does not fall back to the sample mean.

It fits a gamma distribution to the steps of solved-at by mean and variance, numbers of such
different size that its optimizer, which is not told so, leaves the variance at that of the sample.
The mean then moves to where that variance suits it, away from the sample mean, which is the most
likely one.
"""

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np

from nalm.sweeps.statistics.estimate import Estimate, Interval, Method
from nalm.sweeps.statistics.intervals import SMALLEST, Values, beta_mean, profile, student

DIFFERENCE = 1e-3
"""How far apart, to each side, the optimizer takes the values of its numerical gradients."""
TOLERANCE = 1e7 * float(np.finfo(float).eps)
"""The relative decrease at which the optimizer stops."""
PROFILE_DEVIANCE = 10.596634733096073
"""How far a profile goes: the 99.5 % point of χ² with two degrees of freedom."""
BETTER = 1e-3
"""The decrease of the deviance from which on a profile begins anew."""
LEAST_VARIANCE = 1e-5
ROUNDS = 1000
"""The most fits; each is better than the one before, and published data take up to 20."""


def published_sparsity(values: Values) -> Estimate:
    """Return the mean sparsity error as the published code has it: a beta mean on x, halved.

    >>> print(published_sparsity([0.25, 0.25]))  # nearly equal values: the sample mean, not halved
    0.25 [0.25, 0.25] (n = 2)
    """
    x = np.clip(np.asarray(values, float), SMALLEST, 0.5 - SMALLEST)
    equal = x.size < 2 or x.std(ddof=1) <= 1e-10
    return replace(beta_mean(values if equal else x / 2), method=Method.AUTHORS)


def published_solved_at(values: Values) -> Estimate:
    """Return the mean of solved-at as the published code has it: that of a fit that stopped early.

    L-BFGS-B fits mean and variance from those of the sample. Then the likelihood is profiled over
    means a step apart; where one is better, the fit begins anew from there. Numbers below 1 count
    as 1; where all are equal, or fewer than two, it is the sample mean with Student's interval.

    From the authors' results of each run it gives the 21 means they published to seven digits, and
    their intervals to 0.3 %, which they interpolate.

    >>> round(published_solved_at([1_000, 2_000, 9_000]).value)  # the sample mean is 4000
    4640
    """
    x = np.maximum(np.asarray(values, float), 1.0)
    if x.size < 2 or x.std(ddof=1) <= 1e-5:
        return replace(student(values, 0.0, float("inf")), method=Method.AUTHORS)
    mean, variance = float(x.mean()), float(x.var(ddof=1))
    for _ in range(ROUNDS):
        mean, variance = _stopped_early(x, mean, variance)
        better = _better_mean(x, mean, variance)
        if better is None:
            break
        mean = better
    return Estimate(mean, *_interval(x, mean, variance), x.size, Method.AUTHORS)


def _gamma_loss(x: np.ndarray, mean: float, variance: float) -> float:
    """Return the negative log-likelihood of a gamma distribution; infinity outside its bounds."""
    from scipy.special import gammaln

    if mean <= 0 or variance <= 0:
        return float("inf")
    shape, rate = mean**2 / variance, mean / variance
    logs = shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(x) - rate * x
    return -float(np.sum(logs))


def _stopped_early(x: np.ndarray, mean: float, variance: float) -> tuple[float, float]:
    """Return mean and variance where the optimizer of the published code leaves them."""
    from scipy.optimize import minimize

    lowest = np.array([0.0, LEAST_VARIANCE])

    def loss(at: np.ndarray) -> float:
        return _gamma_loss(x, float(at[0]), float(at[1]))

    def gradient(at: np.ndarray) -> np.ndarray:
        slopes = []
        for step in DIFFERENCE * np.eye(2):
            above, below = at + step, np.maximum(at - step, lowest)
            slopes.append((loss(above) - loss(below)) / float(np.sum(above - below)))
        return np.array(slopes)

    found = minimize(
        loss,
        np.array([mean, variance]),
        jac=gradient,
        method="L-BFGS-B",
        bounds=[(low, None) for low in lowest],
        options={"ftol": TOLERANCE, "gtol": 0.0, "maxiter": 100, "maxcor": 5},
    )
    return float(found.x[0]), float(found.x[1])


def _better_mean(x: np.ndarray, mean: float, variance: float) -> float | None:
    """Return the first mean of the profile with a clearly greater likelihood, if there is one."""
    error = _standard_error(x, mean, variance)
    best = _gamma_loss(x, mean, variance)
    for side in (-1, 1):
        deviance, at = 0.0, mean
        while error and deviance < PROFILE_DEVIANCE:
            at += side * sqrt(PROFILE_DEVIANCE) / 5 * error
            deviance = 2 * (_gamma_loss(x, at, variance) - best)
            if deviance < -BETTER:
                return at
    return None


def _standard_error(x: np.ndarray, mean: float, variance: float) -> float:
    """Return the standard error of the mean from the curvature along it; 0 where there is none."""
    from scipy.special import digamma, polygamma

    shape, slope = mean**2 / variance, 2 * mean / variance
    excess = np.log(mean / variance) + 0.5 - digamma(shape) + np.log(x).mean()
    bend = 2 / variance * excess + slope * (1 / mean - slope * polygamma(1, shape))
    curvature = -x.size * float(bend)
    return 1 / sqrt(curvature) if curvature > 0 else 0.0


def _interval(x: np.ndarray, mean: float, variance: float) -> Interval:
    """Return the means whose deviance from the fit, its variance kept, is that of 95 %."""

    def likelihood(log_mean: float) -> float:
        return -_gamma_loss(x, exp(log_mean), variance)

    low, high = profile(likelihood, log(mean), (log(mean) - 50, log(mean) + 50))
    return Interval(exp(low), exp(high))
