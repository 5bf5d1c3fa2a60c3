"""The exact search in a reduced table: which relation of which basis gives the result."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from nalm.fitting.search.families.quotients import unit_of
from nalm.fitting.search.symmetry import bases
from nalm.fitting.search.symmetry.bases import Basis
from nalm.fitting.search.symmetry.inversions import Inversion, inversions
from nalm.fitting.search.symmetry.reduced_table import ReducedTable
from nalm.fitting.search.symmetry.relations import Relation, Term, relation
from nalm.fitting.search.symmetry.scanned_frequencies import scanned_bases
from nalm.fitting.tree import HALF, ONE, ZERO, Number, PowerProduct, Tree, WeightedSum, power_of

FIRST = ("plain", "square", "log", "exp", "sin", "cos", "tan", "artanh")
FEW = ("plain", "square", "exp", "sin", "cos", "tan")
"""Which functions of the result are related to polynomials, and which to functions."""

FEW_COLUMNS, SCANNED_COLUMNS = 5, 2
"""The most columns in which functions, and functions of unknown frequency, are looked for."""


@dataclass(frozen=True)
class ExactSearch:
    """A table that is searched for relations of the allowed functions."""

    table: ReducedTable
    allowed: frozenset[str]
    epsilon: float
    stop: Callable[[], bool]

    def quick(self) -> Iterator[Tree]:
        """Yield formulas with functions of one argument that the rows fulfil to rounding."""
        x = self.table.x
        if not x.shape[1]:
            return
        yield from self._related(bases.plain(x), FIRST)
        if x.shape[1] <= FEW_COLUMNS:
            if "log" in self.allowed:
                yield from self._related(bases.of_logarithms(x), (*FEW, "log"))
            if {"sin", "cos"} <= self.allowed:
                yield from self._related(bases.of_one_wave(x, bases.FREQUENCIES[:1]), FEW)
            if "exp" in self.allowed:
                yield from self._related(bases.of_one_exponential(x), ("plain", "square", "log"))
        yield from self._quadratic(bases.plain(x))

    def scanned(self) -> Iterator[Tree]:
        """Yield formulas with a frequency or a rate that has to be looked for."""
        if self.table.x.shape[1] > SCANNED_COLUMNS:
            return
        for basis in scanned_bases(self.table, self.allowed, self.stop):
            yield from self._related(iter([basis]), FEW[:2])

    def thorough(self) -> Iterator[Tree]:
        """Yield formulas with functions of several arguments, and solutions of quadratics."""
        x = self.table.x
        if not 1 <= x.shape[1] <= FEW_COLUMNS:
            return
        if {"sin", "cos"} <= self.allowed:
            yield from self._quadratic(bases.of_one_wave(x, bases.FREQUENCIES[:1]))
            yield from self._related(bases.of_one_wave(x, bases.FREQUENCIES[1:]), FEW)
            yield from self._related(bases.of_roots(x), FEW[:2])
        if {"sin", "cos", "exp"} <= self.allowed:
            yield from self._related(bases.of_several(x), FEW[:2])

    def _related(self, found: Iterator[Basis], names: tuple[str, ...]) -> Iterator[Tree]:
        known = [i for i in inversions(self.table.y, self.allowed) if i.name in names]
        for basis in found:
            for inversion in known:
                if self.stop():
                    return
                yield from self._of(basis, inversion)

    def _of(self, basis: Basis, inversion: Inversion) -> Iterator[Tree]:
        if not basis.fits or not np.all(np.isfinite(inversion.t)):
            return
        found = relation(basis.above, basis.below, inversion.t, self.epsilon)
        if found is not None:
            yield self.table.original(inversion.undone(solved(found)))

    def _quadratic(self, found: Iterator[Basis]) -> Iterator[Tree]:
        """Yield solutions of `w² + b w + c = 0`, with `b` and `c` sums of columns."""
        w = self.table.y
        for basis in found:
            if self.stop():
                return
            above = [*basis.above, *(_times_result(term, w) for term in basis.above)]
            constant = [term for term in basis.below if term.tree is None]
            if len(above) > bases.MOST_COLUMNS:
                continue
            half = relation(above, constant, w**2, self.epsilon)
            linear = None if half is None else [p for p in half.above if isinstance(p[1], _Result)]
            if half is None or not linear:
                continue
            scale = half.below[0][0]
            middle = [(weight / scale / 2, part) for weight, part in linear]
            shift = sum(weight * part.values / w for weight, part in middle)
            yield from self._root(basis, constant, middle, w - shift)

    def _root(
        self, basis: Basis, constant: list[Term], middle: list[tuple[float, Term]], rest: np.ndarray
    ) -> Iterator[Tree]:
        """Yield what was found so far plus a root, times a term where the rest changes its sign."""
        for term in basis.above:
            over = rest / term.values
            if not (np.all(over > 0) or np.all(over < 0)):
                continue
            inner = relation(basis.above, constant, over**2, self.epsilon)
            if inner is None:
                continue
            root = power_of(solved(inner), HALF)
            signed = root if term.tree is None else PowerProduct(((root, ONE), (term.tree, ONE)))
            terms = [(weight, part.tree) for weight, part in middle]
            yield self.table.original(
                WeightedSum(
                    (
                        *((weight, tree) for weight, tree in terms if tree is not None),
                        (ONE if np.all(over > 0) else -ONE, signed),
                    ),
                    sum((weight for weight, tree in terms if tree is None), 0.0) or ZERO,
                )
            )
            return


class _Result(Term):
    """A column times the result."""


def _times_result(term: Term, w: np.ndarray) -> _Result:
    return _Result(term.values * w, term.tree, term.complexity + 1)


def solved(found: Relation) -> Tree:
    """Return the quotient that a relation gives."""
    weights = np.array([w for w, _ in (*found.above, *found.below)])
    unit = unit_of(weights, np.array([w for w, _ in found.below]))
    above = _sum([(w / unit, term) for w, term in found.above])
    below = _sum([(w / unit, term) for w, term in found.below])
    if not below.terms:
        assert below.constant != 0
        return above if below.constant == 1 else _divided(above, float(below.constant))
    if not above.terms:
        return WeightedSum(((above.constant, PowerProduct(((below, -ONE),))),))
    return PowerProduct(((above, ONE), (below, -ONE)))


def _divided(total: WeightedSum, by: float) -> WeightedSum:
    terms = tuple((float(weight) / by, term) for weight, term in total.terms)
    return replace(total, terms=terms, constant=float(total.constant) / by)


def _sum(parts: list[tuple[float, Term]]) -> WeightedSum:
    constant: Number = ZERO
    terms: list[tuple[Number, Tree]] = []
    for weight, term in parts:
        number: Number = ONE if weight == 1 else float(weight)
        if term.tree is None:
            constant = number
        else:
            terms.append((number, term.tree))
    return WeightedSum(tuple(terms), constant)
