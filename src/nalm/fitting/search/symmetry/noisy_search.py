"""The search in a reduced table with noise: functions as columns for the search of arithmetic.

Symmetries say which columns matter. Functions of them are added as columns, and sums and quotients
of these are fitted to the result over its factor; rows weigh as much as their error means for the
original result. What comes out is fitted and verified on the original table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.families.quotients import quotients
from nalm.fitting.search.families.sparse_sums import sparse_sums
from nalm.fitting.search.result_powers import RESULT_POWERS
from nalm.fitting.search.symmetry.bases import arguments, function
from nalm.fitting.search.symmetry.inversions import Inversion, inversions
from nalm.fitting.search.symmetry.reduced_table import ReducedTable
from nalm.fitting.search.symmetry.relations import Term
from nalm.fitting.tree import Column, Tree
from nalm.fitting.tree.functions import COS, EXP, LOG, SIN

MONOMIALS = 120
"""The most monomials that are tried beside functions."""
DEGREES = (
    ((1, 1), (1, 1)), ((2, 1), (1, 1)), ((2, 2), (1, 2)), ((2, 2), (2, 2)),
)  # fmt: skip
"""The degrees of quotients beside functions."""
COLUMNS = 3
"""The most columns of a reduced table that functions are added to."""
STEEP = 40.0
ROWS = 500


@dataclass(frozen=True)
class NoisySearch:
    """A reduced table whose rows have weights."""

    table: ReducedTable
    weight: np.ndarray
    """The weight of each row in the original table."""
    allowed: frozenset[str]
    epsilon: float
    stop: Callable[[], bool]

    def of_columns(self) -> Iterator[Tree]:
        """Yield formulas near the rows that have a function of the result at most."""
        for inversion in self._inversions():
            if self._is_small and not self.stop():
                yield from self._fitted(self._columns(), inversion)

    def of_functions(self) -> Iterator[Tree]:
        """Yield formulas near the rows with functions of the columns."""
        if not self._is_small:
            return
        columns = self._columns()
        for added, replaced in self._functions():
            kept = [c for i, c in enumerate(columns) if i not in replaced]
            inverted = ("plain", "sin", "cos", "tan") if replaced else ("plain",)
            for inversion in self._inversions(*inverted):
                if self.stop():
                    return
                yield from self._fitted([*kept, *added], inversion)

    @property
    def _is_small(self) -> bool:
        return 1 <= self.table.x.shape[1] <= COLUMNS

    def _columns(self) -> list[Term]:
        x = self.table.x
        return [Term(x[:, i], Column(i), 1.0) for i in range(x.shape[1])]

    def _inversions(self, *names: str) -> Iterator[Inversion]:
        for inversion in inversions(self.table.y, self.allowed):
            if inversion.name != "square" and (not names or inversion.name in names):
                yield inversion

    def _functions(self) -> Iterator[tuple[list[Term], frozenset[int]]]:
        """Yield functions to add, and the columns that stand inside them alone."""
        known = arguments(self.table.x)
        if self.table.x.shape[1] == COLUMNS:
            known = known[:COLUMNS]
        for of in known:
            alone = of.columns if len(of.columns) == 1 else frozenset[int]()
            if {"sin", "cos"} <= self.allowed and np.ptp(of.values) > 0.3:
                yield [function(of, COS), function(of, SIN)], alone
        for of in known:
            if "exp" in self.allowed and np.max(np.abs(of.values)) < STEEP:
                yield [function(of, EXP, 1.0)], frozenset()
            if "log" in self.allowed and np.all(of.values > 0) and len(of.columns) == 1:
                yield [function(of, LOG)], frozenset()

    def _fitted(self, columns: list[Term], inversion: Inversion) -> Iterator[Tree]:
        """Yield sums and quotients of some columns."""
        parts = [term.tree for term in columns if term.tree is not None]
        rows = self._rows(columns, inversion)
        if rows is None:
            return
        powers = RESULT_POWERS if inversion.name == "plain" else RESULT_POWERS[:1]
        for found in (sparse_sums(rows, MONOMIALS, powers), quotients(rows, self.epsilon, DEGREES)):
            for tree in found:
                yield self.table.original(inversion.undone(tree.composed(parts)))

    def _rows(self, columns: list[Term], inversion: Inversion) -> Rows | None:
        """Return the rows of a function of the result, each as heavy as its error means for it."""
        values = np.column_stack([term.values for term in columns])
        slope = inversion.slope(self.table.y)
        weight = self.weight * (self.table.factors / slope) ** 2
        good = np.all(np.isfinite(values), axis=1) & np.isfinite(inversion.t) & (weight > 0)
        good &= np.isfinite(weight)
        if good.sum() < max(20, 0.9 * len(good)):
            return None
        some = np.flatnonzero(good)
        some = some[np.linspace(0, len(some) - 1, min(ROWS, len(some))).astype(int)]
        return Rows(values[some], inversion.t[some], weight[some] / np.mean(weight[some]))
