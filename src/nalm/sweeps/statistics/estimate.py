"""A number with its 95 % confidence interval: never without the runs it comes from."""

from dataclasses import dataclass
from enum import StrEnum
from math import isnan, nan
from typing import NamedTuple


class Method(StrEnum):
    """How an interval was computed."""

    WILSON = "wilson"
    """The score interval of a rate."""
    GAMMA = "gamma"
    """The profile likelihood of a gamma mean, for steps."""
    BETA = "beta"
    """The profile likelihood of a beta mean on [0, 1/2], for sparsity errors."""
    STUDENT = "student"
    """Student's interval of a sample mean."""
    ORDER = "order statistics"
    """Two of the values around a median."""
    AUTHORS = "authors"
    """The fit of the published code, which stops early (see `legacy`)."""
    PUBLISHED = "published"
    """As a paper prints it."""


class Interval(NamedTuple):
    """A 95 % confidence interval; NaN where there is none."""

    low: float
    high: float


UNKNOWN = Interval(nan, nan)


@dataclass(frozen=True)
class Estimate:
    """A rate, mean or median with its 95 % confidence interval.

    Parameters
    ----------
    value
        The number itself; NaN where there is none.
    low, high
        The ends of the interval; NaN where there is none.
    n
        How many runs it comes from; None where a paper does not say.
    method
        How the interval was computed.

    Examples
    --------
    >>> from nalm.sweeps.statistics import rate
    >>> print(rate(18, 25))
    0.72 [0.524, 0.857] (n = 25)
    """

    value: float
    low: float
    high: float
    n: int | None
    method: Method

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return Interval(self.low, self.high)

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return not isnan(self.value)

    def __str__(self) -> str:
        runs = "" if self.n is None else f" (n = {self.n})"
        if isnan(self.low) and isnan(self.high):
            return f"{self.value:.3g}{runs}"
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]{runs}"


NONE = Estimate(nan, nan, nan, 0, Method.STUDENT)
"""No number at all."""


def known(value: float) -> float | None:
    """Return a number, or None instead of NaN: JSON has no NaN."""
    return None if isnan(value) else value
