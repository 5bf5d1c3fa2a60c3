"""A scale that never changes."""

from dataclasses import dataclass, replace
from typing import Self, final

from nalm._internal.checks import not_negative
from nalm._internal.types import Array, Namespace
from nalm.training.schedules._schedule import Schedule


@final
@dataclass(frozen=True)
class Constant(Schedule):
    """`scale` at every step.

    Parameters
    ----------
    scale
        The value, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.training import Constant
    >>> Constant(0.01).value(np, np.array([0, 50_000]), np.nan).tolist()
    [0.01, 0.01]
    """

    scale: float

    def __post_init__(self) -> None:
        not_negative("scale of a penalty", self.scale)

    def value(self, xp: Namespace, step: Array, validation: Array) -> Array:  # noqa: ARG002
        """Return the scale."""
        return xp.where(step < 0, 0.0, self.scale)

    @property
    def words(self) -> str:
        """What it is, as a report says it."""
        return f"{self.scale:g}"

    def stretched(self, share: float) -> Self:  # noqa: ARG002 (as every schedule)
        """Return itself."""
        return self

    def split(self) -> tuple[float, Schedule]:
        """Return the scale, and the schedule of scale 1."""
        return self.scale, replace(self, scale=1.0)
