"""Formulas that need no search: one unit, and one unit seen through a power of the result."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from nalm.fitting.table import Table
from nalm.fitting.tree import ONE, ZERO, Input, Number, Product, Sum, Tree

HALF = Fraction(1, 2)
SEEN_THROUGH = (
    (ONE, ONE), (Fraction(2), HALF), (-ONE, -ONE), (HALF, Fraction(2)), (Fraction(-2), -HALF),
)  # fmt: skip
"""Powers of the result that may be a sum, and what undoes each."""
NEGLIGIBLE = 1e-4
"""The share of a sum below which a weight is left out at first."""


def closed_forms(table: Table) -> Iterator[Tree]:
    """Yield a constant, sums, one monomial, and powers of sums."""
    yield Sum((), float(np.average(table.y, weights=table.weight)))
    yield from sums(table, ONE, ONE)
    yield from monomials(table)
    for power, undo in SEEN_THROUGH[1:]:
        yield from sums(table, power, undo)


def sums(table: Table, power: Fraction, undo: Fraction) -> Iterator[Tree]:
    """Yield `(w·x)^undo` and `(w·x + c)^undo`, fitted to `y^power`."""
    seen = seen_through(table, power)
    if seen is None:
        return
    target, root = seen
    columns = np.column_stack([table.x, np.ones(len(table))])
    for width in (table.x.shape[1], table.x.shape[1] + 1):
        weights = least_squares(columns[:, :width] * root[:, None], target)
        if weights is None:
            continue
        kept = np.abs(weights) * np.max(np.abs(columns[:, :width]), axis=0, initial=0.0)
        terms = [
            (float(weights[i]), Input(i))
            for i in range(table.x.shape[1])
            if kept[i] > NEGLIGIBLE * np.max(kept)
        ]
        constant: Number = float(weights[-1]) if width > table.x.shape[1] else ZERO
        yield powered(Sum(tuple(terms), constant), undo)


def seen_through(table: Table, power: Fraction) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the weighted target `y^power` and the weight of each row, to fit columns to it.

    A row weighs as much as its error means for y. None if some result has no such power, or the
    power no slope there.
    """
    root = np.sqrt(table.weight)
    if power == 1:
        return table.y * root, root
    if np.any(table.y == 0) or (power == HALF and np.any(table.y < 0)):
        return None
    with np.errstate(all="ignore"):
        root = root / np.abs(float(power) * table.y ** (float(power) - 1))
        return table.y ** float(power) * root, root


def powered(tree: Tree, power: Number) -> Tree:
    """Return a power of a tree."""
    return tree if power == 1 else Product(((tree, power),))


def least_squares(columns: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """Return the weights of the columns that come nearest to the target.

    With fewer rows than a safe number, few columns are chosen one after the other.
    """
    finite = np.all(np.isfinite(columns), axis=1) & np.isfinite(target)
    columns, target = columns[finite], target[finite]
    if len(target) < 2:
        return None
    norms = np.sqrt(np.sum(columns**2, axis=0))
    norms = np.where(norms > 0, norms, 1.0)
    scaled = columns / norms
    if scaled.shape[1] > 0.9 * len(target):
        return _chosen(scaled, target) / norms
    return np.linalg.lstsq(scaled, target, rcond=None)[0] / norms


def _chosen(columns: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return weights of at most a third as many columns as rows, by orthogonal matching."""
    chosen: list[int] = []
    rest = target
    weights = np.zeros(columns.shape[1])
    smallest = 1e-12 * float(np.linalg.norm(target))
    for _ in range(max(1, len(target) // 3)):
        chosen.append(int(np.argmax(np.abs(columns.T @ rest))))
        inner = np.linalg.lstsq(columns[:, chosen], target, rcond=None)[0]
        rest = target - columns[:, chosen] @ inner
        if np.linalg.norm(rest) <= smallest:
            break
    weights[chosen] = np.linalg.lstsq(columns[:, chosen], target, rcond=None)[0]
    return weights


def monomials(table: Table) -> Iterator[Tree]:
    """Yield `c · Π x^w`: least squares between logarithms, the sign by the parity of the powers."""
    usable = np.all(table.x != 0, axis=1) & (table.y != 0)
    rows = table.rows(usable)
    if len(rows) < 3:
        return
    root = np.sqrt(rows.weight)[:, None]
    columns = np.column_stack([np.log(np.abs(rows.x)), np.ones(len(rows))]) * root
    found = least_squares(columns, np.log(np.abs(rows.y)) * root[:, 0])
    if found is None:
        return
    powers, scale = found[:-1], float(np.exp(np.clip(found[-1], -600, 600)))
    discrete = np.round(2 * powers) / 2
    near = np.abs(powers - discrete) < 0.2
    for exact in (True, False):
        factors = []
        for i, power in enumerate(powers):
            if exact and near[i]:
                chosen: Number = Fraction(round(2 * float(power)), 2)
            else:
                chosen = float(power)
            if abs(chosen) > 1e-3:
                factors.append((Input(i), chosen))
        product = Product(tuple(factors))
        odd = np.sum((rows.x < 0) * (np.round(powers) % 2), axis=1) % 2
        sign = np.sign(rows.y) * (1 - 2 * odd)
        yield Sum(((scale * float(np.sign(np.sum(sign)) or 1.0), product),))
        if not near.any():
            return
