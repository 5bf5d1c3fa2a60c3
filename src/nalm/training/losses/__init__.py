"""What training minimizes."""

from nalm._internal.checks import shown
from nalm.errors import InputError, unknown
from nalm.training.losses._loss import BatchLoss, Loss, SampleLoss
from nalm.training.losses.huber import Huber
from nalm.training.losses.mae import MAE
from nalm.training.losses.mape import MAPE
from nalm.training.losses.mse import MSE
from nalm.training.losses.pcc import PCC

LOSSES: dict[str, Loss] = {loss.name: loss for loss in (MSE(), MAE(), MAPE(), Huber(), PCC())}
"""The losses of nalm, by name."""


def loss_of(given: str | Loss) -> Loss:
    """Return a loss by its name, or the loss that is given."""
    if isinstance(given, Loss):
        return given
    if not isinstance(given, str):
        raise InputError(f"A loss is a name such as 'mse' or a Loss; received {shown(given)}.")
    if given not in LOSSES:
        raise unknown("loss", given, LOSSES)
    return LOSSES[given]


__all__ = [
    "LOSSES",
    "MAE",
    "MAPE",
    "MSE",
    "PCC",
    "BatchLoss",
    "Huber",
    "Loss",
    "SampleLoss",
    "loss_of",
]
