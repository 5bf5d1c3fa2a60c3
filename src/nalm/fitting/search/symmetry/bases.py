"""Sets of columns between which relations are looked for, from plain to rich."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from nalm.fitting.search.symmetry.reduced_table import product as product_tree
from nalm.fitting.search.symmetry.relations import MOST_COLUMNS, Term
from nalm.fitting.tree import HALF, ONE, Applied, Column, PowerProduct, Tree, WeightedSum, power_of
from nalm.fitting.tree.functions import COS, EXP, LOG, SIN, Elementary

PLAIN = {1: 6, 2: 4, 3: 3, 4: 2, 5: 2, 6: 2, 7: 1, 8: 1}
"""The degree of polynomials by the number of columns."""
BESIDE = {0: 0, 1: 4, 2: 4, 3: 2, 4: 1, 5: 1}
"""The degree of polynomials beside functions, by the number of columns that they may use."""
WITH = {1: 3, 2: 3, 3: 2, 4: 1, 5: 1}
"""The same where the polynomial may also use the column that is inside the function."""
FREQUENCIES = (ONE, HALF, Fraction(2))
STEEP = 40.0
"""The largest exponent."""


@dataclass(frozen=True)
class Basis:
    """The columns of both sides of a relation."""

    name: str
    above: tuple[Term, ...]
    below: tuple[Term, ...]

    @property
    def fits(self) -> bool:
        """Whether it is small enough."""
        return len(self.above) + len(self.below) <= MOST_COLUMNS


@dataclass(frozen=True)
class Argument:
    """What a function may be of: a column, or a product or quotient of two."""

    tree: Tree
    values: np.ndarray
    columns: frozenset[int]


def one(rows: int) -> Term:
    """Return the constant 1."""
    return Term(np.ones(rows), None, 0.0)


def times(*terms: Term) -> Term:
    """Return the product of terms."""
    values = np.prod([term.values for term in terms], axis=0)
    trees = [term.tree for term in terms if term.tree is not None]
    tree = None if not trees else trees[0] if len(trees) == 1 else product_tree(*trees)
    return Term(values, tree, sum(term.complexity for term in terms))


def monomials(x: np.ndarray, columns: Sequence[int], degree: int, root: bool = False) -> list[Term]:
    """Return the monomials of some columns up to a degree; of their roots if asked."""
    found = []
    share = HALF if root else ONE
    for powers in product(range(degree + 1), repeat=len(columns)):
        if sum(powers) <= degree:
            factors = tuple(
                (Column(c), p * share) for c, p in zip(columns, powers, strict=True) if p
            )
            values = np.ones(len(x))
            for c, p in zip(columns, powers, strict=True):
                values = values * (x[:, c] ** (p * float(share)) if p else 1.0)
            tree = power_of(*factors[0]) if len(factors) == 1 else PowerProduct(factors)
            found.append(Term(values, tree if factors else None, float(sum(powers))))
    return found


def arguments(x: np.ndarray) -> list[Argument]:
    """Return the columns, their products and quotients."""
    columns = range(x.shape[1])
    found = [Argument(Column(i), x[:, i], frozenset([i])) for i in columns]
    pairs = list(combinations(columns, 2))
    for i, j in pairs:
        tree = PowerProduct(((Column(i), ONE), (Column(j), ONE)))
        found.append(Argument(tree, x[:, i] * x[:, j], frozenset([i, j])))
    for i, j in [*pairs, *((j, i) for i, j in pairs)]:
        if np.all(x[:, j] != 0):
            tree = PowerProduct(((Column(i), ONE), (Column(j), -ONE)))
            found.append(Argument(tree, x[:, i] / x[:, j], frozenset([i, j])))
    for i in columns:
        if np.all(x[:, i] != 0):
            tree = PowerProduct(((Column(i), -ONE),))
            found.append(Argument(tree, 1 / x[:, i], frozenset([i])))
        tree = PowerProduct(((Column(i), Fraction(2)),))
        found.append(Argument(tree, x[:, i] ** 2, frozenset([i])))
    return found


def function(of: Argument, by: Elementary, frequency: Fraction | float = ONE) -> Term:
    """Return a function of a multiple of an argument."""
    inner = of.tree if frequency == 1 else WeightedSum(((frequency, of.tree),))
    with np.errstate(all="ignore"):
        values = np.asarray(by.value(np, float(frequency) * of.values))
    return Term(values, Applied(by, inner), 1.0 + 0.5 * (len(of.columns) - 1))


def waves(of: Argument, frequency: Fraction | float = ONE) -> list[Term]:
    """Return 1, cos, sin, cos² and sin·cos of a multiple of an argument."""
    cos, sin = function(of, COS, frequency), function(of, SIN, frequency)
    return [one(len(of.values)), cos, sin, times(cos, cos), times(sin, cos)]


def exponentials(of: Argument, frequency: Fraction | float = ONE) -> list[Term]:
    """Return 1, and the exponential of an argument and of its double."""
    double = 2 * frequency if isinstance(frequency, Fraction) else 2.0 * frequency
    return [
        one(len(of.values)),
        function(of, EXP, frequency),
        function(of, EXP, double),
    ]


def crossed(first: Sequence[Term], *more: Sequence[Term]) -> tuple[Term, ...]:
    """Return all products of a term of each list."""
    return tuple(times(*each) for each in product(first, *more))


def plain(x: np.ndarray) -> Iterator[Basis]:
    """Yield polynomials."""
    count = x.shape[1]
    top = PLAIN.get(count, 1)
    for degree in dict.fromkeys((min(2, top), top)):
        terms = tuple(monomials(x, range(count), degree))
        yield Basis(f"polynomials of degree {degree}", terms, terms)


def of_one_wave(x: np.ndarray, frequencies: Sequence[Fraction] = FREQUENCIES) -> Iterator[Basis]:
    """Yield polynomials times waves of one argument."""
    for frequency in frequencies:
        for of in arguments(x):
            if np.ptp(of.values) * float(frequency) > 0.3:
                yield from _with_polynomials(x, of, waves(of, frequency), "waves")


def of_one_exponential(
    x: np.ndarray, frequencies: Sequence[Fraction] = FREQUENCIES
) -> Iterator[Basis]:
    """Yield polynomials times exponentials of one argument."""
    for frequency in frequencies:
        for of in arguments(x):
            if np.max(np.abs(of.values)) * 2 * float(frequency) < STEEP:
                yield from _with_polynomials(x, of, exponentials(of, frequency), "exponentials")


def _with_polynomials(
    x: np.ndarray, of: Argument, functions: list[Term], name: str
) -> Iterator[Basis]:
    columns = range(x.shape[1])
    apart = [c for c in columns if c not in of.columns]
    for chosen, degrees in ((apart, BESIDE), (list(columns), WITH)):
        if len(chosen) in degrees:
            terms = crossed(monomials(x, chosen, degrees[len(chosen)]), functions)
            basis = Basis(name, terms, terms)
            if basis.fits:
                yield basis


def of_logarithms(x: np.ndarray) -> Iterator[Basis]:
    """Yield polynomials times logarithms of columns, and of one plus or minus a column."""
    logs = [one(len(x))]
    for i in range(x.shape[1]):
        column = x[:, i]
        if np.all(column > 0):
            logs.append(Term(np.log(column), Applied(LOG, Column(i)), 1.0))
        for sign in (1, -1):
            if np.all(1 + sign * column > 0):
                inner = WeightedSum(((Fraction(sign), Column(i)),), ONE)
                logs.append(Term(np.log1p(sign * column), Applied(LOG, inner), 1.5))
    if len(logs) > 1:
        terms = crossed(monomials(x, range(x.shape[1]), 2 if x.shape[1] < 4 else 1), logs)
        below = tuple(monomials(x, range(x.shape[1]), 2 if x.shape[1] < 4 else 1))
        yield Basis("logarithms", terms, below)


def of_roots(x: np.ndarray) -> Iterator[Basis]:
    """Yield polynomials of the roots of columns, alone and times waves of a column."""
    positive = [i for i in range(x.shape[1]) if np.all(x[:, i] > 0)]
    if not positive or x.shape[1] > 4:
        return
    degree = {1: 6, 2: 4, 3: 2, 4: 2}[len(positive)]
    terms = tuple(monomials(x, positive, degree, root=True))
    yield Basis("roots", terms, terms)
    for i in range(x.shape[1]):
        others = [j for j in positive if j != i]
        if others and np.ptp(x[:, i]) > 0.3:
            of = Argument(Column(i), x[:, i], frozenset([i]))
            crossed_terms = crossed(monomials(x, others, min(degree, 3), root=True), waves(of))
            yield Basis("roots and waves", crossed_terms, crossed_terms)


def of_several(x: np.ndarray) -> Iterator[Basis]:
    """Yield products of waves and exponentials of two or three arguments."""
    if x.shape[1] > 4:
        return
    known = [a for a in arguments(x) if np.ptp(a.values) > 0.3][: 2 * x.shape[1] + 3]
    rows = len(x)
    for size in (2, 3):
        for chosen in combinations(known, size):
            small = [[one(rows), function(a, COS), function(a, SIN)] for a in chosen]
            yield Basis("several waves", crossed(*small), (one(rows),))
    gentle = [a for a in known if np.max(np.abs(a.values)) < STEEP]
    for first, second in combinations(gentle, 2):
        two = [[one(rows), function(a, EXP), function(a, EXP, -ONE)] for a in (first, second)]
        low = monomials(x, range(x.shape[1]), 1)
        yield Basis("several exponentials", crossed(low, crossed(*two)), tuple(low))
    for first in gentle:
        for second in known:
            if first is not second:
                both = crossed(
                    [one(rows), function(first, EXP), function(first, EXP, -ONE)],
                    [one(rows), function(second, COS), function(second, SIN)],
                )
                yield Basis("exponentials and waves", both, (one(rows),))
    for size in (2, 3):
        for chosen in combinations(known, size):
            cosines = crossed(*([one(rows), function(a, COS)] for a in chosen))
            low = monomials(x, range(x.shape[1]), 2)
            terms = crossed(low, cosines)
            if 2 * len(terms) <= MOST_COLUMNS:
                yield Basis("several cosines", terms, terms)
