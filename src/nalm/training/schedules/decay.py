"""A learning rate that falls in steps."""

from dataclasses import dataclass, replace
from typing import Self, final

from nalm._internal.checks import check_number, check_whole
from nalm._internal.types import Array, Namespace
from nalm.training.schedules._schedule import Schedule


@final
@dataclass(frozen=True)
class Decay(Schedule):
    """1, multiplied by `factor` every `every` steps: the share of the learning rate that is left.

    Parameters
    ----------
    every
        After how many steps it is multiplied.
    factor
        What it is multiplied by, above 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.training import Decay
    >>> Decay(10_000, 0.5).value(np, np.array([0, 9_999, 10_000, 25_000]), np.nan).tolist()
    [1.0, 1.0, 0.5, 0.25]
    """

    every: int
    factor: float = 0.1

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        check_number("factor", self.factor, "above 0, at most 1", lambda factor: 0 < factor <= 1)

    def value(self, xp: Namespace, step: Array, validation: Array) -> Array:  # noqa: ARG002
        """Return the share of the learning rate that is left at a step."""
        return self.factor ** (step // self.every)

    @property
    def words(self) -> str:
        """What it is, as a report says it."""
        return f"times {self.factor:g} every {self.every:,} steps"

    def stretched(self, share: float) -> Self:
        """Return the schedule with `every` times `share`."""
        return replace(self, every=max(1, int(self.every * share)))
