"""The values of an axis: between two ends, so many or so far apart."""

from typing import Any

import numpy as np

from nalm._internal.checks import check_number, shown
from nalm.errors import InputError

MOST = 1001
"""The most values of an axis: a picture has no more pixels."""


def axis(ends: Any, points: Any, name: str = "ends") -> np.ndarray:
    """Return so many values, evenly from one end to the other; `name` is that of the ends.

    >>> axis((0, 1), 3)
    array([0. , 0.5, 1. ])
    """
    low, high = checked_ends(ends, name)
    whole = isinstance(points, int) and not isinstance(points, bool)
    if not whole or not 2 <= points <= MOST:
        raise InputError(f"points is a whole number from 2 to {MOST}; received {shown(points)}.")
    return np.linspace(low, high, points)


def stepped_axis(ends: Any, step: Any, name: str = "ends") -> np.ndarray:
    """Return values from one end to the other that are so far apart, or nearly so.

    >>> stepped_axis((0, 1), 0.5)
    array([0. , 0.5, 1. ])
    """
    low, high = checked_ends(ends, name)
    least, most = (high - low) / (MOST - 1), high - low
    check_number("step", step, f"from {least:g} to {most:g}", lambda s: least * 0.999 <= s <= most)
    return np.linspace(low, high, round((high - low) / step) + 1)


def checked_ends(ends: Any, name: str = "ends") -> tuple[float, float]:
    """Return the two ends of an axis."""
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        low = high = np.nan
    if not (low < high and np.isfinite(high - low)):
        raise InputError(f"{name} are two numbers, the smaller first; received {shown(ends)}.")
    return low, high
