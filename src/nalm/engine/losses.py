"""What training minimises, as pure functions of predictions `y` and targets `t`."""

from array_api_compat import array_namespace

from nalm._ops import EPS32, absolute
from nalm._types import Array


def mse(y: Array, t: Array) -> Array:
    """Return the mean squared error."""
    xp = array_namespace(y, t)
    return xp.mean((y - t) ** 2)


def mape(y: Array, t: Array) -> Array:
    """Return the mean absolute error relative to the target."""
    xp = array_namespace(y, t)
    return xp.mean(absolute(xp, (t - y) / t))


def pcc(y: Array, t: Array) -> Array:
    """Return 1 - r, with r the Pearson correlation of predictions and targets over the batch."""
    xp = array_namespace(y, t)

    def standardised(v: Array) -> Array:
        centred = v - xp.mean(v)
        variance = xp.mean(centred**2)
        floored = xp.where(variance > EPS32, variance, EPS32)
        return centred / (xp.sqrt(floored) + EPS32)

    return 1 - xp.mean(standardised(y) * standardised(t))
