"""How large a formula may be, so that algebra and print end at once, whoever wrote it."""

from fractions import Fraction
from math import lcm, log10

from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.functions import EXP, LOG
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import PowerProduct, WeightedSum, columns_of
from nalm.fitting.tree.number import Number

DEEPEST = 60
"""How many operations may be inside each other."""
DIGITS = 1000
"""The most digits of an exact number, multiplied out with those that algebra joins it with."""
HIGHEST = 1000
"""The highest power."""


def excess(tree: Tree) -> str | None:
    """Return which limit a formula exceeds, or None.

    >>> from nalm.fitting.tree import constant, power_of
    >>> excess(power_of(constant(Fraction(3)), Fraction(3_000_000)))
    'a power has more than 3 digits'
    >>> excess(power_of(constant(Fraction(3)), Fraction(2)))
    """
    exact = [number for number in tree.all_numbers() if isinstance(number, Fraction)]
    if any(abs(power) > HIGHEST for power in tree.powers()):
        return "a power has more than 3 digits"
    functions = [node for node in tree.walk() if isinstance(node, Applied | VariablePower)]
    if any(not columns_of(node.children[-1]) for node in functions):
        return "a function is of a number, which is a number itself"
    powers = [node for node in functions if _is_power(node)]
    if any(abs(n) > HIGHEST for p in powers for n in p.all_numbers() if isinstance(n, Fraction)):
        return "a number in an exponent has more than 3 digits"
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
    inner = max(map(_joined_digits, tree.children), default=0.0)
    return inner * HIGHEST if _is_power(tree) else inner


def _is_power(tree: Tree) -> bool:
    """Whether algebra may make a power of a function: of `exp(2*log(a))` the square of `a`."""
    if isinstance(tree, Applied):
        return tree.function is EXP and _has_logarithm(tree)
    return isinstance(tree, VariablePower)


def _has_logarithm(tree: Tree) -> bool:
    return any(isinstance(node, Applied) and node.function is LOG for node in tree.walk())


def _size(power: Number) -> float:
    return float(abs(power)) if isinstance(power, Fraction) else 1.0


def _number(value: Number) -> float:
    if not isinstance(value, Fraction):
        return 0.0
    return max(_digits(abs(value.numerator)), _digits(value.denominator))


def _digits(value: int) -> float:
    return log10(value) if value else 0.0
