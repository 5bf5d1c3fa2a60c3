"""Sums with one measured factor instead of measured weights: `6*(a - b)` for `6*a - 6*b`."""

from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import PowerProduct, WeightedSum
from nalm.fitting.tree.number import ONE, Number, is_measured


def with_common_factors(tree: Tree) -> Tree:
    """Return an equal formula, in which every sum with several measured weights has one factor.

    The factor is the first measured weight, and the others become its multiples.

    >>> from nalm.fitting.tree import Column
    >>> total = WeightedSum(((0.5, Column(0)), (-1.5, Column(1))))
    >>> [(factor, inner.terms) for factor, inner in with_common_factors(total).terms]
    [(0.5, ((Fraction(1, 1), Column(index=0)), (-3.0, Column(index=1))))]
    """
    match tree:
        case WeightedSum(terms, number):
            inner = tuple((weight, with_common_factors(term)) for weight, term in terms)
            return _shared(WeightedSum(inner, number))
        case PowerProduct(factors):
            return PowerProduct(tuple((with_common_factors(f), p) for f, p in factors))
        case Applied(function, argument):
            return Applied(function, with_common_factors(argument))
        case VariablePower(base, exponent):
            return VariablePower(with_common_factors(base), with_common_factors(exponent))
    return tree


def _shared(total: WeightedSum) -> WeightedSum:
    measured = [float(weight) for weight, _ in total.terms if is_measured(weight)]
    if len(measured) + is_measured(total.constant) < 2 or not measured or not measured[0]:
        return total
    factor = measured[0]

    def share(number: Number) -> Number:
        return number if number == 0 else ONE if number == factor else float(number) / factor

    terms = tuple((share(weight), term) for weight, term in total.terms)
    return WeightedSum(((factor, WeightedSum(terms, share(total.constant))),))
