"""A scale that is multiplied again and again."""

from dataclasses import dataclass, replace
from math import ceil, log
from typing import Self, final

from nalm._internal.checks import check_number, check_whole, positive
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.training.schedules._schedule import Schedule


@final
@dataclass(frozen=True)
class Growth(Schedule):
    """`first`, multiplied by `factor` every `every` steps, up to `last`.

    Parameters
    ----------
    first, last
        The first and the largest value, both above 0.
    every
        After how many steps it is multiplied.
    factor
        What it is multiplied by, above 1.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.training import Growth
    >>> steps = np.array([0, 9_999, 10_000, 20_000, 90_000])
    >>> Growth(1e-9, 1e-7).value(np, steps, np.nan).tolist()
    [1e-09, 1e-09, 1e-08, 1e-07, 1e-07]
    """

    first: float
    last: float
    every: int = 10_000
    factor: float = 10.0

    def __post_init__(self) -> None:
        positive("first scale", self.first)
        positive("last scale", self.last)
        check_whole("every", self.every, 1)
        check_number("factor", self.factor, "above 1", lambda factor: factor > 1)
        if self.first > self.last:
            raise InputError(f"A scale grows from first to last by a factor above 1: {self}.")

    def value(self, xp: Namespace, step: Array, validation: Array) -> Array:  # noqa: ARG002
        """Return the scale after as many multiplications as the step and `last` allow."""
        most = max(0, ceil(log(self.last / self.first) / log(self.factor) - 1e-9))
        value = self.first + 0.0 * step
        for k in range(1, most + 1):
            reached = self.last if k == most else self.first * self.factor**k
            value = xp.where(step >= k * self.every, reached, value)
        return value

    @property
    def words(self) -> str:
        """What it is, as a report says it."""
        return (
            f"{self.first:g}, times {self.factor:g} every {self.every:,} steps, up to {self.last:g}"
        )

    def stretched(self, share: float) -> Self:
        """Return the schedule with `every` times `share`."""
        return replace(self, every=max(1, int(self.every * share)))
