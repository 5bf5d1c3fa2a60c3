"""What a loss is: of a batch as a whole, or the mean of a term per sample."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import final

from array_api_compat import array_namespace

from nalm._internal.types import Array


class Loss(ABC):
    """What training minimizes: a frozen dataclass. Derive from `SampleLoss` or `BatchLoss`."""

    @final
    @property
    def name(self) -> str:
        """The name of its class in lower case."""
        return type(self).__name__.lower()

    @abstractmethod
    def value(self, y: Array, t: Array) -> Array:
        """Return the loss of a batch of predictions `y` for targets `t`, a scalar."""

    @property
    @abstractmethod
    def per_sample(self) -> Callable[[Array, Array], Array] | None:
        """The term of each sample if the loss is their mean, else None."""


class SampleLoss(Loss):
    """A loss that is the mean of a term per sample.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from nalm.training import Recipe, SampleLoss
    >>> @dataclass(frozen=True)
    ... class Quartic(SampleLoss):
    ...     def term(self, y, t):
    ...         return (y - t) ** 4
    >>> float(Quartic().value(np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    8.0
    >>> Recipe(loss=Quartic()).loss
    Quartic()
    """

    @abstractmethod
    def term(self, y: Array, t: Array) -> Array:
        """Return the term of each sample."""

    @final
    def value(self, y: Array, t: Array) -> Array:
        """Return the mean of the terms."""
        return array_namespace(y, t).mean(self.term(y, t))

    @final
    @property
    def per_sample(self) -> Callable[[Array, Array], Array]:
        """The term of each sample."""
        return self.term


class BatchLoss(Loss):
    """A loss that needs the batch as a whole."""

    @final
    @property
    def per_sample(self) -> None:
        """None: there is no term per sample."""
