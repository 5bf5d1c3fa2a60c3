"""Steps from gradients: any optimizer of optax, for all runs of a block at once.

An optimizer that treats each number by itself takes the weights of all runs as one array, each run
with its own learning rate. One that looks at whole tensors or their norms is applied run by run to
the parameters by name (`vmap`).
"""

from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from nalm.networks import Model
from nalm.networks.layers import parameters
from nalm.training.engine import streams
from nalm.training.engine.primitives import draw, is_finite
from nalm.training.engine.state import Move, Settings, State, by_name
from nalm.training.optimizers._optax import is_elementwise, transformation, update
from nalm.training.recipe import Recipe
from nalm.units.initial import Normal


class Gradients(Protocol):
    """What first-order steps need of a path."""

    def gradient(self, step: Array, state: State, settings: Settings) -> tuple[Array, Array]:
        """Return the loss of the batch, and the gradient of loss and penalties, by weight."""
        ...


@dataclass(frozen=True)
class FirstOrder:
    """The steps of an optimizer of optax."""

    model: Model
    recipe: Recipe
    path: Gradients

    def init(self, weights: Array, settings: Settings) -> Any:
        """Return the state of the optimizer before the first step."""
        rate = settings.learning_rate
        if self._flat(weights):
            return self._made(rate).init(weights)
        first = jax.vmap(lambda rate, mine: self._made(rate).init(mine), out_axes=-1)
        return first(rate, self._tree(weights))

    def move(
        self, step: Array, state: State, settings: Settings, low: np.ndarray, high: np.ndarray
    ) -> Move:
        """Return the step of all runs; weights that are set for good have no gradient."""
        del low, high
        loss, gradient = self.path.gradient(step, state, settings)
        gradient = self._clipped(gradient) + self._noise(step, gradient.shape[0], settings)
        if state.fixed is not None:
            gradient = jnp.where(state.fixed, 0.0, gradient)
        rate = settings.learning_rate
        if self.recipe.decay:
            share = self.recipe.decay.value(jnp, step, state.validation)
            rate = rate * jnp.asarray(share).astype(rate.dtype)
        added, after = self._updated(rate, gradient, state)
        finite = is_finite(loss) & is_finite(gradient).all(axis=0)
        same = jax.tree.map(lambda new, old: new.astype(old.dtype), after, state.optimizer)
        return Move(loss, state.weights + added.astype(state.weights.dtype), same, finite)

    def _clipped(self, gradient: Array) -> Array:
        if self.recipe.clip_norm is not None:
            norm = jnp.sqrt(jnp.sum(gradient**2, axis=0))
            gradient = gradient * jnp.minimum(1.0, self.recipe.clip_norm / (norm + 1e-6))
        if self.recipe.clip_value is not None:
            gradient = jnp.clip(gradient, -self.recipe.clip_value, self.recipe.clip_value)
        return gradient

    def _noise(self, step: Array, size: int, settings: Settings) -> Array:
        """Return normal noise of variance η / (1 + step)^0.55, one number per parameter and run."""
        if not self.recipe.gradient_noise:
            return jnp.float32(0)
        lane = jnp.arange(size, dtype=jnp.uint32)[None, :]
        pair = streams.stream_of(self.recipe, settings, streams.GRADIENT_NOISE).pair(lane, step)
        sd = jnp.sqrt(self.recipe.gradient_noise) * (1 + step.astype(jnp.float32)) ** -0.275
        return sd * draw(Normal(0.0, 1.0), *pair).T

    # --- the optimizer -------------------------------------------------------------------------

    def _made(self, rate: Any) -> Any:
        """Return the optimizer for a learning rate."""
        optimizer = self.recipe.optimizer
        return transformation(optimizer.name, optimizer.options, rate)

    def _updated(self, rate: Array, gradient: Array, state: State) -> tuple[Array, Any]:
        """Return what is added to the weights `(parameters, runs)`, and the next state."""
        if self._flat(state.weights):
            return update(self._made(rate), gradient, state.optimizer, state.weights)

        def one(rate: Array, gradient: Any, before: Any, weights: Any) -> tuple[Any, Any]:
            return update(self._made(rate), gradient, before, weights)

        each = jax.vmap(one, in_axes=(0, 0, -1, 0), out_axes=(0, -1))
        trees = self._tree(gradient), self._tree(state.weights)
        added, after = each(rate, trees[0], state.optimizer, trees[1])
        flat = [value.reshape(value.shape[0], -1) for value in added.values()]
        return jnp.concatenate(flat, axis=1).T, after

    def _tree(self, weights: Array) -> dict[str, Array]:
        """Return the parameters by name, runs first; a scalar has one axis, which sm3 needs."""
        named = by_name(self.model, weights)
        return {n: v[:, None] if v.ndim == 1 else v for n, v in named.items()}

    def _flat(self, weights: Array) -> bool:
        """Tell whether the optimizer gives the same for one array as for the parameters by name."""
        shapes = {n: (*p.shape,) or (1,) for n, p in parameters(self.model).items()}
        tree = {n: jax.ShapeDtypeStruct(shape, jnp.float32) for n, shape in shapes.items()}
        whole = jax.ShapeDtypeStruct(weights.shape, jnp.float32)

        def first_step(gradient: Any) -> Any:
            return update(self._made(0.5), gradient, None, gradient)

        return is_elementwise(first_step, tree) and is_elementwise(first_step, whole)
