"""What a family of formulas is: the contract of the files in `families`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nalm.fitting.evidence.refit import never
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Tree


def anything(_: Tree) -> bool:
    """Allow every formula."""
    return True


@dataclass(frozen=True)
class Problem:
    """What a family is given: the rows to explain, and how long and how hard to look."""

    rows: Rows
    """The rows that the search sees."""
    epsilon: float
    """The relative rounding error of their numbers."""
    rng: np.random.Generator
    """The only source of random numbers, so that the same seed gives the same search."""
    stop: Callable[[], bool]
    """Whether the time is over; asked now and then."""
    more: Rows
    """These rows and others that the search need not see; none of them is held out."""
    effort: int = 1
    """How often a family that starts at random repeats its search."""
    noisy: Callable[[], bool] = never
    """Whether a formula is known whose errors look random, so that no formula is exact."""


@dataclass(frozen=True)
class Stage:
    """Some formulas of a family, and what follows once all of them were considered."""

    name: str
    trees: Iterator[Tree]
    """Candidates; their measured numbers need not be fitted precisely."""
    settle: bool = False
    """Whether the best candidates that cannot be exact are settled after it."""
    enough: bool = False
    """Whether a formula that is verified within noise ends the search after it.

    Noise hides what larger formulas would add.
    """
    plain: bool = False
    """Whether only a plain formula ends it: one with hardly any measured number.

    Several measured numbers can make up for the function that a law has.
    """
    sure: bool = False
    """Whether only a formula ends it that noise does not make doubtful at the end."""


class Family(ABC):
    """A kind of formula and the way to find it in a table.

    A family is added with one file that has a subclass, and one line in `families.FAMILIES`.
    """

    name: ClassVar[str]
    """What progress calls it."""

    @abstractmethod
    def stages(self, problem: Problem) -> Iterator[Stage]:
        """Yield its formulas in stages, smaller formulas first."""
