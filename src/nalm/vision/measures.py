"""How many digits and results are right, by every rule that a paper uses."""

from typing import NamedTuple

import numpy as np

from nalm.tasks import Target

DECIMALS = 5
"""To how many decimals a quotient must agree, as published."""


class Readings(NamedTuple):
    """What a network made of samples."""

    values: np.ndarray
    """(samples, digits): the digits it read, as numbers in float32."""
    likeliest: np.ndarray
    """(samples, digits): the digits of the largest logits."""
    outputs: np.ndarray
    """(samples,): the results in float32."""


def targets_of(target: Target, digits: np.ndarray) -> np.ndarray:
    """Return the results of digits (samples, digits), in float32 as networks compute."""
    return target.perfect(digits.astype(np.float64)).astype(np.float32)


def accuracies(readings: Readings, digits: np.ndarray, target: Target) -> dict[str, float]:
    """Return the shares of digits and results that are right, and the mean squared error.

    Exact is equality of float32 numbers. Rounded is equality with the nearest whole number, and
    decimals to five of them. Argmax takes the likeliest digits: mixtures of two digits may round
    to a right one.

    Examples
    --------
    >>> from nalm.tasks import Subsets
    >>> read = Readings(np.array([[3.0, 2.1]], "f4"), np.array([[3, 2]]), np.array([6.3], "f4"))
    >>> found = accuracies(read, np.array([[3, 2]]), Subsets("mul"))
    >>> found["output exact"], found["output rounded"], found["digit 1 exact"]
    (0.0, 1.0, 1.0)
    """
    wanted = targets_of(target, digits)
    outputs = readings.outputs.astype(np.float32)
    found = {}
    for k in range(digits.shape[1]):
        mine, value = digits[:, k], readings.values[:, k]
        found[f"digit {k + 1} exact"] = _share(value == mine.astype(np.float32))
        found[f"digit {k + 1} rounded"] = _share(np.rint(value) == mine)
        found[f"digit {k + 1} argmax"] = _share(readings.likeliest[:, k] == mine)
    found["output exact"] = _share(outputs == wanted)
    found["output rounded"] = _share(np.rint(outputs) == wanted)
    found["output decimals"] = _share(np.round(outputs, DECIMALS) == np.round(wanted, DECIMALS))
    found["output argmax"] = _share(targets_of(target, readings.likeliest) == wanted)
    with np.errstate(over="ignore"):
        found["mse"] = float(np.mean((outputs.astype(np.float64) - wanted) ** 2))
    return found


def _share(right: np.ndarray) -> float:
    return float(np.mean(right))


def confusion(readings: Readings, digits: np.ndarray) -> np.ndarray:
    """Return how often each digit (row) was read as each (column), rounded; (digits, 10, 10)."""
    found = np.zeros((digits.shape[1], 10, 10), np.int64)
    read = np.clip(np.rint(np.nan_to_num(readings.values)), 0, 9).astype(np.int64)
    for k in range(digits.shape[1]):
        np.add.at(found[k], (digits[:, k], read[:, k]), 1)
    return found
