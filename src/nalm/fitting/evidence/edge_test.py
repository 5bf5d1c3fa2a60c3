"""The edge test: the error of a formula outside the range that its numbers were fitted to."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nalm.fitting.evidence.refit import never, refit
from nalm.fitting.rows import DOUBLE, Rows
from nalm.fitting.tree import Tree, columns_of

SHARE = 0.1
"""The share of the rows that is the edge."""
FEWEST = 20
"""The fewest rows that have an edge."""
MOST = 5000
"""The most inner rows to which measured numbers are fitted again."""


@dataclass(frozen=True)
class EdgeTest:
    """Errors of a formula on the outermost rows and on the others.

    A row is as far out as the most extreme of the columns that the formula uses. Measured numbers
    are fitted again to the inner rows alone, so the outer rows are outside what they were fitted
    to. The search for the form of the formula saw some of the outer rows.
    """

    inner_rows: int
    outer_rows: int
    inner_error: float
    outer_error: float
    """The root of the mean squared residual; infinite where the formula has no value."""
    measured: int
    """How many numbers were fitted again."""

    @property
    def refitted(self) -> bool:
        """Whether the formula has measured numbers, which were fitted to the inner rows alone."""
        return self.measured > 0


def edge_test(
    tree: Tree, x: np.ndarray, y: np.ndarray, stop: Callable[[], bool] = never
) -> EdgeTest | None:
    """Return the errors inside and at the edge; None if rows, inputs or the time are too few."""
    used = sorted(columns_of(tree))
    if not used or len(y) < FEWEST:
        return None
    distance = np.zeros(len(y))
    for column in used:
        values = x[:, column]
        spread = np.ptp(values) or 1.0
        np.maximum(distance, np.abs(values - np.median(values)) / spread, out=distance)
    order = np.argsort(-distance, kind="stable")
    outer, inner = np.split(order, [max(1, int(SHARE * len(y)))])
    some = inner[np.linspace(0, len(inner) - 1, min(len(inner), MOST)).astype(int)]
    with np.errstate(all="ignore"):
        inside = Rows(x[some], y[some], np.ones(len(some)))
        tree, errors = refit(tree, inside, DOUBLE, stop=stop)
        if len(errors) and stop():
            return None
        residual = tree.evaluate(x) - y
    return EdgeTest(
        len(inner), len(outer), _rms(residual[inner]), _rms(residual[outer]), len(errors)
    )


def _rms(residual: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        value = float(np.sqrt(np.mean(residual**2)))
    return value if np.isfinite(value) else np.inf
