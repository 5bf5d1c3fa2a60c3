"""Statistics of runs: no rate without its interval."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from nalm.engine.run import Curves
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


@dataclass(frozen=True)
class Outcome:
    """What one run came to, judged by the published rules."""

    success: bool
    """Whether the test error at the best validation error is below the threshold."""
    solved_at: int | None
    """The step of the first evaluation with a test error below the threshold."""
    sparsity: float
    """The sparsity error at the best validation error."""
    diverged: bool


def judge(curves: Curves, threshold: float, tail: int = 5000) -> Outcome:
    """Judge a run at the smallest validation error among its last `tail` evaluations."""
    start = max(0, len(curves.steps) - tail)
    validation = curves.validation[start:]
    finite = np.isfinite(validation)
    smallest = start + int(np.argmin(np.where(finite, validation, np.inf)))
    best = smallest if finite.any() else len(curves.steps) - 1
    below = np.flatnonzero(curves.test < threshold)
    return Outcome(
        success=bool(curves.test[best] < threshold),
        solved_at=int(curves.steps[below[0]]) if below.size else None,
        sparsity=float(curves.sparsity[best]),
        diverged=curves.diverged_at >= 0,
    )
