"""The mean absolute error relative to the target."""

from dataclasses import dataclass
from typing import final

from array_api_compat import array_namespace

from nalm._internal.ops import absolute
from nalm._internal.types import Array
from nalm.training.losses._loss import SampleLoss


@final
@dataclass(frozen=True)
class MAPE(SampleLoss):
    """The mean absolute error relative to the target."""

    def term(self, y: Array, t: Array) -> Array:
        """Return the absolute error of each sample, relative to its target."""
        return absolute(array_namespace(y, t), (t - y) / t)
