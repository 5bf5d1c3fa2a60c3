"""Sums of one to five monomials, or a power of one: every pair of monomials is tried."""

from collections.abc import Iterator

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.search.monomials import Powers, columns, laurent, tree_of
from nalm.fitting.search.result_powers import RESULT_POWERS, ResultPowers, raised_result
from nalm.fitting.tree import ZERO, Number, Tree, WeightedSum, power_of

MOST = 1300
"""The most monomials that are tried."""
ROWS = 400
"""The most rows that are looked at."""
PAIRS = 40
"""How many of the best pairs are looked at closely."""
RIVALS, CHANCE = 6, 12.0
"""How many other pairs are yielded, if they leave at most this many more rows' squares."""
SEVERAL = 3
"""The number of monomials of other sums that are yielded in the same way."""
FREE = 1e-13
"""The squared share of a column that others leave free if it can be told from their sum."""
TERMS = 5
"""The most monomials of a sum."""


Ranked = list[tuple[float, list[int], np.ndarray]]


class SparseSums(Family):
    """Sums of a few products of small powers of the columns."""

    name = "sums of monomials"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        yield Stage(self.name, sparse_sums(problem.rows))


def sparse_sums(
    rows: Rows,
    most: int = MOST,
    powers: ResultPowers = RESULT_POWERS,
    *,
    thorough: bool = False,
) -> Iterator[Tree]:
    """Yield the best sums of one to five monomials for each power of the result.

    A thorough search also exchanges single monomials of a sum, and yields more sums that noise
    does not decide between.
    """
    monomials = laurent(rows.x.shape[1], most)
    part = rows.take(np.linspace(0, len(rows) - 1, min(len(rows), ROWS)).astype(int))
    values = columns(part.x, monomials)
    finite = np.all(np.isfinite(values), axis=0)
    monomials = [m for m, good in zip(monomials, finite, strict=True) if good]
    values = values[:, finite]
    for power, undo in powers:
        raised = raised_result(part, power)
        if raised is None:
            continue
        target, root = raised
        for chosen, weights in _chosen(values * root[:, None], target, thorough):
            yield power_of(_sum(chosen, weights, monomials), undo)


def _sum(chosen: list[int], weights: np.ndarray, monomials: list[Powers]) -> WeightedSum:
    constant: Number = ZERO
    terms: list[tuple[Number, Tree]] = []
    for k, weight in zip(chosen, weights, strict=True):
        if monomials[k]:
            terms.append((float(weight), tree_of(monomials[k])))
        else:
            constant = float(weight)
    return WeightedSum(tuple(terms), constant)


def _chosen(
    values: np.ndarray, target: np.ndarray, thorough: bool
) -> Iterator[tuple[list[int], np.ndarray]]:
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
    for chosen, weights in _as_good(ranked, len(target)):
        yield [int(good[k]) for k in chosen], weights / norms[good[chosen]]
    for _ in range(2, TERMS + 1):
        if not ranked:
            return
        squares, chosen, weights = ranked[0]
        if thorough and len(chosen) == SEVERAL:
            ranked = _exchanged(unit, target, ranked)
            squares, chosen, weights = ranked[0]
            for rival, rest in _as_good(ranked, len(target)):
                yield [int(good[k]) for k in rival], rest / norms[good[rival]]
        yield [int(good[k]) for k in chosen], weights / norms[good[chosen]]
        if len(chosen) > 3:
            _, fewer, rest = _solved(unit, target, _without_one(chosen))[0]
            yield [int(good[k]) for k in fewer], rest / norms[good[fewer]]
        if squares <= 1e-24 * float(target @ target) or len(chosen) + 2 > len(target):
            return
        near = [chosen for _, chosen, _ in ranked[:6]]
        if thorough:
            near += [chosen for chosen, _ in _as_good(ranked, len(target))]
        ranked = _grown(unit, target, near)


def _as_good(ranked: Ranked, rows: int) -> Iterator[tuple[list[int], np.ndarray]]:
    """Yield the sets that noise cannot tell from the best, those of the first columns first."""
    most = ranked[0][0] * (1 + CHANCE / rows) if ranked else 0.0
    near = sorted((chosen for squares, chosen, _ in ranked[1:] if squares <= most), key=sum)
    by_set = {tuple(chosen): weights for _, chosen, weights in ranked}
    for chosen in near[:RIVALS]:
        yield chosen, by_set[tuple(chosen)]


def _exchanged(unit: np.ndarray, target: np.ndarray, ranked: Ranked) -> Ranked:
    """Return the sets, and the best of them with one column exchanged, until none is better."""
    while True:
        others = _grown(unit, target, _without_one(ranked[0][1]))
        known = {tuple(chosen) for _, chosen, _ in ranked}
        more = [entry for entry in others if tuple(entry[1]) not in known]
        if not more:
            return ranked
        best, ranked = ranked[0][0], sorted([*ranked, *more], key=lambda e: (e[0], e[1]))
        if not ranked[0][0] < best:
            return ranked


def _without_one(chosen: list[int]) -> list[list[int]]:
    """Return the sets with one column less: a larger set may hold the law and one too many."""
    return [[k for k in chosen if k != left_out] for left_out in chosen]


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
        residual = target - unit[:, chosen] @ weights
        found.append((float(residual @ residual), chosen, weights))
    return sorted(found, key=lambda entry: (entry[0], entry[1]))


def _grown(unit: np.ndarray, target: np.ndarray, sets: list[list[int]]) -> Ranked:
    """Return the sets with the columns added that explain most of what they leave."""
    larger: set[tuple[int, ...]] = set()
    for chosen in sets:
        basis, _ = np.linalg.qr(unit[:, chosen])
        rest = target - basis @ (basis.T @ target)
        free = 1 - np.sum((basis.T @ unit) ** 2, axis=0)
        with np.errstate(all="ignore"):
            gain = np.where(free > FREE, (unit.T @ rest) ** 2 / free, -np.inf)
        for k in np.argsort(-gain, kind="stable")[:5]:
            if int(k) not in chosen:
                larger.add(tuple(sorted([*chosen, int(k)])))
    return _solved(unit, target, [list(s) for s in sorted(larger)])
