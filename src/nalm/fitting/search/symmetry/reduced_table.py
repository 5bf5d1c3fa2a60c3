"""A table in which sums, quotients and products of columns stand for the columns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from math import gcd

import numpy as np

from nalm.fitting.search.symmetry.smooth_model import Slopes, slopes
from nalm.fitting.search.symmetry.symmetries import Scaling, Translation, scalings, translations
from nalm.fitting.tree import ONE, Column, Number, PowerProduct, Tree, WeightedSum

ROUNDS = 4
"""How often a table is reduced."""
TABLES = 8
"""The most tables that are made of one."""


WORSE, ROUNDING = 2.5, 5e-3
"""How much larger than before the error of a smaller table may be."""
INDEX_COLUMNS, INDEX_ROUGHNESS = 4, 0.2
"""The most columns of a single monomial, and the variance that it may leave between neighbors."""


@dataclass(frozen=True)
class ReducedTable:
    """Columns made of those of the original table, and the result divided by a factor."""

    x: np.ndarray
    y: np.ndarray
    parts: tuple[Tree, ...]
    """What each column is of the original columns."""
    factor: Tree
    """What the result was divided by."""
    factors: np.ndarray
    """The values of the factor."""
    error: float = 0.0
    """The error of its smooth model, as a share of the spread of the result."""

    @property
    def key(self) -> object:
        """What tells it from other tables of the same rows: its columns, but for their order."""
        return frozenset(map(_unordered, self.parts)), _unordered(self.factor)

    def original(self, tree: Tree) -> Tree:
        """Return a formula of this table as one of the original table."""
        weight, rest = weighted(tree.composed(self.parts))
        whole = product(self.factor, rest)
        return whole if weight == 1 else WeightedSum(((weight, whole),))

    def translated(self, by: Translation) -> "ReducedTable":
        """Return the table with a sum or difference in the place of two columns."""
        pair = (self.parts[by.first], self.parts[by.second])
        joined = WeightedSum(((ONE, pair[0]), (Fraction(by.sign), pair[1])))
        value = self.x[:, by.first] + by.sign * self.x[:, by.second]
        kept = [k for k in range(len(self.parts)) if k not in (by.first, by.second)]
        return ReducedTable(
            np.column_stack([self.x[:, kept], value]),
            self.y,
            (*(self.parts[k] for k in kept), joined),
            self.factor,
            self.factors,
        )

    def scaled(self, by: Scaling) -> "ReducedTable":
        """Return the table of quotients, with the result over its monomial."""
        pivots = [(self.parts[p], self.x[:, p]) for p in by.pivots]
        powers = [(tree, power) for (tree, _), power in zip(pivots, by.result, strict=True)]
        factor = product(self.factor, PowerProduct(tuple(f for f in powers if f[1] != 0)))
        monomial = np.ones(len(self.y))
        for (_, values), power in zip(pivots, by.result, strict=True):
            monomial = monomial * values ** float(power)
        y = self.y / monomial
        columns, parts = [], []
        for j, each in by.others:
            value = self.x[:, j]
            quotient: list[tuple[Tree, Fraction]] = [(self.parts[j], ONE)]
            for (tree, values), power in zip(pivots, each, strict=True):
                if power != 0:
                    value = value / values ** float(power)
                    quotient.append((tree, -power))
            columns.append(value)
            parts.append(product(PowerProduct(tuple(quotient))))
        x = np.column_stack(columns) if columns else np.empty((len(y), 0))
        return ReducedTable(x, y, tuple(parts), factor, self.factors * monomial)


def _unordered(tree: Tree) -> object:
    """Return a formula without the order of its factors; reciprocals are the same column."""
    if not isinstance(tree, PowerProduct):
        return repr(tree)
    return frozenset((repr(factor), abs(power)) for factor, power in tree.factors)


def weighted(tree: Tree) -> tuple[Number, Tree]:
    """Return a number, drawn out of a formula as far as it goes, and the formula without it."""
    if isinstance(tree, WeightedSum) and len(tree.terms) == 1 and tree.constant == 0:
        weight, rest = tree.terms[0]
        inner, rest = weighted(rest)
        return weight * inner, rest
    if isinstance(tree, WeightedSum) and not tree.terms:
        return tree.constant, PowerProduct(())
    if isinstance(tree, PowerProduct):
        whole: Number = ONE
        factors: list[tuple[Tree, Number]] = []
        for factor, power in tree.factors:
            weight, rest = weighted(factor) if abs(power) == 1 else (ONE, factor)
            whole = whole * weight if power == 1 else whole / weight
            if not isinstance(rest, PowerProduct) or rest.factors:
                factors.append((rest, power))
        return whole, PowerProduct(tuple(factors)).tidy()
    return ONE, tree


def product(*trees: Tree) -> Tree:
    """Return the product of formulas, with their powers joined."""
    powers: dict[Tree, Fraction | float] = {}
    for tree in trees:
        factors = tree.factors if isinstance(tree, PowerProduct) else ((tree, ONE),)
        for factor, power in factors:
            inner = factor.factors if isinstance(factor, PowerProduct) else ((factor, ONE),)
            for base, exponent in inner:
                powers[base] = powers.get(base, Fraction(0)) + exponent * power
    left = tuple((base, power) for base, power in powers.items() if power != 0)
    return left[0][0] if len(left) == 1 and left[0][1] == 1 else PowerProduct(left)


def original_table(x: np.ndarray, y: np.ndarray) -> ReducedTable:
    """Return a table as it is."""
    columns = tuple(Column(i) for i in range(x.shape[1]))
    return ReducedTable(x, y, columns, PowerProduct(()), np.ones(len(y)))


def reduced_tables(
    table: ReducedTable, law: Slopes | None, stop: Callable[[], bool]
) -> Iterator[ReducedTable]:
    """Yield what the symmetries of a table make of it, each as soon as it is known."""
    known: set[object] = set()
    for smaller in islice(_with_smaller(table, law, ROUNDS, np.inf, stop), TABLES):
        if smaller.key not in known and smaller.x.shape[1] < table.x.shape[1]:
            known.add(smaller.key)
            yield smaller
    if not known and not stop():
        yield from single_monomial(table)


def _reduced(
    table: ReducedTable, rounds: int, most: float, stop: Callable[[], bool]
) -> Iterator[ReducedTable]:
    """Yield smaller tables and the table itself, unless its model errs by more than `most`.

    A symmetry that the law does not have makes a table that no function describes.
    """
    if stop():
        return
    if not table.x.shape[1]:
        yield table
        return
    with np.errstate(all="ignore"):
        law = slopes(table.x, table.y)
    yield from _with_smaller(table, law, rounds, most, stop)


def _with_smaller(
    table: ReducedTable, law: Slopes | None, rounds: int, most: float, stop: Callable[[], bool]
) -> Iterator[ReducedTable]:
    if law is None or not law.error <= most:
        return
    with np.errstate(all="ignore"):
        smaller = _smaller(table, law) if rounds and table.x.shape[1] > 1 else []
    for each in smaller:
        yield from _reduced(each, rounds - 1, WORSE * law.error + ROUNDING, stop)
    yield replace(table, error=law.error)


def _smaller(table: ReducedTable, law: Slopes) -> list[ReducedTable]:
    """Return what each symmetry of a law makes of its table, the likeliest first."""
    if not np.all(np.isfinite(law.by_column)):
        return []
    scaled = [table.scaled(by) for by in scalings(law)]
    moved = [table.translated(by) for by in translations(law)[:1]]
    return [
        each
        for each in (*scaled[:1], *moved, *scaled[1:])
        if np.all(np.isfinite(each.x)) and np.all(np.isfinite(each.y))
    ]


def single_monomial(table: ReducedTable) -> Iterator[ReducedTable]:
    """Yield the table of one monomial, if the result is a function of it alone.

    Sorted by that monomial, neighboring results are near each other, however the law waves.
    """
    count = table.x.shape[1]
    if not 2 <= count <= INDEX_COLUMNS or not np.all(table.x > 0):
        return
    logs, spread = np.log(table.x), 2 * float(np.var(table.y))
    found: list[tuple[float, tuple[int, ...]]] = []
    for powers in np.ndindex(*[5] * count):
        chosen = tuple(p - 2 for p in powers)
        first = next((p for p in chosen if p), 0)
        if first > 0 and gcd(*chosen) == 1:
            along = table.y[np.argsort(logs @ np.array(chosen), kind="stable")]
            found.append((float(np.mean(np.diff(along) ** 2)) / spread, chosen))
    found.sort()
    if found[0][0] < INDEX_ROUGHNESS and 2 * found[0][0] < found[1][0]:
        factors = zip(table.parts, map(Fraction, found[0][1]), strict=True)
        tree = product(PowerProduct(tuple(f for f in factors if f[1] != 0)))
        value = np.prod(table.x ** np.array(found[0][1], dtype=float), axis=1)
        yield ReducedTable(value[:, None], table.y, (tree,), table.factor, table.factors)
