"""A scale that grows along a straight line."""

from dataclasses import dataclass, replace
from typing import Self, final

from nalm._internal.checks import check_whole, not_negative
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.training.schedules._schedule import Schedule


@final
@dataclass(frozen=True)
class Ramp(Schedule):
    """0 up to the step `start`, then a straight line to `scale` at the step `end`.

    Parameters
    ----------
    scale
        The value from `end` on, at least 0.
    start, end
        Steps, `0 <= start < end`.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.training import Ramp
    >>> Ramp(10.0, 20_000, 35_000).value(np, np.array([19_999, 27_500, 35_000]), np.nan).tolist()
    [0.0, 5.0, 10.0]
    """

    scale: float
    start: int
    end: int

    def __post_init__(self) -> None:
        not_negative("scale of a ramp", self.scale)
        check_whole("start of a ramp, a step,", self.start, 0)
        check_whole("end of a ramp, a step,", self.end, 1)
        if not self.start < self.end:
            raise InputError(f"A ramp has 0 <= start < end; received {self.start} to {self.end}.")

    def value(self, xp: Namespace, step: Array, validation: Array) -> Array:  # noqa: ARG002
        """Return the scale at a step."""
        share = (step - self.start) / (self.end - self.start)
        return self.scale * xp.where(share < 0, 0.0, xp.where(share > 1, 1.0, share))

    @property
    def words(self) -> str:
        """What it is, as a report says it."""
        return f"from 0 at step {self.start:,} to {self.scale:g} at step {self.end:,}"

    def stretched(self, share: float) -> Self:
        """Return the ramp with its steps times `share`."""
        start = int(self.start * share)
        return replace(self, start=start, end=max(start + 1, int(self.end * share)))

    def split(self) -> tuple[float, Schedule]:
        """Return the scale, and the ramp to 1."""
        return self.scale, replace(self, scale=1.0)
