"""One distribution for the first half of the inputs, another for the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from nalm._internal.types import Array, Namespace
from nalm.tasks.distributions._distribution import Joint, check_part
from nalm.tasks.distributions._text import split_label


@dataclass(frozen=True)
class Halves(Joint):
    """Inputs of two distributions: one for the first half of them, rounded down, one for the rest.

    Parameters
    ----------
    first, second
        Distributions of one input.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.tasks import Halves, Uniform
    >>> halves = Halves(Uniform(0, 1), Uniform(2, 3))
    >>> halves.inputs(np, [0.5, 0.5, 0.5])
    [0.5, 2.5, 2.5]
    >>> halves.label
    'U[0,1)&U[2,3)'
    """

    first: Any
    second: Any

    def __post_init__(self) -> None:
        check_part("Halves", "first", self.first)
        check_part("Halves", "second", self.second)

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of a sample, one array for each array of uniform numbers."""
        half = len(u) // 2
        return [(self.first if i < half else self.second).quantile(xp, v) for i, v in enumerate(u)]

    @property
    def label(self) -> str:
        """The labels of the two with `&` between them."""
        return f"{self.first.label}&{self.second.label}"

    @property
    def reaches_zero(self) -> bool:
        """Whether one of the two does."""
        return self.first.reaches_zero or self.second.reaches_zero

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the distribution that has this label."""
        parts = split_label(text, "&")
        return cls(*parts) if parts else None
