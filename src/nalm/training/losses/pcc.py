"""The Pearson correlation as a loss."""

from dataclasses import dataclass
from typing import final

from array_api_compat import array_namespace

from nalm._internal.ops import EPS32
from nalm._internal.types import Array
from nalm.training.losses._loss import BatchLoss


@final
@dataclass(frozen=True)
class PCC(BatchLoss):
    """1 - r, with r the Pearson correlation of predictions and targets over the batch."""

    def value(self, y: Array, t: Array) -> Array:
        """Return 1 - r; a variance below the precision of float32 counts as that precision."""
        xp = array_namespace(y, t)

        def standardized(v: Array) -> Array:
            centred = v - xp.mean(v)
            variance = xp.mean(centred**2)
            floored = xp.where(variance > EPS32, variance, EPS32)
            return centred / (xp.sqrt(floored) + EPS32)

        return 1 - xp.mean(standardized(y) * standardized(t))
