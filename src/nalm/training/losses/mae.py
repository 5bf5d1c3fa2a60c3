"""The mean absolute error."""

from dataclasses import dataclass
from typing import final

from array_api_compat import array_namespace

from nalm._internal.ops import absolute
from nalm._internal.types import Array
from nalm.training.losses._loss import SampleLoss


@final
@dataclass(frozen=True)
class MAE(SampleLoss):
    """The mean absolute error, also called L1."""

    def term(self, y: Array, t: Array) -> Array:
        """Return the absolute error of each sample."""
        return absolute(array_namespace(y, t), y - t)
