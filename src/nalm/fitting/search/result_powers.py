"""A result that is a root or a power of a sum: the sum is fitted to a power of the result."""

from fractions import Fraction

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.tree import HALF, ONE

ResultPowers = tuple[tuple[Fraction, Fraction], ...]
RESULT_POWERS: ResultPowers = (
    (ONE, ONE), (Fraction(2), HALF), (-ONE, -ONE), (HALF, Fraction(2)), (Fraction(-2), -HALF),
)  # fmt: skip
"""Powers of the result that may be a sum, each with the power that undoes it."""


def raised_result(rows: Rows, power: Fraction) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the weighted target `y^power` and the weight of each row, to fit columns to it.

    A row weighs as much as its error means for y. None if some result has no such power, or the
    power no slope there.
    """
    root = np.sqrt(rows.weight)
    if power == 1:
        return rows.y * root, root
    if np.any(rows.y == 0) or (power == HALF and np.any(rows.y < 0)):
        return None
    with np.errstate(all="ignore"):
        root = root / np.abs(float(power) * rows.y ** (float(power) - 1))
        return rows.y ** float(power) * root, root
