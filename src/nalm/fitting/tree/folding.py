"""Numbers of a formula multiplied out, sums of sums joined: `-(2*(3*x))` is `-6*x`."""

from fractions import Fraction

from nalm.fitting.tree.closed import ROOTS, Closed
from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import PowerProduct, WeightedSum, constant
from nalm.fitting.tree.number import HALF, ONE, ZERO, Number


def folded(tree: Tree) -> Tree:
    """Return an equal formula with as few numbers as its sums and products need.

    >>> from nalm.fitting.tree import Column
    >>> inner = WeightedSum(((Fraction(3), Column(0)),))
    >>> folded(WeightedSum(((Fraction(-2), inner),)))
    WeightedSum(terms=((Fraction(-6, 1), Column(index=0)),), constant=Fraction(0, 1))
    """
    return _fold(tree.tidy()).tidy()


def _fold(tree: Tree) -> Tree:
    match tree:
        case WeightedSum(terms, number):
            return _sum(terms, number)
        case PowerProduct(factors):
            return _product(factors)
        case Applied(function, argument):
            return Applied(function, _fold(argument))
        case VariablePower(base, exponent):
            return VariablePower(_fold(base), _fold(exponent))
    return tree


def _sum(terms: tuple[tuple[Number, Tree], ...], number: Number) -> Tree:
    joined: list[tuple[Number, Tree]] = []
    total = number
    for weight, term in terms:
        inner = _fold(term)
        if not isinstance(inner, WeightedSum):
            joined.append((weight, inner))
        elif len(inner.terms) + (inner.constant != 0) <= 1 or abs(weight) == 1:
            joined += [(_times(weight, w), t) for w, t in inner.terms]
            added = _times(weight, inner.constant)
            total = added if total == 0 else total + added if added != 0 else total
        else:
            joined.append((weight, inner))
    return WeightedSum(tuple(joined), total)


def _product(factors: tuple[tuple[Tree, Number], ...]) -> Tree:
    weight: Number = ONE
    joined: list[tuple[Tree, Number]] = []
    for factor, power in factors:
        inner = _fold(factor)
        if isinstance(inner, PowerProduct) and _is_whole(power):
            joined += [(f, p * power) for f, p in inner.factors]
            continue
        if isinstance(inner, WeightedSum) and len(inner.terms) + (inner.constant != 0) == 1:
            number = inner.terms[0][0] if inner.terms else inner.constant
            outside = _raised(number, power)
            if outside is not None:
                weight = _times(weight, outside)
                rest = PowerProduct(((inner.terms[0][1], power),)) if inner.terms else None
                folded_rest = _fold(rest) if rest is not None else PowerProduct(())
                joined += (
                    folded_rest.factors
                    if isinstance(folded_rest, PowerProduct)
                    else ((folded_rest, ONE),)
                )
                continue
        joined.append((inner, power))
    product = PowerProduct(tuple(joined))
    if not joined:
        return constant(weight)
    return product if weight == 1 else WeightedSum(((weight, product),))


def _times(first: Number, second: Number) -> Number:
    if isinstance(first, Fraction) and isinstance(second, Closed):
        first, second = second, first
    return ZERO if second == 0 else first * second


def _raised(base: Number, power: Number) -> Number | None:
    """Return a power of a number; None if it would no longer be exact, or is none."""
    if base == 0:
        return None
    if isinstance(base, Fraction) and _is_whole(power):
        return base ** int(power) if abs(power) <= 100 else None
    if isinstance(base, Closed) and power == 1:
        return base
    if isinstance(base, Fraction) and power == HALF and base in ROOTS:
        return Closed(ONE, root=int(base))
    if isinstance(base, float) and not isinstance(base, Closed) and (base > 0 or _is_whole(power)):
        return float(base) ** float(power)
    return None


def _is_whole(value: Number) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1
