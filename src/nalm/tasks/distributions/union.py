"""One of two distributions, each half of the time."""

from dataclasses import dataclass
from typing import Any, Self

from nalm._internal.types import Array, Namespace
from nalm.tasks.distributions._distribution import Distribution, check_part
from nalm.tasks.distributions._text import split_label


@dataclass(frozen=True)
class Union(Distribution):
    """Inputs of two distributions, often ranges, each with probability one half.

    Parameters
    ----------
    first, second
        Distributions of one input.

    Examples
    --------
    >>> from nalm.tasks import Uniform, Union
    >>> Union(Uniform(-6, -2), Uniform(2, 6)).label
    'U[-6,-2)|U[2,6)'
    """

    first: Any
    second: Any

    def __post_init__(self) -> None:
        check_part("Union", "first", self.first)
        check_part("Union", "second", self.second)

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        return xp.where(
            u < 0.5, self.first.quantile(xp, 2 * u), self.second.quantile(xp, 2 * u - 1)
        )

    @property
    def label(self) -> str:
        """The labels of the two with `|` between them."""
        return f"{self.first.label}|{self.second.label}"

    @property
    def reaches_zero(self) -> bool:
        """Whether one of the two does."""
        return self.first.reaches_zero or self.second.reaches_zero

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """The intervals of both; none if one of the two has none."""
        first, second = self.first.ranges, self.second.ranges
        return first + second if first and second else ()

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the union that has this label; further parts belong to the second."""
        parts = split_label(text, "|")
        return cls(*parts) if parts else None
