"""Normal numbers within bounds."""

import re
from dataclasses import dataclass
from typing import Any, Self

from nalm._internal.checks import shown
from nalm._internal.ops import normal_cdf, normal_quantile
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Distribution, text_of
from nalm.tasks.distributions._range import NUMBER, check_numbers, check_range


@dataclass(frozen=True)
class TruncatedNormal(Distribution):
    """Inputs of a normal distribution that is cut to [low, high).

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the normal distribution before it is cut.
    low, high
        The bounds.

    Examples
    --------
    >>> from nalm.tasks import TruncatedNormal
    >>> TruncatedNormal(0, 1, -5, 5).label
    'TN(0,1)[-5,5)'
    """

    mean: Any
    sd: Any
    low: Any
    high: Any

    varying = ("mean", "sd", "low", "high")

    def __post_init__(self) -> None:
        check_range(self)
        check_numbers(self, "mean", "sd")
        if self.sd <= 0:
            raise InputError(f"sd of TruncatedNormal is above 0; received {shown(self.sd)}.")

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        low, high = (
            normal_cdf(xp, (xp.asarray(bound, dtype=u.dtype) - self.mean) / self.sd)
            for bound in (self.low, self.high)
        )
        return self.mean + self.sd * normal_quantile(xp, low + (high - low) * u)

    @property
    def label(self) -> str:
        """The name in tables: `TN(0,1)[-5,5)`, mean and standard deviation first."""
        mean, sd, low, high = map(text_of, (self.mean, self.sd, self.low, self.high))
        return f"TN({mean},{sd})[{low},{high})"

    @property
    def reaches_zero(self) -> bool:
        """Whether zero is between the bounds."""
        return self.low <= 0 <= self.high

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the distribution that has this label."""
        found = re.fullmatch(rf"TN\(({NUMBER}),({NUMBER})\)\[({NUMBER}),({NUMBER})\)", text)
        return cls(*map(float, found.groups())) if found else None
