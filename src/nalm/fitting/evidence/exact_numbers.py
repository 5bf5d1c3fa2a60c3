"""Exact numbers that a measured one may stand for."""

from collections.abc import Iterator
from fractions import Fraction
from math import floor, isfinite, log10

from nalm.fitting.tree.number import exact_bits

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
    return min(_near(value, error), key=exact_bits, default=None)


def _near(value: float, error: float) -> Iterator[Fraction]:
    """Yield the nearest number of each kind, if it is near and its kind is sparse enough."""
    if abs(value) < 1e9:
        for q in (1, 2, *DENOMINATORS):
            whole = round(q * value)
            gap = 1 / q if q <= 2 else 1 / q**2
            if MARGIN * error <= gap and abs(whole / q - value) <= error:
                yield Fraction(whole, q)
    if value != 0 and abs(value) > 1e-300:
        exponent = floor(log10(abs(value)))
        for digits in DIGITS:
            places = exponent - digits + 1
            unit = 10.0**places
            whole = round(value / unit)
            if MARGIN * error <= unit and abs(whole * unit - value) <= error:
                yield whole * Fraction(10) ** places
