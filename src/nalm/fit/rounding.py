"""Exact numbers that a measured one may stand for."""

from collections.abc import Iterator
from fractions import Fraction
from math import floor, isfinite, log10

from nalm.fit.tree import number_bits

MARGIN = 10
"""How many times the error the distance to the next number of the kind must be.

Otherwise a value near a simple number is a coincidence.
"""
DENOMINATORS = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
DIGITS = (2, 3, 4, 5, 6)


def simplest(value: float, error: float) -> Fraction | None:
    """Return the simplest exact number within `error` of a value, if that is no coincidence.

    >>> simplest(2.0001, 0.01), simplest(0.33333, 1e-4), simplest(9.8102, 1e-3)
    (Fraction(2, 1), Fraction(1, 3), Fraction(981, 100))
    >>> simplest(2.345678912, 1e-9) is None
    True
    """
    if not (isfinite(value) and isfinite(error)):
        return None
    near = [number for number, gap in _kinds(value) if _fits(number, gap, value, error)]
    return min(near, key=number_bits) if near else None


def _fits(number: Fraction, gap: float, value: float, error: float) -> bool:
    return abs(float(number) - value) <= error and MARGIN * error <= gap


def _kinds(value: float) -> Iterator[tuple[Fraction, float]]:
    """Yield the nearest number of each kind, and how far apart the numbers of the kind are."""
    if abs(value) < 1e9:
        yield Fraction(round(value)), 1.0
        yield Fraction(round(2 * value), 2), 0.5
        for q in DENOMINATORS:
            yield Fraction(round(q * value), q), 1 / q**2
    if value != 0:
        exponent = floor(log10(abs(value)))
        for digits in DIGITS:
            unit = Fraction(10) ** (exponent - digits + 1)
            number = round(Fraction(value) / unit) * unit
            yield number, float(unit)
