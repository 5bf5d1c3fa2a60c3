"""What training minimises, as pure functions of predictions `y` and targets `t`."""

from collections.abc import Callable

from array_api_compat import array_namespace

from nalm._ops import EPS32, absolute
from nalm._types import Array


def squared_error(y: Array, t: Array) -> Array:
    """Return the squared error of each sample."""
    return (y - t) ** 2


def absolute_error(y: Array, t: Array) -> Array:
    """Return the absolute error of each sample."""
    xp = array_namespace(y, t)
    return absolute(xp, y - t)


def relative_error(y: Array, t: Array) -> Array:
    """Return the absolute error of each sample, relative to its target."""
    xp = array_namespace(y, t)
    return absolute(xp, (t - y) / t)


def huber_error(y: Array, t: Array) -> Array:
    """Return half the squared error of each sample where it is below 1, else its size less 1/2."""
    xp = array_namespace(y, t)
    size = absolute(xp, y - t)
    return xp.where(size < 1, 0.5 * (y - t) ** 2, size - 0.5)


def mse(y: Array, t: Array) -> Array:
    """Return the mean squared error."""
    xp = array_namespace(y, t)
    return xp.mean(squared_error(y, t))


def mae(y: Array, t: Array) -> Array:
    """Return the mean absolute error, also called L1."""
    xp = array_namespace(y, t)
    return xp.mean(absolute_error(y, t))


def mape(y: Array, t: Array) -> Array:
    """Return the mean absolute error relative to the target."""
    xp = array_namespace(y, t)
    return xp.mean(relative_error(y, t))


def huber(y: Array, t: Array) -> Array:
    """Return the mean Huber loss, also called smooth L1."""
    xp = array_namespace(y, t)
    return xp.mean(huber_error(y, t))


def pcc(y: Array, t: Array) -> Array:
    """Return 1 - r, with r the Pearson correlation of predictions and targets over the batch."""
    xp = array_namespace(y, t)

    def standardised(v: Array) -> Array:
        centred = v - xp.mean(v)
        variance = xp.mean(centred**2)
        floored = xp.where(variance > EPS32, variance, EPS32)
        return centred / (xp.sqrt(floored) + EPS32)

    return 1 - xp.mean(standardised(y) * standardised(t))


LOSSES: dict[str, Callable[[Array, Array], Array]] = {
    "mse": mse,
    "mae": mae,
    "mape": mape,
    "huber": huber,
    "pcc": pcc,
}
"""The losses of a batch, by name."""
PER_SAMPLE: dict[str, Callable[[Array, Array], Array]] = {
    "mse": squared_error,
    "mae": absolute_error,
    "mape": relative_error,
    "huber": huber_error,
}
"""The losses that are means of a term of each sample, by name."""
