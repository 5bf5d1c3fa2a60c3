"""How many decimals a table was printed with, and the errors that leaves."""

import numpy as np

from nalm.fitting.rows import Split
from nalm.fitting.tree import Tree, columns_of

PLACES, PLACES_OF_COLUMNS = 9, 11
"""More decimals than that are not looked for, in results and in columns."""
FITTED = 2.0
"""By how much errors may be larger if numbers were fitted to such rows."""
FINE = 1e-4
"""The share of the spread of the results above which printing explains too much to mean anything.
"""


def printed_unit(values: np.ndarray, places: int = PLACES) -> float:
    """Return the unit of the last decimal that numbers are given with; 0 if they have all digits.

    >>> float(printed_unit(np.array([1.25, 3.5, 7.0])))
    0.01
    """
    for place in range(places):
        scaled = values * 10.0**place
        if np.all(np.abs(scaled - np.round(scaled)) <= 1e-12 * np.maximum(1e3, np.abs(scaled))):
            return 10.0**-place
    return 0.0


def is_printing(tree: Tree, split: Split) -> bool:
    """Whether the decimals that a table was printed with explain every error.

    Such errors are no noise of one size: they are larger where a column matters more.
    """
    parts = (split.seen, split.held_out)
    x, y = (np.concatenate([getattr(part, name) for part in parts]) for name in ("x", "y"))
    return bool(np.all(is_printed(tree, x, y)))


def is_printed(tree: Tree, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return which errors the decimals explain that columns and results were printed with."""
    units = {column: printed_unit(x[:, column], PLACES_OF_COLUMNS) for column in columns_of(tree)}
    if not any(units.values()):
        return np.zeros(len(y), bool)
    allowed = printed_unit(y, PLACES_OF_COLUMNS) / 2 + _moved(tree, x, units)
    allowed *= FITTED if tree.measured() else 1.0
    fine = np.median(allowed) <= FINE * np.std(y)
    return fine & (np.abs(tree.evaluate(x) - y) <= allowed)


def _moved(tree: Tree, x: np.ndarray, units: dict[int, float]) -> np.ndarray:
    """Return by how much a formula moves at most when columns move by half a unit."""
    value = tree.evaluate(x)
    total = np.zeros(len(x))
    for column, unit in units.items():
        moves = []
        for step in (-unit / 2, unit / 2):
            other = x.copy()
            other[:, column] += step
            moves.append(np.abs(tree.evaluate(other) - value))
        total += np.maximum(*moves)
    return total
