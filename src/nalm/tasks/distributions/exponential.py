"""Positive numbers, most of them small."""

import re
from dataclasses import dataclass
from typing import Any, Self

from nalm._internal.checks import shown
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Distribution, text_of
from nalm.tasks.distributions._range import NUMBER, check_numbers


@dataclass(frozen=True)
class Exponential(Distribution):
    """Inputs of an exponential distribution.

    Parameters
    ----------
    scale
        Its mean, above 0.

    Examples
    --------
    >>> from nalm.tasks import Exponential
    >>> Exponential(5).label
    'Exp(5)'
    """

    scale: Any

    varying = ("scale",)

    def __post_init__(self) -> None:
        check_numbers(self, "scale")
        if self.scale <= 0:
            raise InputError(f"scale of Exponential is above 0; received {shown(self.scale)}.")

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        return -self.scale * xp.log(1 - u)

    @property
    def label(self) -> str:
        """The name in tables: `Exp(5)`."""
        return f"Exp({text_of(self.scale)})"

    @property
    def reaches_zero(self) -> bool:
        """Always: the smallest numbers are the most frequent."""
        return True

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the distribution that has this label."""
        found = re.fullmatch(rf"Exp\(({NUMBER})\)", text)
        return cls(float(found[1])) if found else None
