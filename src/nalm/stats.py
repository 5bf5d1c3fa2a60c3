"""Statistics of runs: no rate without its interval."""

from math import sqrt
from typing import NamedTuple

from nalm.errors import InputError

Z95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


class Interval(NamedTuple):
    """A 95 % confidence interval."""

    low: float
    high: float


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
