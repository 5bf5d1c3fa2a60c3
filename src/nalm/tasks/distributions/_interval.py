"""Distributions that fill an interval evenly."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from nalm._internal.types import Array, Namespace
from nalm.tasks.distributions._distribution import Distribution, text_of
from nalm.tasks.distributions._range import NUMBER, check_range


@dataclass(frozen=True)
class Interval(Distribution):
    """Inputs of the interval [low, high); what derives from it names the letter of its labels."""

    low: Any
    high: Any

    varying: ClassVar[tuple[str, ...]] = ("low", "high")
    letter: ClassVar[str]
    """What comes before the bounds in a label."""

    def __post_init__(self) -> None:
        check_range(self)

    def quantile(self, xp: Namespace, u: Array) -> Array:  # noqa: ARG002 (as every distribution)
        """Return the inputs of uniform numbers."""
        return self.low + (self.high - self.low) * u

    @property
    def label(self) -> str:
        """The name in tables: `U[1,2)`, with its letter."""
        return f"{self.letter}[{text_of(self.low)},{text_of(self.high)})"

    @property
    def reaches_zero(self) -> bool:
        """Whether zero is between the bounds."""
        return self.low <= 0 <= self.high

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the interval that has this label."""
        found = re.fullmatch(rf"{cls.letter}\[({NUMBER}),({NUMBER})\)", text)
        return cls(*map(float, found.groups())) if found else None
