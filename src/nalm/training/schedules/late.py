"""A scale that applies late, once the error is small."""

from dataclasses import dataclass, replace
from typing import Self, final

from nalm._internal.checks import check_whole, not_negative, positive
from nalm._internal.types import Array, Namespace
from nalm.training.schedules._schedule import Schedule


@final
@dataclass(frozen=True)
class Late(Schedule):
    """`scale` after the step `after`, while the last validation error is below `below`; else 0.

    Parameters
    ----------
    scale
        The value while it applies, at least 0.
    after
        The last step at which it is 0 in any case.
    below
        The validation error has to be smaller than this.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.training import Late
    >>> Late(2.0, after=10, below=1.0).value(np, np.array([10, 11, 11]), np.array([0, 0, 3.0]))
    array([0., 2., 0.])
    """

    scale: float
    after: int
    below: float

    def __post_init__(self) -> None:
        not_negative("scale of a late penalty", self.scale)
        check_whole("after", self.after, 0)
        positive("below", self.below)

    def value(self, xp: Namespace, step: Array, validation: Array) -> Array:
        """Return the scale at a step."""
        return xp.where((step > self.after) & (validation < self.below), self.scale, 0.0)

    @property
    def words(self) -> str:
        """What it is, as a report says it."""
        below = f"while the validation error is below {self.below:g}"
        return f"{self.scale:g} after step {self.after:,}, {below}"

    def stretched(self, share: float) -> Self:
        """Return the schedule with its step times `share`."""
        return replace(self, after=int(self.after * share))

    def split(self) -> tuple[float, Schedule]:
        """Return the scale, and the schedule of scale 1."""
        return self.scale, replace(self, scale=1.0)
