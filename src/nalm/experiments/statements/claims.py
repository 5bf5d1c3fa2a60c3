"""What a statement claims: relations between quantities of cells, each true or false of samples."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from typing import Any

import numpy as np

from nalm.experiments.statements.samples import Samples
from nalm.sweeps.types import CellKey, Quantity
from nalm.tasks import RANGES

NINE = tuple(RANGES)
ABOUT = 0.1
"""How far apart rates may be that are called the same: two or three runs of 25."""


class Relation(Enum):
    """How two numbers are related."""

    ABOVE = ("above", operator.gt)
    BELOW = ("below", operator.lt)
    AT_LEAST = ("at least", operator.ge)
    AT_MOST = ("at most", operator.le)
    EQUAL = ("equal", operator.eq)
    ABOUT = ("about equal", lambda a, b: np.abs(a - b) <= ABOUT)

    def __init__(self, words: str, test: Callable[[Any, Any], Any]) -> None:
        self.words, self.test = words, test


class MissingCells(Exception):
    """Cells that a claim needs were not run, or too little of them was kept."""

    def __init__(self, keys: Sequence[CellKey]) -> None:
        super().__init__(f"{len(keys)} cells are missing")
        self.keys = tuple(keys)


@dataclass(frozen=True)
class Series:
    """A quantity of several cells, one after the other.

    Parameters
    ----------
    keys
        The cells.
    quantity
        What of them.
    """

    keys: tuple[CellKey, ...]
    quantity: Quantity = Quantity.RATE

    def values(self, samples: Samples) -> np.ndarray:
        """Return the quantity, `(cells, 1 + repetitions)`; the first column is as measured."""
        found = [samples.of(key, self.quantity) for key in self.keys]
        missing = [key for key, values in zip(self.keys, found, strict=True) if values is None]
        if missing:
            raise MissingCells(missing)
        return np.stack([values for values in found if values is not None])

    def steps(self) -> "Series":
        """Return the mean steps of the same cells."""
        return replace(self, quantity=Quantity.SOLVED_AT)

    def sparsity(self) -> "Series":
        """Return the sparsity errors of the same cells."""
        return replace(self, quantity=Quantity.SPARSITY)

    def errors(self) -> "Series":
        """Return the median test errors of the same cells."""
        return replace(self, quantity=Quantity.TEST_ERROR)


def series(
    unit: str, op: str, inputs: int = 2, setting: str = "", ranges: Sequence[str] = NINE
) -> Series:
    """Return the success rates of a model over ranges."""
    return Series(tuple(CellKey(unit, op, r, inputs, setting) for r in ranges))


class Claim(ABC):
    """Something that is true or false of every repetition."""

    @abstractmethod
    def holds(self, samples: Samples) -> np.ndarray:
        """Return whether it holds, as measured and in each repetition.

        Raises
        ------
        MissingCells
            If cells are missing.
        """

    @abstractmethod
    def series(self) -> list[Series]:
        """Return what it is about."""


@dataclass(frozen=True)
class Count(Claim):
    """So many cells of a series are above (below, ...) a number, or those of another series."""

    left: Series
    relation: Relation
    right: Series | float
    least: int
    most: int

    def holds(self, samples: Samples) -> np.ndarray:
        """Return whether it holds, as measured and in each repetition."""
        right = self.right.values(samples) if isinstance(self.right, Series) else self.right
        count = np.sum(self.relation.test(self.left.values(samples), right), axis=0)
        return (count >= self.least) & (count <= self.most)

    def series(self) -> list[Series]:
        """Return what it is about."""
        return [self.left, *([self.right] if isinstance(self.right, Series) else [])]


def exactly(count: int, left: Series, relation: Relation, right: Series | float) -> Count:
    """Claim that a relation holds for exactly so many cells."""
    return Count(left, relation, right, count, count)


def at_least(count: int, left: Series, relation: Relation, right: Series | float) -> Count:
    """Claim that a relation holds for so many cells or more."""
    return Count(left, relation, right, count, len(left.keys))


def everywhere(left: Series, relation: Relation, right: Series | float) -> Count:
    """Claim that a relation holds for every cell."""
    return exactly(len(left.keys), left, relation, right)


def nowhere(left: Series, relation: Relation, right: Series | float) -> Count:
    """Claim that a relation holds for no cell."""
    return exactly(0, left, relation, right)


@dataclass(frozen=True)
class Means(Claim):
    """The mean of one series is above (below, ...) that of another, up to a margin."""

    left: Series
    relation: Relation
    right: Series
    margin: float = 0.0

    def holds(self, samples: Samples) -> np.ndarray:
        """Return whether it holds, as measured and in each repetition."""
        left, right = (s.values(samples).mean(axis=0) for s in (self.left, self.right))
        return self.relation.test(left, right + self.margin)

    def series(self) -> list[Series]:
        """Return what it is about."""
        return [self.left, self.right]


@dataclass(frozen=True)
class Apart(Claim):
    """Every value of one series is more than a multiple of every value of another."""

    left: Series
    factor: float
    right: Series

    def holds(self, samples: Samples) -> np.ndarray:
        """Return whether it holds, as measured and in each repetition."""
        left, right = (s.values(samples) for s in (self.left, self.right))
        return left.min(axis=0) > self.factor * right.max(axis=0)

    def series(self) -> list[Series]:
        """Return what it is about."""
        return [self.left, self.right]


@dataclass(frozen=True)
class All(Claim):
    """Several claims at once."""

    claims: tuple[Claim, ...] = field(default=())

    def holds(self, samples: Samples) -> np.ndarray:
        """Return whether it holds, as measured and in each repetition."""
        return reduce(np.logical_and, [claim.holds(samples) for claim in self.claims])

    def series(self) -> list[Series]:
        """Return what it is about."""
        return [s for claim in self.claims for s in claim.series()]


def both(*claims: Claim) -> All:
    """Claim several things at once."""
    return All(claims)
