"""Second-order steps: Levenberg-Marquardt on each batch, for all runs of a block at once.

It shows what a unit could learn if training, not its form, were the limit. Penalties, clipping and
the learning rate have no part in it, nor has the noise of stochastic units.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from nalm.engine.plain import Plain
from nalm.engine.state import Settings, State, by_name
from nalm.networks import Model
from nalm.networks.layers import unflatten

FIRST = 1e-2
"""The damping at the start; it is kept, as its logarithm, in the first row of the moments."""
LOWEST, HIGHEST = 1e-9, 1e9
SMALLEST = 1e-30
EASED, TIGHTENED = 1 / 5, 4.0
"""What the damping is multiplied by after a step that was taken, and one that was not."""


@dataclass(frozen=True)
class SecondOrder:
    """The update of a block from the residuals of a batch and their slopes."""

    model: Model
    path: Plain

    def update(
        self, step: Array, state: State, settings: Settings, low: np.ndarray, high: np.ndarray
    ) -> tuple[Array, Array, Array]:
        """Return the batch's loss, the moved weights and the moments that hold the damping.

        A step that does not lower the loss of its batch is not taken.
        """
        x, target = self.path.batch(step, settings)
        value, slopes = self._slopes(state.weights, x)
        if state.fixed is not None:
            slopes = jnp.where(state.fixed.T[:, None, :], 0.0, slopes)
        off = value - target
        loss = jnp.mean(off**2, axis=1)
        damping = FIRST * jnp.exp(state.moments[0])
        moved = jnp.clip(state.weights - _damped(slopes, off, damping), low, high)
        better = jnp.mean((self._values(moved, x) - target) ** 2, axis=1) < loss
        changed = jnp.clip(damping * jnp.where(better, EASED, TIGHTENED), LOWEST, HIGHEST)
        moments = state.moments.at[0].set(jnp.log(changed / FIRST))
        return loss, jnp.where(better, moved, state.weights), moments

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


def _damped(slopes: Array, off: Array, damping: Array) -> Array:
    """Return the step `(weights, runs)` of damped least squares, each weight in its own scale."""
    size = jnp.sqrt(jnp.sum(slopes**2, axis=1)) + SMALLEST
    unit = slopes / size[:, None, :]
    curvature = jnp.einsum("rbk,rbl->rkl", unit, unit)
    curvature = curvature + damping[:, None, None] * jnp.eye(slopes.shape[2], dtype=slopes.dtype)
    downhill = jnp.einsum("rbk,rb->rk", unit, off)
    factor = jax.scipy.linalg.cho_factor(curvature)
    return (jax.scipy.linalg.cho_solve(factor, downhill[:, :, None])[:, :, 0] / size).T
