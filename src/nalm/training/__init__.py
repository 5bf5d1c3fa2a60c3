"""How a model is trained: recipes, optimizers, schedules and losses.

What needs JAX is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from nalm.training.losses import LOSSES, BatchLoss, Loss, SampleLoss
from nalm.training.optimizers import Optimizer
from nalm.training.recipe import Recipe
from nalm.training.rules import Reinitialize, Snap
from nalm.training.schedules import SCHEDULES, Constant, Decay, Growth, Late, Ramp, Schedule

if TYPE_CHECKING:
    from nalm.training.optimizers import OPTIMIZERS as OPTIMIZERS
    from nalm.training.published import published_recipe as published_recipe
    from nalm.training.run import Curves as Curves
    from nalm.training.run import Run as Run

_LAZY = {
    "Curves": "nalm.training.run",
    "OPTIMIZERS": "nalm.training.optimizers",
    "Run": "nalm.training.run",
    "published_recipe": "nalm.training.published",
}
__all__ = [
    "LOSSES",
    "OPTIMIZERS",
    "SCHEDULES",
    "BatchLoss",
    "Constant",
    "Curves",
    "Decay",
    "Growth",
    "Late",
    "Loss",
    "Optimizer",
    "Ramp",
    "Recipe",
    "Reinitialize",
    "Run",
    "SampleLoss",
    "Schedule",
    "Snap",
    "published_recipe",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
