"""How an optimizer moves the weights of a block: the contract, and the choice by name."""

from importlib import import_module
from typing import Any, Protocol

import numpy as np
from jax import Array

from nalm.networks import Model
from nalm.training.engine.first_order import FirstOrder
from nalm.training.engine.state import Move, Settings, State
from nalm.training.recipe import Recipe


class Steps(Protocol):
    """The steps of an optimizer.

    Its state is a pytree: the last axis of each array is that of the runs, and a scalar belongs to
    all of them, so it must not depend on any.
    """

    def init(self, weights: Array, settings: Settings) -> Any:
        """Return the state before the first step."""
        ...

    def move(
        self, step: Array, state: State, settings: Settings, low: np.ndarray, high: np.ndarray
    ) -> Move:
        """Return the step of all runs; `low` and `high` are the intervals of the parameters."""
        ...


def steps_of(model: Model, recipe: Recipe, path: Any) -> Steps:
    """Return the steps of the optimizer of a recipe."""
    native = recipe.optimizer.native
    if native is None:
        return FirstOrder(model, recipe, path)
    module, name = native.stepper.split(":")
    return getattr(import_module(module), name)(model, recipe, path)
