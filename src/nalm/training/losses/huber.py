"""The Huber loss."""

from dataclasses import dataclass
from typing import final

from array_api_compat import array_namespace

from nalm._internal.ops import absolute
from nalm._internal.types import Array
from nalm.training.losses._loss import SampleLoss


@final
@dataclass(frozen=True)
class Huber(SampleLoss):
    """The mean Huber loss, also called smooth L1: quadratic below an error of 1, else linear."""

    def term(self, y: Array, t: Array) -> Array:
        """Return half the squared error of each sample below 1, else its size less 1/2."""
        xp = array_namespace(y, t)
        size = absolute(xp, y - t)
        return xp.where(size < 1, 0.5 * (y - t) ** 2, size - 0.5)
