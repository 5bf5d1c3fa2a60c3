"""Inputs that are often equal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nalm._internal.checks import shown
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Joint, check_part
from nalm.tasks.distributions._range import check_numbers


@dataclass(frozen=True)
class Tied(Joint):
    """Inputs of one distribution; each after the first repeats the first with some probability.

    Parameters
    ----------
    each
        The distribution of one input.
    share
        The probability, at least 0 and below 1.

    Examples
    --------
    >>> from nalm.tasks import Grid, Tied
    >>> Tied(Grid(1, 9), 0.4).label
    '1..9 tied'
    """

    each: Any
    share: Any

    varying = ("share",)

    def __post_init__(self) -> None:
        check_part("Tied", "each", self.each)
        check_numbers(self, "share")
        if not 0 <= self.share < 1:
            raise InputError(
                f"share of Tied is at least 0 and below 1; received {shown(self.share)}."
            )

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of a sample, one array for each array of uniform numbers."""
        first = self.each.quantile(xp, u[0])
        return [first, *(self._repeated(xp, first, v) for v in u[1:])]

    def _repeated(self, xp: Namespace, first: Array, u: Array) -> Array:
        tied = u < self.share
        other = xp.where(tied, 0.5, (u - self.share) / (1 - self.share))
        return xp.where(tied, first, self.each.quantile(xp, other))

    @property
    def label(self) -> str:
        """The label of one input and `tied`."""
        return f"{self.each.label} tied"

    @property
    def reaches_zero(self) -> bool:
        """Whether one input does."""
        return self.each.reaches_zero
