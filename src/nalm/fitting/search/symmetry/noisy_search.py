"""The search in a reduced table with noise: functions as columns for the search of arithmetic.

Symmetries say which columns matter. Functions of them are added as columns, and sums and quotients
of these are fitted to the result over its factor; rows weigh as much as their error means for the
original result. What comes out is fitted and verified on the original table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.families.quotients import quotients
from nalm.fitting.search.families.sparse_sums import sparse_sums
from nalm.fitting.search.result_powers import RESULT_POWERS, ResultPowers
from nalm.fitting.search.symmetry.bases import arguments, function
from nalm.fitting.search.symmetry.inversions import Inversion, inversions, powered
from nalm.fitting.search.symmetry.noisy_frequencies import HIGHEST, noisy_frequencies
from nalm.fitting.search.symmetry.reduced_table import ReducedTable
from nalm.fitting.search.symmetry.relations import Term
from nalm.fitting.search.symmetry.smoothing import smooth
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
KEPT, SMALL = 0.8, 0.01
"""The share of results that keep a limit, and how near to the limit the others are moved."""
ROWS = 500
MULTIPLES, BEST = 5, 2
"""Of how many arguments unknown multiples are looked for, and how many are searched."""


@dataclass(frozen=True)
class _Inverted:
    """A function of smooth results."""

    result: np.ndarray
    inversion: Inversion


def _within_limits(result: np.ndarray) -> Iterator[np.ndarray]:
    """Yield smooth results, and the same within the limits that almost all of them keep.

    Where such a limit is, functions are so steep that a row counts almost nothing.
    """
    yield result
    sign = np.sign(np.median(result))
    if np.mean(result * sign > 0) > KEPT:
        yield sign * np.maximum(result * sign, SMALL * np.median(np.abs(result)))
    if np.mean(np.abs(result) < 1) > KEPT:
        yield np.clip(result, SMALL - 1, 1 - SMALL)


@dataclass(frozen=True)
class NoisySearch:
    """A reduced table whose rows have weights."""

    table: ReducedTable
    weight: np.ndarray
    """The weight of each row in the original table."""
    allowed: frozenset[str]
    epsilon: float
    stop: Callable[[], bool]

    @cached_property
    def _model(self) -> tuple[np.ndarray, np.ndarray]:
        """The results without most of their noise, and its size in each row.

        A function of noisy results is biased, and may have no value where noise changes a sign.
        """
        table = self.table
        heavy = self.weight * table.factors**2
        model = smooth(table.x, table.y, heavy)
        if model is None:
            return table.y, np.zeros(len(table.y))
        return model.values, model.error * np.sqrt(np.mean(heavy) / heavy)

    def of_columns(self) -> Iterator[Tree]:
        """Yield formulas near the rows that have a function of the result at most."""
        for by in self._inversions():
            if self._is_small and not self.stop():
                columns = self._columns()
                if by.inversion.name == "log":
                    columns += self._logarithms()  # which become powers
                yield from self._fitted(columns, by)

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

    def of_multiples(self) -> Iterator[Tree]:
        """Yield formulas near the rows with functions of unknown multiples of the columns."""
        if self.table.x.shape[1] not in HIGHEST:
            return
        columns = self._columns()
        known = arguments(self.table.x)[:MULTIPLES]
        for by in self._inversions("plain", "log"):
            for power, undo in self._powers(by):
                rows = None if self.stop() else self._rows(columns, by, power, len(self.table.y))
                if rows is None or len(rows) < len(self.table.y):
                    continue
                found = noisy_frequencies(self.table.x, known, rows, self.allowed)
                for each in found[:BEST]:
                    yield from self._of([*columns, *each.terms()], by, power, undo)

    @property
    def _is_small(self) -> bool:
        return 1 <= self.table.x.shape[1] <= COLUMNS

    def _columns(self) -> list[Term]:
        x = self.table.x
        return [Term(x[:, i], Column(i), 1.0) for i in range(x.shape[1])]

    def _logarithms(self) -> list[Term]:
        known = arguments(self.table.x)[: self.table.x.shape[1]]
        return [function(of, LOG) for of in known if np.all(of.values > 0)]

    def _inversions(self, *names: str) -> Iterator["_Inverted"]:
        known = {"square"}
        for result in _within_limits(self._model[0]):
            for inversion in inversions(result, self.allowed):
                if inversion.name not in known and (not names or inversion.name in names):
                    known.add(inversion.name)
                    yield _Inverted(result, inversion)

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

    def _fitted(self, columns: list[Term], by: "_Inverted") -> Iterator[Tree]:
        """Yield sums and quotients of some columns."""
        for power, undo in self._powers(by):
            yield from self._of(columns, by, power, undo)

    def _powers(self, by: "_Inverted") -> ResultPowers:
        return RESULT_POWERS if by.inversion.name == "plain" else RESULT_POWERS[:1]

    def _of(
        self, columns: list[Term], by: "_Inverted", power: Fraction, undo: Fraction
    ) -> Iterator[Tree]:
        parts = [term.tree for term in columns if term.tree is not None]
        rows = self._rows(columns, by, power, ROWS)
        if rows is None:
            return
        found = [sparse_sums(rows, MONOMIALS, RESULT_POWERS[:1], thorough=True)]
        if power == 1:
            found.append(quotients(rows, self.epsilon, DEGREES))
        for tree in chain.from_iterable(found):
            law = powered(tree.composed(parts), undo)
            yield self.table.original(by.inversion.undone(law))

    def _rows(
        self, columns: list[Term], by: "_Inverted", power: Fraction, most: int
    ) -> Rows | None:
        """Return the rows of a function of the result, each as heavy as its error means for it.

        The noise is that of the result times the slope of the function.
        """
        values = np.column_stack([term.values for term in columns])
        with np.errstate(all="ignore"):
            base, exponent = by.inversion.t, float(power)
            t = base**exponent
            outer = exponent * t / base
            slope = outer * by.inversion.slope(by.result)
            bent = (exponent - 1) * outer / base * self._model[1]
            t = t + slope * (self.table.y - by.result)
            weight = self.weight * self.table.factors**2 / (slope**2 + bent**2 / 2)
        good = np.all(np.isfinite(values), axis=1) & np.isfinite(t) & (weight > 0)
        good &= np.isfinite(weight)
        if good.sum() < max(20, 0.9 * len(good)):
            return None
        some = np.flatnonzero(good)
        some = some[np.linspace(0, len(some) - 1, min(most, len(some))).astype(int)]
        return Rows(values[some], t[some], weight[some] / np.mean(weight[some]))
