"""Inputs that are neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from nalm._internal.types import Array, Namespace
from nalm.tasks.distributions._distribution import Joint, check_part
from nalm.tasks.distributions._text import split_label


@dataclass(frozen=True)
class Near(Joint):
    """The first input is of one distribution; each further one is the first plus an offset.

    Parameters
    ----------
    first
        The distribution of the first input.
    offset
        The distribution of what is added to it.

    Examples
    --------
    >>> from nalm.tasks import Grid, Near
    >>> Near(Grid(100, 999), Grid(-5, 5)).label
    '100..999+-5..5'
    """

    first: Any
    offset: Any

    def __post_init__(self) -> None:
        check_part("Near", "first", self.first)
        check_part("Near", "offset", self.offset)

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of a sample, one array for each array of uniform numbers."""
        first = self.first.quantile(xp, u[0])
        return [first, *(first + self.offset.quantile(xp, v) for v in u[1:])]

    @property
    def label(self) -> str:
        """The labels of the two with `+` between them."""
        return f"{self.first.label}+{self.offset.label}"

    @property
    def reaches_zero(self) -> bool:
        """True, for an offset may be minus the first input; where it cannot, this is cautious."""
        return True

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the distribution that has this label."""
        parts = split_label(text, "+")
        return cls(*parts) if parts else None
