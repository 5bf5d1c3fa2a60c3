"""The numbers of a formula: exact ones are fractions, measured ones are floats."""

from fractions import Fraction
from functools import lru_cache
from math import log2
from typing import TypeGuard

from nalm.fitting.tree.closed import Closed

Number = Fraction | float
"""Exact (`Fraction`), which stays as it is, or measured (`float`), which is fitted."""
ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


def is_measured(value: Number) -> TypeGuard[float]:
    """Whether a number is fitted: neither a fraction nor a multiple of π, e or a root."""
    return isinstance(value, float) and not isinstance(value, Closed)


def description_bits(value: Number, precision: float) -> float:
    """Return the bits of a number: `precision` for a measured one, its digits for an exact one."""
    if isinstance(value, Closed):
        return 2 + value.bits()
    return exact_bits(value) if isinstance(value, Fraction) else precision


@lru_cache(maxsize=10_000)
def exact_bits(value: Fraction) -> float:
    """Return the bits of an exact number: few for 0 and ±1, more for each digit.

    >>> exact_bits(Fraction(1)) < exact_bits(Fraction(2)) < exact_bits(Fraction(1, 3))
    True
    """
    if value == 0:
        return 0.5
    if abs(value) == 1:
        return 1.0
    digits, scale = _decimal(value)
    plain = log2(abs(value.numerator) + 1) + 2 * log2(value.denominator)
    return 2 + min(plain, log2(digits + 1) + 2 + 2 * log2(abs(scale) + 1) if digits else plain)


def _decimal(value: Fraction) -> tuple[int, int]:
    """Return the digits of a decimal number and the power of ten; 0 digits if there is none."""
    rest = value.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest //= 2
        twos += 1
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        return 0, 0
    places = max(twos, fives)
    digits = abs(int(value * 10**places))
    while digits and digits % 10 == 0:
        digits //= 10
        places -= 1
    return digits, -places
