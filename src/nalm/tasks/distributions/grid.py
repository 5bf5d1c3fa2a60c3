"""Numbers at equal distances."""

import re
from dataclasses import dataclass
from math import isclose
from typing import Any, Self

from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Distribution, text_of
from nalm.tasks.distributions._range import NUMBER, check_numbers


@dataclass(frozen=True)
class Grid(Distribution):
    """The numbers low, low + step, ... up to high, each equally likely.

    Parameters
    ----------
    low, high
        The first and the last number.
    step
        The distance of neighbours, above 0.

    Examples
    --------
    >>> from nalm.tasks import Grid
    >>> Grid(1, 9).label, Grid(1, 9, 0.1).label
    ('1..9', '1..9 by 0.1')
    >>> Grid(0.001, 9 * 0.001, 0.001).label
    '0.001..0.009 by 0.001'
    """

    low: Any
    high: Any
    step: Any = 1.0

    varying = ("low", "high", "step")

    def __post_init__(self) -> None:
        check_numbers(self, "low", "high", "step")
        if self.step <= 0 or self.high < self.low:
            raise InputError(
                "A grid goes from low up to high in steps above 0; received "
                f"low={self.low:g}, high={self.high:g}, step={self.step:g}."
            )

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        count = xp.round((self.high - self.low) / xp.asarray(self.step, dtype=u.dtype)) + 1
        return self.low + self.step * xp.floor(count * u)

    @property
    def label(self) -> str:
        """The name in tables: `1..9`, with the step where it is not 1."""
        step = f" by {text_of(self.step)}" if self.step != 1 else ""
        return f"{text_of(self.low)}..{text_of(_without_rounding(self.high))}{step}"

    @property
    def reaches_zero(self) -> bool:
        """Whether zero is between the first and the last number."""
        return self.low <= 0 <= self.high

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the grid that has this label."""
        whole = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
        found = re.fullmatch(rf"({whole})\.\.({NUMBER})(?: by ({NUMBER}))?", text)
        return cls(*(float(part) for part in found.groups() if part)) if found else None


def _without_rounding(number: Any) -> Any:
    """Return a number without the rounding of a product: 9 * 0.001 is 0.009."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return number
    short = float(f"{number:g}")
    return short if isclose(short, number, rel_tol=1e-12) else number
