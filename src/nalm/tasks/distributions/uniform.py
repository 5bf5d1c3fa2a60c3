"""Numbers of a range, each equally likely."""

from dataclasses import dataclass

from nalm.tasks.distributions._distribution import Distribution
from nalm.tasks.distributions._interval import Interval
from nalm.tasks.distributions.union import Union


@dataclass(frozen=True)
class Uniform(Interval):
    """Inputs that are uniform in [low, high).

    Parameters
    ----------
    low, high
        The bounds, finite numbers with low < high.

    Examples
    --------
    >>> from nalm.tasks import Uniform
    >>> Uniform(1, 2).label, Uniform(-2, 2).reaches_zero
    ('U[1,2)', True)
    """

    letter = "U"

    def test_form(self) -> Distribution:
        """Return a union of its halves, so that ranges and unions share a program."""
        middle = (self.low + self.high) / 2
        return Union(Uniform(self.low, middle), Uniform(middle, self.high))

    def beyond(self, times: float) -> Distribution:
        """Return the range that follows, so many times as wide; both sides of one around zero."""
        width = self.high - self.low
        if self.low >= 0:
            return Uniform(self.high, self.high + times * width)
        if self.high <= 0:
            return Uniform(self.low - times * width, self.low)
        return Union(Uniform(self.low - width, self.low), Uniform(self.high, self.high + width))
