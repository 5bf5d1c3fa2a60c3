"""What one run trains: a network, its batches, and how it is judged."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor


class Predicted(NamedTuple):
    """What a network makes of one batch in training."""

    values: Tensor
    """(samples, digits): what the unit was given."""
    outputs: Tensor
    """(samples,): the results."""
    targets: Tensor
    """(samples,): what they should be."""


class Judged(NamedTuple):
    """One evaluation."""

    validation: float
    """The error that decides which evaluation is the best."""
    test: float
    """The error that decides whether a run is solved."""
    series: dict[str, float]
    """Everything else that was measured, by name."""


class Lesson(ABC):
    """A network, its batches, and how it is judged."""

    network: Any
    """A module of its own kind, which has the unit as its `head`."""

    @abstractmethod
    def predict(self, step: int) -> Predicted:
        """Apply the network to the batch of a step."""

    @abstractmethod
    def judge(self) -> Judged:
        """Evaluate the network, which is not in training now."""

    @abstractmethod
    def ending(self) -> dict[str, np.ndarray]:
        """Return what is kept of the network at the end, beside the weights of its unit."""
