"""Which dimension a formula has, given those of its columns."""

from collections.abc import Callable, Iterable, Sequence

from nalm.fitting.tree import (
    Applied,
    Column,
    Number,
    PowerProduct,
    Tree,
    VariablePower,
    WeightedSum,
)
from nalm.fitting.tree.functions import ABS

Dimension = dict[str, float]
"""The power of each base dimension that is not 0; none if it is a pure number."""
PURE: Dimension = {}
CLOSE = 1e-9
"""By how much powers may differ that are the same."""


class WrongDimensionError(ValueError):
    """A formula adds what cannot be added, or takes a function of what is no pure number."""


def may_be(tree: Tree, columns: Sequence[Dimension | None], target: Dimension | None) -> bool:
    """Whether a formula may have the dimension of the target.

    A number other than 0 and ±1 may have any dimension, as constants of nature do. A column or a
    target whose unit is unknown (None) may have any, too.
    """
    try:
        found = dimension(tree, columns)
    except WrongDimensionError:
        return False
    return found is None or target is None or same(found, target)


def dimension(tree: Tree, columns: Sequence[Dimension | None]) -> Dimension | None:
    """Return the dimension of a formula; None if its numbers may give it any."""
    match tree:
        case Column(index):
            return columns[index]
        case WeightedSum(terms, _):
            inner = [(abs(weight) == 1, dimension(term, columns)) for weight, term in terms]
            return _common(found for bare, found in inner if bare and found is not None)
        case PowerProduct(factors):
            return _product([(dimension(factor, columns), power) for factor, power in factors])
        case Applied(function, argument):
            inner = dimension(argument, columns)
            if function is ABS:
                return inner
            _check_pure(inner)
            return PURE
        case VariablePower(base, exponent):
            _check_pure(dimension(exponent, columns))
            inner = dimension(base, columns)
            _check_pure(inner)
            return inner
    raise TypeError(f"A formula is made of the nodes of nalm.fitting.tree; received {tree!r}.")


def same(first: Dimension, second: Dimension) -> bool:
    """Whether two dimensions are the same."""
    names = first.keys() | second.keys()
    return all(abs(first.get(n, 0.0) - second.get(n, 0.0)) < CLOSE for n in names)


def times(first: Dimension, second: Dimension, power: float = 1.0) -> Dimension:
    """Return the dimension of one thing times a power of another."""
    joined = {n: first.get(n, 0.0) + power * second.get(n, 0.0) for n in first | second}
    return {name: p for name, p in joined.items() if abs(p) > CLOSE}


def _common(dimensions: Iterable[Dimension]) -> Dimension | None:
    found = list(dimensions)
    if any(not same(found[0], other) for other in found[1:]):
        raise WrongDimensionError
    return found[0] if found else None


def _product(factors: list[tuple[Dimension | None, Number]]) -> Dimension | None:
    total = PURE
    for inner, power in factors:
        if inner is None:
            return None
        total = times(total, inner, float(power))
    return total


def _check_pure(found: Dimension | None) -> None:
    if found:
        raise WrongDimensionError


def dimensions_of_numbers(
    tree: Tree, columns: Sequence[Dimension | None], target: Dimension | None
) -> list[Dimension | None]:
    """Return the dimension that each number of a formula has; None if that is not determined."""
    found: list[Dimension | None] = []
    _visit(tree, columns, target, found.append)
    return found


def _visit(
    tree: Tree,
    columns: Sequence[Dimension | None],
    whole: Dimension | None,
    add: Callable[[Dimension | None], None],
) -> None:
    """Add the dimensions of all numbers, in their order, to a formula of a known dimension."""
    match tree:
        case WeightedSum(terms, _):
            whole = whole if whole is not None else dimension(tree, columns)
            for weight, term in terms:
                inner = dimension(term, columns)
                if whole is None or inner is None or abs(weight) == 1:
                    add(None)
                else:
                    add(times(whole, inner, -1.0))
                _visit(term, columns, whole if abs(weight) == 1 else inner, add)
            add(whole)
        case PowerProduct(factors):
            for factor, _ in factors:
                _visit(factor, columns, dimension(factor, columns), add)
                add(PURE)
        case Applied(function, argument):
            _visit(argument, columns, whole if function is ABS else PURE, add)
        case VariablePower(base, exponent):
            _visit(base, columns, PURE, add)
            _visit(exponent, columns, PURE, add)
