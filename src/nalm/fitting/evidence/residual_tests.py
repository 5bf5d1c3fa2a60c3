"""Whether the residuals of a formula look random: tests of what they depend on."""

import numpy as np

from nalm.fitting.evidence.assess import even_residuals
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Tree, columns_of

MOST_COLUMNS = 8
"""The most columns that residuals are tested against."""
ROWS_PER_CELL, MOST_CELLS = 12, 64
"""The fewest rows in a part of the space, and the most parts."""


def chance_of_residuals(tree: Tree, rows: Rows) -> float:
    """Return how probable such residuals are if they are random, by four kinds of test.

    Residuals must not depend on a polynomial of the columns, on the part of the space a row is in,
    on the neighbor along a column or the prediction, nor on the nearest other row.
    """
    residual = even_residuals(tree, rows)
    residual = residual - residual.mean()
    used = rows.x[:, sorted(columns_of(tree))][:, :MOST_COLUMNS]
    others = [i for i in range(rows.x.shape[1]) if i not in columns_of(tree)]
    rest = rows.x[:, others]
    used = np.column_stack([used, rest[:, : max(0, MOST_COLUMNS - used.shape[1])]])
    used = used[:, np.ptp(used, axis=0) > 0]
    if not used.shape[1]:
        return 1.0
    scaled = (used - used.mean(axis=0)) / used.std(axis=0)
    probabilities = [
        _explained_by(_polynomial(scaled)[:, : len(residual) // 5], residual),
        _explained_by(_cells(scaled), residual),
        *(_neighbors(residual, order) for order in (tree.evaluate(rows.x), *used.T)),
        _nearest(residual, scaled),
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


def _explained_by(features: np.ndarray, residual: np.ndarray) -> float:
    """Return the probability, without dependence, that features explain so much."""
    from scipy.special import fdtrc

    rows = len(residual)
    if not features.shape[1]:
        return 1.0
    basis, _ = np.linalg.qr(np.column_stack([np.ones(rows), features]))
    count = basis.shape[1] - 1
    explained = float(np.sum((basis.T @ residual) ** 2))
    rest = max(float(residual @ residual) - explained, 1e-300)
    return float(fdtrc(count, rows - count - 1, explained / count / (rest / (rows - count - 1))))


def _neighbors(residual: np.ndarray, order: np.ndarray) -> float:
    from scipy.special import erfc

    along = residual[np.argsort(order, kind="stable")]
    together = float(along[1:] @ along[:-1]) / float(residual @ residual) * np.sqrt(len(residual))
    return float(erfc(abs(together) / np.sqrt(2)))


def _nearest(residual: np.ndarray, x: np.ndarray) -> float:
    """Return the probability that a row and the one nearest to it agree so much by chance."""
    from scipy.spatial import KDTree
    from scipy.special import erfc

    nearest = np.asarray(KDTree(x).query(x, k=2)[1])[:, 1]
    product = residual * residual[nearest]
    spread = float(np.sqrt(np.sum(product**2))) or 1.0
    together = float(np.sum(product)) / (spread * np.sqrt(1.6))
    return float(erfc(max(together, 0.0) / np.sqrt(2)))
