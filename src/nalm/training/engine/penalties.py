"""The scales of the penalties of a block at a step."""

import jax.numpy as jnp

from nalm._internal.types import Array
from nalm.training.engine.state import Settings, State
from nalm.training.recipe import Recipe


def penalty_scales(
    recipe: Recipe, step: Array, state: State, settings: Settings
) -> dict[str, Array]:
    """Return the scale of each penalty of a compiled recipe at a step, for every run."""
    return {
        name: settings.penalty_scales[:, k] * schedule.value(jnp, step, state.validation)
        for k, (name, schedule) in enumerate(recipe.penalties)
    }
