"""A formula from a sympy expression, walked and never executed."""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

from nalm.errors import InputError
from nalm.fitting.form.building import FUNCTIONS, given_number, plus, power, times
from nalm.fitting.form.names import Names
from nalm.fitting.tree import Tree, constant
from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.functions import ELEMENTARY

JOINED: dict[str, Callable[[Tree, Tree], Tree]] = {"Add": plus, "Mul": times, "Pow": power}


def tree_of_sympy(expression: Any, names: Names) -> Tree:
    """Return the formula of an expression of columns, constants, arithmetic and functions."""
    kind = type(expression).__name__
    if expression.is_Symbol:
        return names.leaf(expression.name)
    if expression.is_Rational:
        return given_number(Fraction(int(expression.p), int(expression.q)), str(expression))
    if expression.is_Float and expression.is_finite:
        return given_number(Fraction(str(expression)), str(expression))
    if kind in ("Pi", "Exp1"):
        powers = (Fraction(kind == "Pi"), Fraction(kind == "Exp1"))
        return constant(Closed(Fraction(1), *powers))
    parts = [tree_of_sympy(part, names) for part in expression.args]
    if kind in JOINED and parts:
        return reduce(JOINED[kind], parts)
    if kind in FUNCTIONS and len(parts) == 1:
        return FUNCTIONS[kind](parts[0])
    raise InputError(
        f"A form is made of + - * / **, sqrt and {', '.join(ELEMENTARY)}; received {kind} in "
        f"{str(expression)[:60]}."
    )
