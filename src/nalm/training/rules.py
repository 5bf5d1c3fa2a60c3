"""What may happen to the weights of a run besides its steps."""

from dataclasses import dataclass, replace
from typing import Self, final

from nalm._internal.checks import check_whole, not_negative


@final
@dataclass(frozen=True)
class Reinitialize:
    """Draw all parameters anew when training is stuck.

    Each step appends the last validation error to a list. Every `every` steps, once the list has
    more than `memory` values: if the mean of its first half is no more than the mean plus the
    standard deviation of its second half, and the mean of the second half is above `above`, the
    parameters are drawn anew and the list is emptied. The optimizer keeps its state.

    Parameters
    ----------
    every
        How often, in steps, it is decided.
    memory
        How many steps have to pass before.
    above
        The validation error that is low enough not to begin again.

    Examples
    --------
    >>> from nalm.training import Recipe, Reinitialize
    >>> Recipe(reinitialize=Reinitialize(memory=10_000)).reinitialize
    Reinitialize(every=10, memory=10000, above=1.0)
    """

    every: int = 10
    memory: int = 5000
    above: float = 1.0

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        check_whole("memory", self.memory, 1)
        not_negative("above", self.above)


@final
@dataclass(frozen=True)
class Snap:
    """Weights become discrete one after the other.

    From step `start` on, every `every` steps, the free weight that is nearest to -1, 0 or 1 is set
    to it for good; the others go on learning.

    Parameters
    ----------
    start
        The step after which the first weight is set.
    every
        After how many steps another one is.

    Examples
    --------
    >>> from nalm.training import Recipe, Snap
    >>> Recipe(steps=1_000, snap=Snap(500, every=10)).stretched(100).snap
    Snap(start=50, every=1)
    """

    start: int
    every: int = 1

    def __post_init__(self) -> None:
        check_whole("start", self.start, 0)
        check_whole("every", self.every, 1)

    def stretched(self, share: float) -> Self:
        """Return the rule for training that takes `share` times as many steps."""
        return replace(self, start=int(self.start * share), every=max(1, int(self.every * share)))
