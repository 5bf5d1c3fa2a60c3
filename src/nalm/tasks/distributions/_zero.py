"""Whether numbers come near zero, seen from samples."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from nalm.tasks.distributions._distribution import Distribution

EDGE = 2.0**-24
"""The uniform number next to 0 that training draws."""
POINTS = 4097
HALVINGS = 60
NEAR = 1e-6
"""How small a number is, beside the median, to count as near zero."""


def comes_near_zero(distribution: "Distribution") -> bool:
    """Tell whether the first two inputs may be zero or change their sign without a gap."""
    ends = np.linspace(EDGE, 1 - EDGE, POINTS)
    rng = np.random.default_rng(0)
    first = [ends, rng.permutation(ends)]
    x = np.asarray(distribution.inputs(np, first), np.float64)
    if np.min(np.abs(x)) <= NEAR * np.median(np.abs(x)):
        return True
    changes = np.flatnonzero(x[0][:-1] * x[0][1:] < 0)
    return any(_crosses(distribution, *ends[i : i + 2]) for i in changes)


def _crosses(distribution: "Distribution", low: float, high: float) -> bool:
    """Tell whether the first input goes through zero between two uniform numbers."""

    def value(u: float) -> float:
        other = np.array([0.5])
        return float(np.asarray(distribution.inputs(np, [np.array([u]), other])[0])[0])

    scale = max(abs(value(low)), abs(value(high)))
    negative = value(low) < 0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = value(middle)
        if abs(at) <= NEAR * scale:
            return True
        low, high = (middle, high) if (at < 0) == negative else (low, middle)
    return False
