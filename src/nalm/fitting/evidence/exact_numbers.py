"""Exact numbers that a measured one may stand for."""

from collections.abc import Iterator
from fractions import Fraction
from math import e, floor, isfinite, log10, pi, sqrt

import numpy as np

from nalm.fitting.tree.number import exact_bits

MARGIN = 10
"""How many times the error the distance to the next number of the kind must be.

Otherwise a value near a simple number is a coincidence.
"""
DENOMINATORS = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
DIGITS = (2, 3, 4, 5, 6)
IRRATIONAL = (
    pi, 2 * pi, 4 * pi, pi / 2, pi / 4, pi**2, 4 * pi**2, 1 / pi, 1 / (2 * pi), 1 / (4 * pi),
    e, sqrt(2), 1 / sqrt(2), sqrt(3), sqrt(pi), sqrt(2 * pi), 1 / sqrt(2 * pi),
)  # fmt: skip
"""Numbers that laws have as often as simple fractions."""


def simplest(value: float, error: float, doubt: float | None = None) -> Fraction | None:
    """Return the simplest exact number within `error` of a value, if that is no coincidence.

    It is one where a number such as pi is within `doubt` of the value, which is `error` if absent.

    >>> simplest(2.0001, 0.01), simplest(0.33333, 1e-4), simplest(9.8102, 1e-3)
    (Fraction(2, 1), Fraction(1, 3), Fraction(981, 100))
    >>> simplest(2.345678912, 1e-9) is None
    True

    Near 10 the number may as well be the square of pi, unless the error is small.

    >>> simplest(9.95, 0.1) is None, simplest(9.99, 0.03)
    (True, Fraction(10, 1))
    """
    if not (isfinite(value) and isfinite(error)):
        return None
    if any(abs(abs(value) - number) <= (doubt or error) for number in IRRATIONAL):
        return None
    return min(dict.fromkeys(_near(value, error)), key=exact_bits, default=None)


def near_exact(values: np.ndarray, share: float) -> np.ndarray:
    """Return which values have a number of some kind within a share of them, all at once.

    All that `simplest` finds is among them.

    >>> near_exact(np.array([0.5, 1 / 3, 9.81, 2.345678912]), 1e-9)
    array([ True,  True,  True, False])
    """
    values = np.abs(values)
    error = share * values * (1 + 1e-9)
    near = values == 0
    with np.errstate(all="ignore"):
        for q in (1, 2, *DENOMINATORS):
            near |= np.abs(np.round(q * values) / q - values) <= error
        exponent = np.floor(np.log10(values))
        for digits in DIGITS:
            unit = 10.0 ** (exponent - digits + 1)
            near |= np.abs(np.round(values / unit) * unit - values) <= error
    return near


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
