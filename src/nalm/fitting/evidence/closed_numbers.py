"""Multiples of π, e and roots that a measured number may stand for, if its digits allow it."""

from collections.abc import Iterator
from fractions import Fraction
from math import e, isfinite, log2, pi

from nalm.fitting.tree.closed import ROOTS, Closed

SURE = 14.0
"""How many bits more than the description of the exact number the measured one must have."""
PI_POWERS = tuple(Fraction(i, 2) for i in range(-4, 5))
E_POWERS = (Fraction(0), Fraction(1), Fraction(-1))
DENOMINATORS, LARGEST = 12, 64
"""The largest denominator and numerator of the fraction."""
NEAR = 3.0
"""How many standard errors the exact number may be off."""


def closed_number(value: float, error: float) -> Closed | None:
    """Return the simplest multiple of π, e or a root within the error, if that is no coincidence.

    >>> closed_number(6.283185307, 1e-9), closed_number(9.87, 0.01)
    (2*pi, None)
    """
    if not (isfinite(value) and isfinite(error)) or value == 0:
        return None
    error = max(error, 4e-16 * abs(value))
    digits = log2(abs(value) / error) if error < abs(value) else 0.0
    near = (c for c in _multiples(value) if abs(float(c) - value) <= NEAR * error)
    fitting = (c for c in near if c.bits() + SURE <= digits)
    return min(fitting, key=Closed.bits, default=None)


def _multiples(value: float) -> Iterator[Closed]:
    for pi_power in PI_POWERS:
        for e_power in E_POWERS:
            for root in ROOTS:
                if pi_power == e_power == 0 and root == 1:
                    continue
                unit = pi ** float(pi_power) * e ** float(e_power) * root**0.5
                fraction = Fraction(value / unit).limit_denominator(DENOMINATORS)
                if 0 < abs(fraction.numerator) <= LARGEST:
                    yield Closed(fraction, pi_power, e_power, root)
