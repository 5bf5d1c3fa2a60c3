"""Whole numbers as they are in account books: small leading digits are frequent."""

import re
from dataclasses import dataclass
from typing import Self

import numpy as np

from nalm._internal.checks import check_whole, shown
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Distribution, text_of

BENFORD = (0.301, 0.176, 0.125, 0.097, 0.079, 0.067, 0.058, 0.051, 0.046)
"""The probabilities of the leading digits 1 to 9."""
LARGEST = 10**15
"""The largest bound: whole numbers up to it are exact floating-point numbers."""


@dataclass(frozen=True)
class Benford(Distribution):
    """Whole numbers from low to high, whose leading digit follows Benford's law.

    What follows the leading digit is a uniform integer in [low/10, high/10).

    Parameters
    ----------
    low, high
        Whole numbers; `high` is ten times `low` in the published ranges.

    Examples
    --------
    >>> from nalm.tasks import Benford
    >>> Benford(10, 100).label
    'B[10,100)'
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        check_whole("low of Benford", self.low, 10)
        check_whole("high of Benford", self.high, 20)
        if self.high > LARGEST:
            raise InputError(f"high of Benford is at most {LARGEST}; received {shown(self.high)}.")
        if self.high // 10 <= self.low // 10:
            raise InputError(
                f"A range has finite bounds with lower < upper; received [{self.low}, {self.high})."
            )

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        edges = np.concatenate([[0.0], np.cumsum(BENFORD)])
        first, count = self.low // 10, self.high // 10 - self.low // 10
        value = xp.zeros_like(u)
        for digit in range(1, 10):
            inside = (u - edges[digit - 1]) / (edges[digit] - edges[digit - 1])
            rest = first + xp.floor(xp.where(inside < 1, inside, 0.999999) * count)
            value = xp.where(u >= edges[digit - 1], digit * self.low + rest, value)
        return value

    @property
    def label(self) -> str:
        """The name in tables: `B[10,100)`."""
        return f"B[{text_of(self.low)},{text_of(self.high)})"

    @property
    def reaches_zero(self) -> bool:
        """Never: the leading digit is at least 1."""
        return False

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the distribution that has this label."""
        found = re.fullmatch(r"B\[(\d{1,18}),(\d{1,18})\)", text)
        return cls(*map(int, found.groups())) if found else None
