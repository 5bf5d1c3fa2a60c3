"""What a run came to, judged by the published rules."""

from dataclasses import dataclass

import numpy as np

from nalm.training.run import Curves


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to."""

    success: bool
    """Whether the test error at the best validation error is below the threshold."""
    solved_at: int | None
    """The step of the first evaluation with a test error below the threshold."""
    sparsity: float
    """The sparsity error at the best validation error; NaN where the model has none."""
    test: float
    """The test error at the best validation error."""
    diverged: bool
    equal: bool | None = None
    """Whether the formula it learnt is its target, by algebra; None where none is compared."""


RULES = 1
"""The version of the rules by which runs are judged; what was judged by another is judged anew."""
TAIL, LONG_TAIL = 5000, 15_000
"""How many of its last evaluations a run is judged by, as published, and a longer run."""


def best_evaluation(curves: Curves) -> int:
    """Return which evaluation has the smallest validation error, of those that print looks at."""
    evaluations = len(curves.steps)
    start = max(0, evaluations - (TAIL if evaluations <= TAIL + 1 else LONG_TAIL))
    validation = curves.validation[start:]
    finite = np.isfinite(validation)
    smallest = start + int(np.argmin(np.where(finite, validation, np.inf)))
    return smallest if finite.any() else evaluations - 1


def judge(curves: Curves, threshold: float, *, sparse: bool = True) -> Outcome:
    """Judge a run at the smallest validation error among the evaluations that print looks at.

    A model that is not `sparse` has no discrete weights: a sparsity error that was stored for it
    means nothing.
    """
    best = best_evaluation(curves)
    below = np.flatnonzero(curves.test < threshold)
    return Outcome(
        success=bool(curves.test[best] < threshold),
        solved_at=int(curves.steps[below[0]]) if below.size else None,
        sparsity=float(curves.sparsity[best]) if sparse else float("nan"),
        test=float(curves.test[best]),
        diverged=curves.diverged_at >= 0,
    )
