"""The published estimates as they were computed, flaws and all, to compare like with like.

The published code fits a beta distribution with mean 2μ to sparsity errors that it does not double,
so its means are half of the true ones wherever it does not fall back to the sample mean.
"""

from nalm.stats.intervals import SMALLEST, Estimate, Values, beta_mean


def published_sparsity(values: Values) -> Estimate:
    """Return the mean sparsity error as the published code has it: a beta mean on x, halved.

    >>> published_sparsity([0.25, 0.25])  # nearly equal values: the sample mean, not halved
    Estimate(mean=0.25, interval=Interval(low=0.25, high=0.25))
    """
    import numpy as np

    x = np.clip(np.asarray(values, float), SMALLEST, 0.5 - SMALLEST)
    return beta_mean(values) if x.size < 2 or x.std(ddof=1) <= 1e-10 else beta_mean(x / 2)
