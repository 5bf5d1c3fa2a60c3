"""Whether what was measured agrees with what is published, by their intervals."""

from enum import StrEnum
from math import inf, isnan

from nalm.sweeps.statistics.estimate import Interval


class Verdict(StrEnum):
    """What a comparison with a published value says."""

    AGREES = "agrees"
    DIFFERS = "differs"
    INCOMPARABLE = "not comparable"


def verdict(ours: Interval, published: Interval) -> Verdict:
    """Return whether two intervals overlap.

    Bounds of the published one that are unknown are no bounds; where all are, or ours is unknown,
    nothing can be said.

    >>> str(verdict(Interval(0.27, 0.63), Interval(0.48, 0.83)))
    'agrees'
    >>> str(verdict(Interval(0.0, 0.13), Interval(0.87, 1.0)))
    'differs'
    """
    if (isnan(published.low) and isnan(published.high)) or isnan(ours.low):
        return Verdict.INCOMPARABLE
    low = -inf if isnan(published.low) else published.low
    high = inf if isnan(published.high) else published.high
    apart = ours.low > high or ours.high < low
    return Verdict.DIFFERS if apart else Verdict.AGREES
