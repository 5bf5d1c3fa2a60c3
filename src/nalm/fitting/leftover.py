"""Whether what a formula leaves of the results is noise."""

import numpy as np

from nalm.fitting.refine import residuals
from nalm.fitting.table import Table
from nalm.fitting.tree import Tree, evaluate, inputs_of

MOST_INPUTS = 8
"""The most inputs that residuals are tested against."""
ROWS_PER_CELL, MOST_CELLS = 12, 64
"""The fewest rows in a part of the space, and the most parts."""


def structure_left(tree: Tree, table: Table) -> float:
    """Return the probability that what a formula leaves is noise, by four kinds of test.

    Residuals must not depend on a polynomial of the inputs, on the part of the space a row is in,
    on the neighbour along an input or the prediction, nor on the nearest other row.
    """
    off = residuals(tree, table)
    off = off - off.mean()
    used = table.x[:, sorted(inputs_of(tree))][:, :MOST_INPUTS]
    rest = table.x[:, [i for i in range(table.x.shape[1]) if i not in inputs_of(tree)]]
    used = np.column_stack([used, rest[:, : max(0, MOST_INPUTS - used.shape[1])]])
    used = used[:, np.ptp(used, axis=0) > 0]
    scaled = (used - used.mean(axis=0)) / used.std(axis=0)
    probabilities = [
        _explained_by(_polynomial(scaled)[:, : len(off) // 5], off),
        _explained_by(_cells(scaled), off),
        *(_neighbours(off, order) for order in (evaluate(tree, table.x), *used.T)),
        _nearest(off, scaled),
    ]
    return min(1.0, min(probabilities) * len(probabilities))


def _polynomial(x: np.ndarray) -> np.ndarray:
    pairs = [x[:, i] * x[:, j] for i in range(x.shape[1]) for j in range(i)]
    return np.column_stack([x, x**2, x**3, *pairs])


def _cells(x: np.ndarray) -> np.ndarray:
    """Return indicators of parts of the space, each cut at medians until it has few rows."""
    parts = [np.arange(len(x))]
    axis = 0
    while len(parts[0]) >= 2 * ROWS_PER_CELL and len(parts) < MOST_CELLS:
        cut = []
        for rows in parts:
            order = rows[np.argsort(x[rows, axis], kind="stable")]
            cut += [order[: len(order) // 2], order[len(order) // 2 :]]
        parts, axis = cut, (axis + 1) % x.shape[1]
    indicators = np.zeros((len(x), len(parts)))
    for k, rows in enumerate(parts):
        indicators[rows, k] = 1
    return indicators[:, 1:]


def _explained_by(features: np.ndarray, off: np.ndarray) -> float:
    """Return the probability, without dependence, that features explain so much."""
    from scipy.special import fdtrc

    rows = len(off)
    if not features.shape[1]:
        return 1.0
    basis, _ = np.linalg.qr(np.column_stack([np.ones(rows), features]))
    count = basis.shape[1] - 1
    explained = float(np.sum((basis.T @ off) ** 2))
    rest = max(float(off @ off) - explained, 1e-300)
    return float(fdtrc(count, rows - count - 1, explained / count / (rest / (rows - count - 1))))


def _neighbours(off: np.ndarray, order: np.ndarray) -> float:
    from scipy.special import erfc

    along = off[np.argsort(order, kind="stable")]
    together = float(along[1:] @ along[:-1]) / float(off @ off) * np.sqrt(len(off))
    return float(erfc(abs(together) / np.sqrt(2)))


def _nearest(off: np.ndarray, x: np.ndarray) -> float:
    """Return the probability that a row and the one nearest to it agree so much by chance."""
    from scipy.spatial import KDTree
    from scipy.special import erfc

    nearest = np.asarray(KDTree(x).query(x, k=2)[1])[:, 1]
    product = off * off[nearest]
    spread = float(np.sqrt(np.sum(product**2))) or 1.0
    together = float(np.sum(product)) / (spread * np.sqrt(1.6))
    return float(erfc(max(together, 0.0) / np.sqrt(2)))
