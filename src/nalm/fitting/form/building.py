"""Operations on formulas that keep each unknown constant a number of its own in the tree."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite
from typing import Self

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.fitting.tree import (
    ONE,
    Applied,
    Number,
    PowerProduct,
    Tree,
    VariablePower,
    WeightedSum,
    constant,
)
from nalm.fitting.tree.functions import ELEMENTARY
from nalm.fitting.tree.number import HALF

SPELLINGS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "ln": "log", "Abs": "abs"}
"""Other names of functions."""


class Unknown(float):
    """A constant that is to be found; the same name stands for the same number."""

    name: str

    def __new__(cls, name: str) -> Self:
        """Make a constant of this name; it starts at 1."""
        made = super().__new__(cls, 1.0)
        made.name = name
        return made


def given_number(value: Fraction, text: str) -> Tree:
    """Return a number of a form, or raise if it is beyond floating-point numbers."""
    try:
        near = float(value)
    except OverflowError:
        near = inf
    if not isfinite(near) or (near == 0) != (value == 0):
        raise InputError(
            "A number of a form is 0 or between 1e-307 and 1e308 in size; received "
            f"{shown(text)}. Give the columns in other units."
        )
    return constant(value)


def known(tree: Tree) -> Fraction | None:
    """Return the fraction that a formula is; None if it is none."""
    value = number_of(tree)
    return value if isinstance(value, Fraction) else None


def number_of(tree: Tree) -> Number | None:
    """Return the number, known or not, that a formula is; None if it is none."""
    return tree.constant if isinstance(tree, WeightedSum) and not tree.terms else None


def plus(first: Tree, second: Tree, sign: Fraction = ONE) -> Tree:
    """Return a sum, or with the sign -1 a difference."""
    a, b = known(first), known(second)
    if a is not None and b is not None:
        return constant(a + sign * b)
    return WeightedSum(((ONE, first), (sign, second)))


def negative(tree: Tree) -> Tree:
    """Return the negative of a formula."""
    value = known(tree)
    return WeightedSum(((-ONE, tree),)) if value is None else constant(-value)


def times(first: Tree, second: Tree) -> Tree:
    """Return a product."""
    a, b = known(first), known(second)
    if a is not None and b is not None:
        return constant(a * b)
    for one, other in ((first, second), (second, first)):
        number = number_of(one)
        if number is not None:
            return WeightedSum(((number, other),))
    return PowerProduct(((first, ONE), (second, ONE)))


def divided(first: Tree, second: Tree) -> Tree:
    """Return a quotient; the caller has refused 0 as the second."""
    below = known(second)
    if below is not None:
        return times(first, constant(1 / below))
    return times(first, PowerProduct(((second, -ONE),)))


def power(base: Tree, exponent: Tree) -> Tree:
    """Return a power."""
    number, above = number_of(exponent), known(base)
    if isinstance(number, Fraction) and number.denominator == 1 and above and abs(number) <= 100:
        return constant(above ** int(number))
    if number is not None:
        return PowerProduct(((base, number),))
    return VariablePower(base, exponent)


FUNCTIONS: dict[str, Callable[[Tree], Tree]] = {
    "sqrt": lambda tree: PowerProduct(((tree, HALF),)),
    **{name: lambda tree, f=f: Applied(f, tree) for name, f in ELEMENTARY.items()},
}
FUNCTIONS |= {other: FUNCTIONS[name] for other, name in SPELLINGS.items()}
"""The functions that a form may use, by all their names."""
