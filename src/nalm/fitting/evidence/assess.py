"""How near a formula is to some rows, and how long its description is."""

from dataclasses import dataclass

import numpy as np

from nalm.fitting.evidence.poles import denominators
from nalm.fitting.median import median
from nalm.fitting.rows import DOUBLE, Rows
from nalm.fitting.tree import Tree

ALLOWANCE = 5.0
"""How many rounding errors a residual may have."""
COARSEST = 0.1
"""The share of the result beyond which rounding explains nothing: 0/0 could be any number."""
NEGLIGIBLE = 0.01
"""The share of the usual residual below which rounding makes a row no less certain."""
OUTPUT = 0.4
"""The share of `epsilon` of itself that the rounding of a result alone leaves on average."""


@dataclass(frozen=True)
class Candidate:
    """A formula with its error on the rows it was fitted to, and the length of its description."""

    tree: Tree
    rms: float
    """The root of the mean squared residual."""
    floor: float
    """The residual that the rounding of the results, and our own, leaves at least."""
    length: float
    """Bits of the formula and of the residuals."""
    exact: bool
    """Whether rounding explains the residual of every row it was fitted to."""
    uncertainty: float = 0.0
    """The largest standard error of a measured number, as a share of the number."""


def residuals(tree: Tree, rows: Rows) -> np.ndarray:
    """Return predicted minus true for each row; infinite where the formula has no value."""
    residual = tree.evaluate(rows.x) - rows.y
    return np.where(np.isfinite(residual), residual, np.inf)


def even_residuals(tree: Tree, rows: Rows) -> np.ndarray:
    """Return the residuals, made alike in size where the errors of the results are known."""
    return residuals(tree, rows) / (1.0 if rows.scale is None else rows.scale)


def rounding_error(tree: Tree, rows: Rows, epsilon: float) -> np.ndarray:
    """Return the residual of each row that rounding explains."""
    value, rounding = tree.evaluate_with_rounding(rows.x, epsilon)
    rounding = rounding + epsilon * np.abs(value)
    most = COARSEST * (np.abs(value) + rows.usual)
    allowed = ALLOWANCE * rounding
    return np.where(allowed <= most, allowed, 0.0)


def explained(tree: Tree, rows: Rows, epsilon: float, slack: float = 1.0) -> np.ndarray:
    """Return which rows a formula explains, but for so many times the rounding of numbers."""
    near = np.abs(residuals(tree, rows)) <= slack * rounding_error(tree, rows, epsilon)
    return near & ~at_pole(tree, rows, epsilon)


def at_pole(tree: Tree, rows: Rows, epsilon: float) -> np.ndarray:
    """Return the rows at which rounding alone keeps a denominator from 0.

    There a formula has no value; what is computed, 0 over almost 0, could be any number.
    """
    found = np.zeros(len(rows), bool)
    for denominator in denominators(tree):
        value, rounding = denominator.evaluate_with_rounding(rows.x, epsilon)
        found |= np.abs(value) <= ALLOWANCE * rounding
    return found


def coarseness(allowed: np.ndarray) -> np.ndarray:
    """Return by how much each row counts less, because rounding alone makes it uncertain.

    It is 1 for most rows; a result that is huge, or a difference of huge numbers, is coarse.
    """
    typical = median(allowed)
    return np.maximum(1.0, allowed / (10 * typical)) if typical > 0 else np.ones(len(allowed))


def noise_rms(tree: Tree, rows: Rows, epsilon: float) -> float:
    """Return the root of the mean squared residual of a formula in noise.

    A row counts less only where its rounding is not negligible beside the usual residual.
    """
    residual = residuals(tree, rows)
    share = _share(rows, residual, rounding_error(tree, rows, epsilon))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(share @ residual**2))


def _share(rows: Rows, residual: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return how much each row counts."""
    usual = median(np.abs(residual))
    coarse = np.where(allowed > NEGLIGIBLE * usual, coarseness(allowed), 1.0)
    return rows.weight / np.sum(rows.weight) / coarse**2


def assess(tree: Tree, rows: Rows, epsilon: float) -> Candidate:
    """Return a formula with its error and its description length on some rows."""
    residual = residuals(tree, rows)
    allowed = rounding_error(tree, rows, epsilon)
    exact = bool(np.all(np.abs(residual) <= allowed)) and not np.any(at_pole(tree, rows, epsilon))
    share = _share(rows, residual, allowed)
    with np.errstate(over="ignore", invalid="ignore"):
        rms = float(np.sqrt(share @ residual**2))
    own = allowed / ALLOWANCE * (DOUBLE / epsilon)
    floor = float(np.sqrt(share @ ((OUTPUT * epsilon * rows.y) ** 2 + own**2)))
    if not np.isfinite(rms):
        return unusable(tree, floor)
    scale = rows.size or 1.0
    lowest = max(rms, floor, 1e-300)
    precision = 4 + 0.5 * np.log2(len(rows)) + max(0.0, np.log2(scale / lowest))
    length = len(rows) * np.log2(lowest) + tree.bits(rows.x.shape[1], float(precision))
    return Candidate(tree, rms, floor, float(length), exact)


def unusable(tree: Tree, floor: float) -> Candidate:
    """Return a formula that has no value for some row: infinitely far and long."""
    return Candidate(tree, np.inf, floor, np.inf, False)
