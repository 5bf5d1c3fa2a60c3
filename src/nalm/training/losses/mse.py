"""The mean squared error."""

from dataclasses import dataclass
from typing import final

from nalm._internal.types import Array
from nalm.training.losses._loss import SampleLoss


@final
@dataclass(frozen=True)
class MSE(SampleLoss):
    """The mean squared error."""

    def term(self, y: Array, t: Array) -> Array:
        """Return the squared error of each sample."""
        return (y - t) ** 2
