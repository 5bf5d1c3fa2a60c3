"""Multiples of π, e and roots that a measured number may stand for, if its digits allow it."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import e, isfinite, log2, pi
from typing import NamedTuple

import numpy as np

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
    if digits < SURE:
        return None
    near = (c for c in _multiples(value, error) if abs(float(c) - value) <= NEAR * error)
    fitting = (c for c in near if c.bits() + SURE <= digits)
    return min(fitting, key=Closed.bits, default=None)


class _Units(NamedTuple):
    """Products of powers of π and e and of a root, but for 1."""

    values: np.ndarray
    powers: list[tuple[Fraction, Fraction, int]]


@cache
def _units() -> _Units:
    powers = [
        (p, q, r) for p in PI_POWERS for q in E_POWERS for r in ROOTS if (p, q, r) != (0, 0, 1)
    ]
    values = [pi ** float(p) * e ** float(q) * r**0.5 for p, q, r in powers]
    return _Units(np.array(values), powers)


def _multiples(value: float, error: float) -> Iterator[Closed]:
    """Yield the multiples that may be near: those that a fraction of small numbers leads to."""
    values, powers = _units()
    quotients = value / values
    denominators = np.arange(1, DENOMINATORS + 1)[:, None]
    off = np.abs(np.round(quotients * denominators) / denominators - quotients)
    near = np.min(off, axis=0) <= 2 * NEAR * (error / values + 1e-15 * np.abs(quotients))
    for i in np.flatnonzero(near):
        fraction = Fraction(float(quotients[i])).limit_denominator(DENOMINATORS)
        if 0 < abs(fraction.numerator) <= LARGEST:
            yield Closed(fraction, *powers[i])
