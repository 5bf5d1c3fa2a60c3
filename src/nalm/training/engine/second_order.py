"""Second-order steps: Levenberg-Marquardt on each batch, for all runs of a block at once.

It shows what a unit could learn if training, not its form, were the limit. Penalties, clipping and
the learning rate have no part in it, nor has the noise of stochastic units.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from nalm._internal.least_squares import damped_step, normal_equations, scaled
from nalm.networks import Model
from nalm.networks.layers import unflatten
from nalm.training.engine.plain import Plain
from nalm.training.engine.primitives import is_finite
from nalm.training.engine.state import Move, Settings, State, by_name
from nalm.training.recipe import Recipe

FIRST = 1e-2
"""The damping at the start."""
LOWEST, HIGHEST = 1e-9, 1e9
EASED, TIGHTENED = 1 / 5, 4.0
"""What the damping is multiplied by after a step that was taken, and one that was not."""


class Damping(NamedTuple):
    """The state of the optimizer."""

    logarithm: Array
    """(runs,): of the damping over its first value."""


@dataclass(frozen=True)
class SecondOrder:
    """The steps of the optimizer lm, from the residuals of a batch and their slopes."""

    model: Model
    recipe: Recipe
    path: Plain

    def init(self, weights: Array, settings: Settings) -> Damping:
        """Return the damping before the first step."""
        del settings
        return Damping(jnp.zeros(weights.shape[1], weights.dtype))

    def move(
        self, step: Array, state: State, settings: Settings, low: np.ndarray, high: np.ndarray
    ) -> Move:
        """Return the step of all runs; one that does not lower the loss of its batch is not taken.

        Weights that are set for good have no slope.
        """
        x, target = self.path.batch(step, settings)
        value, slopes = self._slopes(state.weights, x)
        if state.fixed is not None:
            slopes = jnp.where(state.fixed.T[:, None, :], 0.0, slopes)
        residuals = value - target
        loss = jnp.mean(residuals**2, axis=1)
        damping = FIRST * jnp.exp(state.optimizer.logarithm)
        normal = normal_equations(jnp, scaled(jnp, slopes), residuals)
        change = damped_step(jnp, normal, damping, _solved).T
        moved = jnp.clip(state.weights - change, low, high)
        better = jnp.mean((self._values(moved, x) - target) ** 2, axis=1) < loss
        changed = jnp.clip(damping * jnp.where(better, EASED, TIGHTENED), LOWEST, HIGHEST)
        weights = jnp.where(better, moved, state.weights)
        return Move(loss, weights, Damping(jnp.log(changed / FIRST)), is_finite(loss))

    def _value(self, weights: Array, x: Array) -> Array:
        """Return the output of one run for one sample, without noise."""
        flat = {name: value[0] for name, value in by_name(self.model, weights[:, None]).items()}
        return self.model(unflatten(self.model, flat), x[None])[0, 0]

    def _values(self, weights: Array, x: Array) -> Array:
        """Return the outputs of all runs for their batches: `(runs, batch)`."""
        return jax.vmap(jax.vmap(self._value, (None, 1)), (1, 0))(weights, x)

    def _slopes(self, weights: Array, x: Array) -> tuple[Array, Array]:
        """Return the outputs and their slopes `(runs, batch, weights)`."""
        both = jax.value_and_grad(self._value)
        return jax.vmap(jax.vmap(both, (None, 1)), (1, 0))(weights, x)


def _solved(matrix: Array, vector: Array) -> Array:
    """Return the solutions of linear systems with positive definite matrices."""
    factor = jax.scipy.linalg.cho_factor(matrix)
    return jax.scipy.linalg.cho_solve(factor, vector[:, :, None])[:, :, 0]
