"""Symmetries in noise: a table is made smaller as long as a smooth model of it stays as good.

Slopes only propose what may be a symmetry. Whether it is one shows the smaller table: if the model
of fewer columns expects unseen rows as well as before, they are enough.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import gcd

import numpy as np

from nalm.fitting.search.symmetry.reduced_table import ReducedTable
from nalm.fitting.search.symmetry.smoothing import Smooth, smooth
from nalm.fitting.search.symmetry.symmetries import Scaling, Translation

ROWS = 1000
"""The most rows that are modelled."""
MOST = 9
"""The most columns of a table."""
TOGETHER, RESULT = 3, 6
"""How many columns are scaled at once, and the largest power of the result, at most."""
SCALINGS, TRANSLATIONS = 8, 3
"""How many proposals of each kind are looked at."""
AS_GOOD = 1.005
"""How many times as large as before the error of a smaller table may be."""
NEAR_BEST = 1.02
"""The same beside the best table of all, for those that are searched."""
BEAM, TABLES = 3, 3
"""How many tables of each size are made smaller, and how many are searched at most."""


@dataclass(frozen=True)
class _State:
    table: ReducedTable
    model: Smooth

    @property
    def length(self) -> float:
        """How long it takes to write its columns and what they leave of the results."""
        trees = (*self.table.parts, self.table.factor)
        powers = [Fraction(power) for tree in trees for power in tree.powers()]
        effort = float(sum(abs(p) + 2 * (p.denominator - 1) for p in powers))
        return effort + len(self.model.values) * float(np.log(self.model.error + 1e-300))


def noisy_reductions(
    table: ReducedTable, weight: np.ndarray, most: int, stop: Callable[[], bool]
) -> list[ReducedTable]:
    """Return tables with fewest columns, at most so many, that describe the results as well."""
    if table.x.shape[1] > MOST:
        return []
    some = np.linspace(0, len(weight) - 1, min(ROWS, len(weight))).astype(int)
    first = _state(table, weight, some)
    states, beam = [] if first is None else [first], [] if first is None else [first]
    known: set[object] = set()
    while beam and not stop():
        smaller = []
        for state in beam:
            for each in _smaller(state, some):
                if each.key in known or not each.x.shape[1]:
                    continue
                known.add(each.key)
                found = _state(each, weight, some)
                if found is not None and found.model.error < AS_GOOD * state.model.error:
                    smaller.append(found)
        beam = sorted(smaller, key=lambda state: state.length)[:BEAM]
        states += beam
    return _chosen([state for state in states if state.table.x.shape[1] <= most], states)


def _chosen(small: list[_State], states: list[_State]) -> list[ReducedTable]:
    """Return the shortest of the tables with fewest columns, if their model is good enough."""
    best = min((state.model.error for state in states), default=0.0)
    good = [state for state in small if state.model.error < NEAR_BEST * best]
    fewest = min((state.table.x.shape[1] for state in good), default=0)
    fitting = [state for state in good if state.table.x.shape[1] == fewest]
    return [state.table for state in sorted(fitting, key=lambda s: s.length)[:TABLES]]


def _state(table: ReducedTable, weight: np.ndarray, some: np.ndarray) -> _State | None:
    """Return a table with its model, whose errors are those of the original result."""
    with np.errstate(all="ignore"):
        heavy = (weight * table.factors**2)[some]
        if not np.all(np.isfinite(heavy)) or not np.all(np.isfinite(table.x)):
            return None
        model = smooth(table.x[some], table.y[some], heavy)
    if model is None:
        return None
    scale = float(np.sqrt(np.mean(heavy) / np.mean(weight[some])))
    return _State(table, Smooth(model.values, scale * model.error, model.slopes))


def _smaller(state: _State, some: np.ndarray) -> Iterator[ReducedTable]:
    """Yield the tables that have one column less by a probable symmetry."""
    table, model = state.table, state.model
    if table.x.shape[1] < 2:
        return
    with np.errstate(all="ignore"):
        for by in _scalings(table.x, table.x[some] * model.slopes, model.values):
            yield table.scaled(by)
        for by in _translations(model.slopes):
            yield table.translated(by)


def _translations(slopes: np.ndarray) -> list[Translation]:
    """Return the pairs of columns whose slopes differ least, but for the sign."""
    found = []
    sizes = np.mean(slopes**2, axis=0)
    for i, j in combinations(range(slopes.shape[1]), 2):
        for sign in (1, -1):
            apart = np.mean((slopes[:, i] - sign * slopes[:, j]) ** 2)
            found.append(Translation(i, j, sign, float(apart / (sizes[i] + sizes[j] + 1e-300))))
    return sorted(found, key=lambda each: each.flatness)[:TRANSLATIONS]


def _scalings(x: np.ndarray, slopes: np.ndarray, result: np.ndarray) -> Iterator[Scaling]:
    """Yield the scalings of simple powers that change the model least."""
    matrix = np.column_stack([slopes, -result])
    square = matrix.T @ matrix
    powers = _directions(x.shape[1])
    changed = np.einsum("ki,ij,kj->k", powers, square, powers)
    apart = changed / (powers**2 @ np.diag(square) + 1e-300)
    nonzero = (np.min(x, axis=0) > 0) | (np.max(x, axis=0) < 0)
    positive = np.min(x, axis=0) > 0
    for k in np.argsort(apart, kind="stable")[:SCALINGS]:
        by = _by_pivot([int(p) for p in powers[k]], nonzero, positive)
        if by is not None:
            yield by


def _by_pivot(powers: list[int], nonzero: np.ndarray, positive: np.ndarray) -> Scaling | None:
    """Return a scaling written by the column that gives the shortest powers."""
    *columns, result = powers
    found = []
    for pivot, power in enumerate(columns):
        if power == 0 or not nonzero[pivot]:
            continue
        others = tuple((j, (Fraction(p, power),)) for j, p in enumerate(columns) if j != pivot)
        by = Scaling((pivot,), (Fraction(result, power),), others)
        whole = by.result[0].denominator == 1 and all(p.denominator == 1 for _, (p,) in others)
        if whole or positive[pivot]:
            found.append(by)
    return min(found, key=lambda by: by.effort, default=None)


@cache
def _directions(columns: int) -> np.ndarray:
    """Return simple powers of a few columns and of the result, one direction a row."""
    found = []
    for count in range(1, min(columns, TOGETHER) + 1):
        for chosen in combinations(range(columns), count):
            for powers in product((-2, -1, 1, 2), repeat=count):
                if powers[0] > 0:
                    for result in range(-RESULT, RESULT + 1):
                        if gcd(*powers, result) == 1:
                            row = np.zeros(columns + 1)
                            row[list(chosen)], row[-1] = powers, result
                            found.append(row)
    return np.array(found)
