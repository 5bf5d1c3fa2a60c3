"""How a formula does at the edge of the data: a look outside the range it was fitted in."""

from dataclasses import dataclass

import numpy as np

from nalm.fitting.law import Law
from nalm.fitting.refine import refit
from nalm.fitting.table import DOUBLE, Table
from nalm.fitting.tree import evaluate, inputs_of

SHARE = 0.1
"""The share of the rows that is the edge."""
FEWEST = 20
"""The fewest rows that have an edge."""
MOST = 5000
"""The most inner rows to which measured numbers are fitted again."""


@dataclass(frozen=True)
class EdgeTest:
    """Errors of a formula on the outermost rows and on the others.

    A row is as far out as the most extreme of its inputs that the formula uses. Measured numbers
    are fitted again to the inner rows alone, so the outer rows are outside what they were fitted
    to; the form of the formula was found with some of them in sight.
    """

    inner_rows: int
    outer_rows: int
    inner_error: float
    outer_error: float
    """The root of the mean squared residual; infinite where the formula has no value."""
    measured: int
    """How many numbers were fitted again."""

    @property
    def refitted(self) -> str:
        """What is to be said about the measured numbers."""
        return ", to which alone its measured numbers were fitted" if self.measured else ""


def edge_test(law: Law, x: np.ndarray, y: np.ndarray) -> EdgeTest | None:
    """Return the errors inside and at the edge; None if rows or inputs are too few."""
    used = sorted(inputs_of(law.tree))
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
    tree, errors = refit(law.tree, Table(x[some], y[some], np.ones(len(some))), DOUBLE)
    with np.errstate(all="ignore"):
        off = evaluate(tree, x) - y
    return EdgeTest(len(inner), len(outer), _rms(off[inner]), _rms(off[outer]), len(errors))


def _rms(off: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        value = float(np.sqrt(np.mean(off**2)))
    return value if np.isfinite(value) else np.inf
