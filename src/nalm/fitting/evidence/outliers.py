"""Rows that a law does not explain: single errors, which the other rows speak against."""

from dataclasses import dataclass
from typing import final

import numpy as np

from nalm.fitting.evidence.assess import even_residuals, explained, rounding_error
from nalm.fitting.evidence.refit import refit
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Tree

FAR = 5.0
"""How many standard deviations of the noise from a law a row is an outlier."""
SLACK = 2.0
"""How many times its rounding error a row may differ from an exact law.

The error is a probable one, and among very many rows some are less probable.
"""
MOST = 0.1
"""The largest share of the rows that may be outliers of a law."""
ROUNDS = 6
TRIMMED = 4.0
"""How many robust standard deviations from a formula rows are left out while it is fitted."""
DEVIATION = 1.4826


@final
@dataclass(frozen=True)
class Outlier:
    """A row that disagrees with a formula which fits the others.

    Parameters
    ----------
    row
        Which row of the table it is; the first is 0.
    value
        The result that the table gives.
    expected
        The result of the law.

    Examples
    --------
    >>> import numpy as np, nalm
    >>> X = np.random.default_rng(0).uniform(1, 3, (100, 2))
    >>> y = X[:, 0] * X[:, 1]
    >>> y[7] = 60.0
    >>> law = nalm.fit(X, y, ["a", "b"])
    >>> law.text(), law.verified, [outlier.row for outlier in law.outliers]
    ('a*b', True, [7])
    """

    row: int
    value: float
    expected: float

    @property
    def error(self) -> float:
        """By how much the value is larger than expected."""
        return self.value - self.expected


def far_rows(tree: Tree, rows: Rows, noise: float, epsilon: float) -> np.ndarray:
    """Return which rows a law does not explain, as indices; noise 0 is a law without noise."""
    if noise > 0:
        near = np.abs(even_residuals(tree, rows)) <= FAR * noise
    else:
        near = explained(tree, rows, epsilon, SLACK)
    return np.flatnonzero(~near & (rows.weight > 0))


def outliers_of(tree: Tree, rows: Rows, far: np.ndarray) -> tuple[Outlier, ...]:
    """Return the rows that a law does not explain, with what it expects."""
    expected = tree.evaluate(rows.x[far])
    pairs = zip(far, rows.y[far], expected, strict=True)
    return tuple(Outlier(int(row), float(y), float(law)) for row, y, law in pairs)


def counted(outliers: tuple[Outlier, ...]) -> str:
    """Return how many outliers there are, as the end of a sentence; nothing if there are none.

    >>> counted((Outlier(7, 60.0, 6.0),))
    '; 1 row is an outlier'
    """
    if not outliers:
        return ""
    return "; 1 row is an outlier" if len(outliers) == 1 else f"; {len(outliers)} rows are outliers"


def trimmed(tree: Tree, rows: Rows, epsilon: float) -> tuple[Tree, np.ndarray] | None:
    """Return a formula fitted to the rows near it, and the other rows; None if these are many."""
    most = int(MOST * len(rows))
    wrong = np.empty(0, int)
    for _ in range(ROUNDS):
        off = np.abs(even_residuals(tree, rows))
        typical = DEVIATION * float(np.median(off))
        allowed = rounding_error(tree, rows, epsilon)
        now = np.flatnonzero(~(off <= np.maximum(TRIMMED * typical, allowed)))
        if len(now) > most:
            return None
        if np.array_equal(now, wrong):
            break
        wrong = now
        tree, _ = refit(tree, rows.without(wrong), epsilon)
    return (tree, wrong) if len(wrong) else None
