"""Sums of a few monomials, seen through a power of the result: every pair is tried."""

from collections.abc import Iterator

import numpy as np

from nalm.fitting.closed import SEEN_THROUGH, powered, seen_through
from nalm.fitting.monomials import Powers, columns, laurent, tree_of
from nalm.fitting.table import Table
from nalm.fitting.tree import ZERO, Number, Sum, Tree

MOST = 1300
"""The most monomials of a library."""
ROWS = 400
"""The most rows that are looked at."""
PAIRS = 40
"""How many of the best pairs are looked at closely."""
TERMS = 5
"""The most monomials of a sum."""


def sparse_sums(table: Table) -> Iterator[Tree]:
    """Yield the best sums of one to five monomials for each power of the result."""
    monomials = laurent(table.x.shape[1], MOST)
    part = table.rows(np.linspace(0, len(table) - 1, min(len(table), ROWS)).astype(int))
    values = columns(part.x, monomials)
    finite = np.all(np.isfinite(values), axis=0)
    monomials = [m for m, good in zip(monomials, finite, strict=True) if good]
    values = values[:, finite]
    for power, undo in SEEN_THROUGH:
        seen = seen_through(part, power)
        if seen is None:
            continue
        target, root = seen
        for chosen, weights in _chosen(values * root[:, None], target):
            yield powered(_sum(chosen, weights, monomials), undo)


def _sum(chosen: list[int], weights: np.ndarray, monomials: list[Powers]) -> Sum:
    constant: Number = ZERO
    terms: list[tuple[Number, Tree]] = []
    for k, weight in zip(chosen, weights, strict=True):
        if monomials[k]:
            terms.append((float(weight), tree_of(monomials[k])))
        else:
            constant = float(weight)
    return Sum(tuple(terms), constant)


def _chosen(values: np.ndarray, target: np.ndarray) -> Iterator[tuple[list[int], np.ndarray]]:
    """Yield the best column, the best pair, and what grows out of the best pairs."""
    with np.errstate(over="ignore"):
        norms = np.sqrt(np.sum(values**2, axis=0))
    good = np.flatnonzero((norms > 0) & np.isfinite(norms))
    if not len(good):
        return
    unit = values[:, good] / norms[good]
    along = unit.T @ target
    best = int(np.argmax(np.abs(along)))
    yield [int(good[best])], np.array([along[best] / norms[good[best]]])
    if len(good) < 2 or len(target) < 4:
        return
    ranked = _solved(unit, target, _best_pairs(unit, along))
    for _ in range(2, TERMS + 1):
        squares, chosen, weights = ranked[0]
        yield [int(good[k]) for k in chosen], weights / norms[good[chosen]]
        if squares <= 1e-24 * float(target @ target) or len(chosen) + 2 > len(target):
            return
        ranked = _grown(unit, target, [chosen for _, chosen, _ in ranked[:6]])


Ranked = list[tuple[float, list[int], np.ndarray]]


def _best_pairs(unit: np.ndarray, along: np.ndarray) -> list[list[int]]:
    gram = unit.T @ unit
    free = 1 - gram**2
    with np.errstate(all="ignore"):
        explained = (
            along[:, None] ** 2 + along[None, :] ** 2 - 2 * np.outer(along, along) * gram
        ) / free
    explained[free < 1e-12] = -np.inf
    explained[np.tril_indices(len(along))] = -np.inf
    flat = np.argpartition(-explained.ravel(), min(PAIRS, explained.size - 1))[:PAIRS]
    return [[int(k) for k in np.unravel_index(f, explained.shape)] for f in flat]


def _solved(unit: np.ndarray, target: np.ndarray, sets: list[list[int]]) -> Ranked:
    found: Ranked = []
    for chosen in sets:
        weights = np.linalg.lstsq(unit[:, chosen], target, rcond=None)[0]
        off = target - unit[:, chosen] @ weights
        found.append((float(off @ off), chosen, weights))
    return sorted(found, key=lambda entry: (entry[0], entry[1]))


def _grown(unit: np.ndarray, target: np.ndarray, sets: list[list[int]]) -> Ranked:
    """Return the sets with the columns added that explain most of what they leave."""
    larger: set[tuple[int, ...]] = set()
    for chosen in sets:
        basis, _ = np.linalg.qr(unit[:, chosen])
        rest = target - basis @ (basis.T @ target)
        free = unit - basis @ (basis.T @ unit)
        norms = np.sqrt(np.sum(free**2, axis=0))
        with np.errstate(all="ignore"):
            gain = np.where(norms > 1e-7, (free.T @ rest) ** 2 / norms**2, -np.inf)
        for k in np.argsort(-gain, kind="stable")[:5]:
            if int(k) not in chosen:
                larger.add(tuple(sorted([*chosen, int(k)])))
    return _solved(unit, target, [list(s) for s in sorted(larger)])
