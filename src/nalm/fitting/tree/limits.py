"""How large a formula may be, so that algebra and print end at once, whoever wrote it."""

from fractions import Fraction
from math import lcm, log10

from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import PowerProduct, WeightedSum
from nalm.fitting.tree.number import Number

DEEPEST = 60
"""How many operations may be inside each other."""
DIGITS = 1000
"""The most digits of an exact number, multiplied out with those that algebra joins it with."""
HIGHEST = 1000
"""The highest exact power."""


def excess(tree: Tree) -> str | None:
    """Return which limit a formula exceeds, or None.

    >>> from nalm.fitting.tree import constant, power_of
    >>> excess(power_of(constant(Fraction(3)), Fraction(3_000_000)))
    'a power has more than 3 digits'
    >>> excess(power_of(constant(Fraction(3)), Fraction(2)))
    """
    exact = [number for number in tree.all_numbers() if isinstance(number, Fraction)]
    if any(abs(power) > HIGHEST for power in tree.powers() if isinstance(power, Fraction)):
        return "a power has more than 3 digits"
    common = 1
    for number in exact:
        common = lcm(common, number.denominator)
        if _digits(common) > DIGITS:
            return f"its fractions have a common denominator of more than {DIGITS} digits"
    if _joined_digits(tree) > DIGITS:
        return f"its numbers, multiplied out, have more than {DIGITS} digits"
    return None


def _joined_digits(tree: Tree) -> float:
    """Return about how many digits the largest number has that algebra makes of a formula."""
    if isinstance(tree, WeightedSum):
        terms = (_number(weight) + _joined_digits(term) for weight, term in tree.terms)
        return max([_number(tree.constant), *terms])
    if isinstance(tree, PowerProduct):
        return sum(_joined_digits(f) * max(1.0, _size(p)) for f, p in tree.factors)
    return 0.0


def _size(power: Number) -> float:
    return float(abs(power)) if isinstance(power, Fraction) else 1.0


def _number(value: Number) -> float:
    if not isinstance(value, Fraction):
        return 0.0
    return max(_digits(abs(value.numerator)), _digits(value.denominator))


def _digits(value: int) -> float:
    return log10(value) if value else 0.0
