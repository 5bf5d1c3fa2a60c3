"""Exact relations between columns: `Σ p·φ = t Σ q·ψ`, the simplest that the rows fulfil.

Columns are ordered from simple to complex. The first that the columns before it give exactly, to
the rounding of the numbers, makes a relation, whose weights are then unique.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nalm.fitting.rows import DOUBLE
from nalm.fitting.tree import Tree

LIMIT = 1e-11
"""The distance of a unit column from those before it that is none, in double precision."""
TERMS = 14
"""The most terms of a relation."""
NEGLIGIBLE = 1e-7
"""The share of the largest term below which a term is rounding."""
DISTINCT = 1e-3
"""The least second-smallest singular value of a relation: imitations have smaller ones."""
REJECTED = 6
"""How many relations are refused before a set of columns is given up."""
EACH_ROW = 1e-7
"""The share of its terms by which a relation is wrong in a row at most."""
ROWS_PER_COLUMN, FEWEST_ROWS = 2.5, 200
MOST_COLUMNS = 170


@dataclass(frozen=True)
class Term:
    """A column that a relation may use: its values, the formula it is, and its complexity."""

    values: np.ndarray
    tree: Tree | None
    """None is the constant 1."""
    complexity: float


@dataclass(frozen=True)
class Relation:
    """`Σ weight · above = t Σ weight · below`."""

    above: tuple[tuple[float, Term], ...]
    below: tuple[tuple[float, Term], ...]


def relation(
    above: Sequence[Term], below: Sequence[Term], t: np.ndarray, epsilon: float
) -> Relation | None:
    """Return the simplest relation between columns and the multiples of t; None if none holds."""
    marked = [(term, False) for term in above] + [(term, True) for term in below]
    marked.sort(key=lambda each: (each[0].complexity + each[1], each[1]))
    if len(marked) > MOST_COLUMNS:
        return None
    with np.errstate(all="ignore"):
        matrix = np.column_stack(
            [-t * term.values if is_below else term.values for term, is_below in marked]
        )
        scale = np.abs(t) + np.median(np.abs(t)) + 1e-300
        matrix = matrix / scale[:, None]
    finite = np.all(np.isfinite(matrix), axis=1)
    rows = max(FEWEST_ROWS, int(ROWS_PER_COLUMN * len(marked)))
    some = np.flatnonzero(finite)
    if len(some) < max(len(marked) + 10, 0.9 * len(t)):
        return None
    some = some[np.linspace(0, len(some) - 1, min(rows, len(some))).astype(int)]
    matrix = matrix[some]
    norms = np.sqrt(np.sum(matrix**2, axis=0))
    used = [k for k in range(len(marked)) if np.isfinite(norms[k]) and norms[k] > 0]
    limit = LIMIT * max(1.0, epsilon / DOUBLE)
    for _ in range(REJECTED):
        unit = matrix[:, used] / norms[used]
        triangle = np.asarray(np.linalg.qr(unit, mode="r"))
        dependent = np.flatnonzero(np.abs(np.diag(triangle)) < limit)
        if not len(dependent):
            return None
        last = int(dependent[0])
        found = _pruned(unit, triangle, last, limit)
        if found is not None:
            chosen, weights = found
            parts = [
                (float(w / norms[used[k]]), *marked[used[k]])
                for k, w in zip(chosen, weights, strict=True)
            ]
            over = tuple((w, term) for w, term, is_below in parts if not is_below)
            under = tuple((w, term) for w, term, is_below in parts if is_below)
            if over and under and _holds_everywhere(unit[:, chosen] * weights):
                return Relation(over, under)
        del used[last]
    return None


def _holds_everywhere(terms: np.ndarray) -> bool:
    """Whether a relation holds on almost every row by itself, not only where terms are large."""
    share = np.abs(terms.sum(axis=1)) / (np.abs(terms).sum(axis=1) + 1e-300)
    return bool(np.quantile(share, 0.95) < EACH_ROW)


def _pruned(
    unit: np.ndarray, triangle: np.ndarray, last: int, limit: float
) -> tuple[list[int], np.ndarray] | None:
    """Return the columns of the relation that ends with column `last`, and their weights."""
    inner = np.linalg.solve(triangle[:last, :last], triangle[:last, last]) if last else np.empty(0)
    sizes = np.abs(np.append(inner, -1.0))
    chosen = [int(k) for k in np.flatnonzero(sizes > NEGLIGIBLE * sizes.max())]
    for _ in range(3):
        if len(chosen) > TERMS or len(chosen) < 2:
            return None
        _, singular, directions = np.linalg.svd(unit[:, chosen], full_matrices=False)
        if singular[-1] > limit or singular[-2] < DISTINCT:
            return None
        weights = directions[-1]
        kept = np.abs(weights) > NEGLIGIBLE
        if kept.all():
            return chosen, weights
        chosen = [k for k, keep in zip(chosen, kept, strict=True) if keep]
    return None
