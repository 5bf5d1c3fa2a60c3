"""Powers of powers as one power: `1/sqrt(1/a)` is `sqrt(a)`."""

from collections.abc import Iterator
from fractions import Fraction

from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import Column, PowerProduct, WeightedSum
from nalm.fitting.tree.number import Number

Factor = tuple[Tree, Number]


def unnested(tree: Tree, *, draw_squares: bool = False) -> Tree:
    """Return an equal formula with fewer powers of powers and fewer quotients in roots.

    With `draw_squares`, a square in a root is drawn out of it. That is equal only where what was
    squared is not negative.

    >>> from nalm.fitting.tree import HALF, ONE
    >>> inverse = PowerProduct(((Column(0), -ONE),))
    >>> unnested(PowerProduct(((inverse, -HALF),))) == PowerProduct(((Column(0), HALF),))
    True
    """
    match tree:
        case WeightedSum(terms, constant):
            inner = ((w, unnested(term, draw_squares=draw_squares)) for w, term in terms)
            return WeightedSum(tuple(inner), constant)
        case PowerProduct(factors):
            flat = [
                part
                for factor, power in factors
                for part in _parts(unnested(factor, draw_squares=draw_squares), power, draw_squares)
            ]
            return PowerProduct(tuple(sorted(flat, key=_order)))
        case Applied(function, argument):
            return Applied(function, unnested(argument, draw_squares=draw_squares))
        case VariablePower(base, exponent):
            inner = unnested(base, draw_squares=draw_squares)
            return VariablePower(inner, unnested(exponent, draw_squares=draw_squares))
    return tree


def joined_roots(tree: Tree) -> Tree:
    """Return an equal formula with products of roots as roots of products.

    That is equal only where what is under the roots is not negative.

    >>> from nalm.fitting.tree import HALF
    >>> roots = PowerProduct(((Column(0), HALF), (Column(1), -HALF)))
    >>> quotient = PowerProduct(((Column(0), Fraction(1)), (Column(1), Fraction(-1))))
    >>> joined_roots(roots) == PowerProduct(((quotient, HALF),))
    True
    """
    match tree:
        case WeightedSum(terms, constant):
            return WeightedSum(tuple((w, joined_roots(term)) for w, term in terms), constant)
        case PowerProduct(factors):
            return _joined([(joined_roots(factor), power) for factor, power in factors])
        case Applied(function, argument):
            return Applied(function, joined_roots(argument))
        case VariablePower(base, exponent):
            return VariablePower(joined_roots(base), joined_roots(exponent))
    return tree


def numbers_outside(tree: Tree) -> Tree:
    """Return an equal formula in which numbers stand before powers: `4.9*a**2`, not `(2.2*a)**2`.

    >>> inner = WeightedSum(((2.5, Column(0)),), Fraction(0))
    >>> square = PowerProduct(((Column(0), Fraction(2)),))
    >>> found = numbers_outside(PowerProduct(((inner, Fraction(2)),)))
    >>> found == WeightedSum(((6.25, square),), Fraction(0))
    True
    """
    match tree:
        case WeightedSum(terms, constant):
            return WeightedSum(tuple(_flattened(*term) for term in terms), constant)
        case PowerProduct(factors):
            weight: Number = Fraction(1)
            inside: list[Factor] = []
            for factor, power in factors:
                number, rest = _scaled(numbers_outside(factor))
                if not _is_whole(power):
                    number, rest = Fraction(1), factor
                weight *= number ** int(power) if number != 1 else 1
                inside.append((rest, power))
            product = PowerProduct(tuple(inside)).tidy()
            return product if weight == 1 else WeightedSum(((weight, product),), Fraction(0))
        case Applied(function, argument):
            return Applied(function, numbers_outside(argument))
        case VariablePower(base, exponent):
            return VariablePower(numbers_outside(base), numbers_outside(exponent))
    return tree


def _flattened(weight: Number, term: Tree) -> tuple[Number, Tree]:
    """Return a term of a sum, without a number inside of it."""
    inner, rest = _scaled(numbers_outside(term))
    if inner == 1 or isinstance(weight, Closed):
        return weight, term if inner != 1 else rest
    return weight * inner, rest


def _scaled(tree: Tree) -> tuple[Number, Tree]:
    """Return a formula as a number, no multiple of π or a root, times another."""
    if isinstance(tree, WeightedSum) and len(tree.terms) == 1 and tree.constant == 0:
        weight, term = tree.terms[0]
        return (Fraction(1), tree) if isinstance(weight, Closed) else (weight, term)
    return Fraction(1), tree


def _joined(factors: list[Factor]) -> PowerProduct:
    """Return a product in which roots of the same degree are one root."""
    roots: dict[int, list[Factor]] = {}
    others: list[Factor] = []
    for factor, power in factors:
        if isinstance(power, Fraction) and power.denominator > 1:
            degree = power.denominator
            roots.setdefault(degree, []).append((factor, power * degree))
        else:
            others.append((factor, power))
    for degree, inside in roots.items():
        sign = 1 if any(power > 0 for _, power in inside) else -1
        if len(inside) == 1:
            others.append((inside[0][0], inside[0][1] / degree))
        else:
            signed = ((factor, sign * power) for factor, power in inside)
            under = PowerProduct(tuple(sorted(signed, key=_order)))
            others.append((under, Fraction(sign, degree)))
    return PowerProduct(tuple(others))


def _order(factor: Factor) -> tuple[bool, int]:
    """Return the key that sorts columns first, in the order of the table."""
    base, _ = factor
    return (False, base.index) if isinstance(base, Column) else (True, 0)


def _parts(base: Tree, power: Number, draw_squares: bool) -> Iterator[Factor]:
    """Yield the factors that a power of a formula is made of."""
    if not isinstance(base, PowerProduct) or (_is_whole(power) and abs(power) != 1):
        yield base, power
        return
    inside = list(base.factors)
    if abs(power) == 1:
        yield from ((factor, inner * power) for factor, inner in inside)
        return
    if all(inner < 0 for _, inner in inside) or (power < 0 and any(p < 0 for _, p in inside)):
        inside, power = [(factor, -inner) for factor, inner in inside], -power
    if draw_squares:
        yield from ((factor, inner * power) for factor, inner in inside if _is_whole(inner / 2))
        inside = [(factor, inner) for factor, inner in inside if not _is_whole(inner / 2)]
    if len(inside) == 1 and _is_whole(inside[0][1]) and not _is_whole(inside[0][1] / 2):
        yield inside[0][0], inside[0][1] * power
    elif inside:
        yield PowerProduct(tuple(inside)), power


def _is_whole(value: Number) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1
