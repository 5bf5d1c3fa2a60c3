"""Whether a formula has a pole between the rows that no row shows."""

from collections.abc import Iterator

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.tree import PowerProduct, Tree

POINTS = 1000
"""The most points of the box at which a denominator is looked at."""
SHOWN = 0.1
"""The share of its usual size down to which a denominator comes in rows that show a pole."""


def has_hidden_pole(tree: Tree, rows: Rows) -> bool:
    """Whether a denominator is 0 inside the box of the rows, though no row comes near that.

    >>> from nalm.fitting.tree import ONE, Column, WeightedSum, power_of
    >>> difference = WeightedSum(((ONE, Column(0)), (-ONE, Column(1))))
    >>> apart = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0], [4.0, 5.0]])
    >>> has_hidden_pole(power_of(difference, -ONE), Rows(apart, apart[:, 0], np.ones(4)))
    True
    >>> near = np.array([[1.0, 2.0], [2.0, 2.01], [3.0, 2.5], [4.0, 5.0]])
    >>> has_hidden_pole(power_of(difference, -ONE), Rows(near, near[:, 0], np.ones(4)))
    False
    """
    box: np.ndarray | None = None
    for denominator in denominators(tree):
        values = denominator.evaluate(rows.x)
        if np.min(values) <= 0 <= np.max(values):
            continue
        if np.min(np.abs(values)) < SHOWN * np.median(np.abs(values)):
            continue
        box = _mixed(rows.x) if box is None else box
        if not np.all(denominator.evaluate(box) * values[0] > 0):
            return True
    return False


def denominators(tree: Tree) -> Iterator[Tree]:
    """Yield what a formula divides by."""
    for node in tree.walk():
        if isinstance(node, PowerProduct):
            yield from (factor for factor, power in node.factors if power < 0)


def _mixed(x: np.ndarray) -> np.ndarray:
    """Return points inside the box of the rows: every column of another row."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.choice(column, POINTS) for column in x.T])
