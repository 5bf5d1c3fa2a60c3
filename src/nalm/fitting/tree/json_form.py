"""A formula as JSON values, and back, whoever wrote them."""

import re
from collections.abc import Iterable
from fractions import Fraction
from math import isfinite
from typing import Any

from nalm.fitting.tree.closed import HIGHEST, ROOTS, Closed
from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.functions import ELEMENTARY
from nalm.fitting.tree.limits import DEEPEST, excess
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import Column, PowerProduct, WeightedSum
from nalm.fitting.tree.number import Number

EXACT = re.compile(r"[+-]?\d{1,400}(/\d{1,400}|\.\d{1,400})?", re.ASCII)
"""An exact number: a whole number, a fraction or a decimal, without an exponent."""


def encoded_tree(tree: Tree) -> Any:
    """Return a formula as JSON values."""
    match tree:
        case Column(index):
            return index
        case WeightedSum(terms, constant):
            encoded = [[encoded_number(w), encoded_tree(t)] for w, t in terms]
            return {"sum": encoded, "constant": encoded_number(constant)}
        case PowerProduct(factors):
            return {"product": [[encoded_tree(f), encoded_number(p)] for f, p in factors]}
        case Applied(function, argument):
            return {"function": function.name, "of": encoded_tree(argument)}
        case VariablePower(base, exponent):
            return {"base": encoded_tree(base), "exponent": encoded_tree(exponent)}
    raise TypeError(f"A formula is made of the nodes of nalm.fitting.tree; received {tree!r}.")


def decoded_tree(data: Any, columns: int) -> Tree:
    """Return the formula that `encoded_tree` wrote of so many columns, or raise ValueError."""
    tree = _decoded(data, columns, 0)
    if reason := excess(tree):
        raise ValueError(reason)
    return tree


def _decoded(data: Any, columns: int, depth: int) -> Tree:
    if depth > DEEPEST:
        raise ValueError(f"a formula has more than {DEEPEST} operations inside each other")
    match data:
        case bool():
            raise ValueError(f"{data} is no column")
        case int(index):
            if not 0 <= index < columns:
                raise ValueError(f"there is no column {str(index)[:20]}")
            return Column(index)
        case {"sum": list(terms), "constant": constant, **rest} if not rest:
            made = ((decoded_number(w), _decoded(t, columns, depth + 1)) for w, t in _pairs(terms))
            return WeightedSum(tuple(made), decoded_number(constant))
        case {"product": list(factors), **rest} if not rest:
            made = (
                (_decoded(f, columns, depth + 1), decoded_number(p)) for f, p in _pairs(factors)
            )
            return PowerProduct(tuple(made))
        case {"function": str(name), "of": argument, **rest} if not rest:
            if name not in ELEMENTARY:
                raise ValueError(f"there is no function {name[:20]!r}")
            return Applied(ELEMENTARY[name], _decoded(argument, columns, depth + 1))
        case {"base": base, "exponent": exponent, **rest} if not rest:
            below = _decoded(base, columns, depth + 1)
            return VariablePower(below, _decoded(exponent, columns, depth + 1))
    raise ValueError(f"{str(data)[:60]!r} is no formula")


def _pairs(items: list[Any]) -> Iterable[list[Any]]:
    for item in items:
        if not isinstance(item, list) or len(item) != 2:
            raise ValueError(f"{str(item)[:60]!r} is no pair of a number and a formula")
        yield item


def encoded_number(value: Number) -> Any:
    """Return an exact number as text, or as a list of its parts, a measured one as it is."""
    if isinstance(value, Closed):
        return [str(value.fraction), str(value.pi_power), str(value.e_power), str(value.root)]
    return str(value) if isinstance(value, Fraction) else value


def decoded_number(data: Any) -> Number:
    """Return the number that `encoded_number` wrote, or raise ValueError."""
    try:
        if isinstance(data, str) and EXACT.fullmatch(data):
            exact = Fraction(data)
            if isfinite(float(exact)):
                return exact
        elif isinstance(data, list) and len(data) == 4:
            return _decoded_closed(*(decoded_number(part) for part in data))
        elif isinstance(data, int | float) and not isinstance(data, bool) and isfinite(data):
            return float(data)
    except (OverflowError, ZeroDivisionError):
        pass
    raise ValueError(f"{str(data)[:60]!r} is no finite number")


def _decoded_closed(*parts: Number) -> Closed:
    exact = [part for part in parts if isinstance(part, Fraction)]
    if len(exact) == 4:
        fraction, pi_power, e_power, root = exact
        simple = all(abs(p) <= HIGHEST and p.denominator <= 2 for p in (pi_power, e_power))
        if fraction != 0 and simple and root in ROOTS:
            return Closed(fraction, pi_power, e_power, int(root))
    raise ValueError("the parts of an exact number are a fraction, two small powers and a root")
