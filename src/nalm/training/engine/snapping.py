"""Weights that become discrete one after the other, while the others go on learning."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array

from nalm.errors import InputError
from nalm.networks import Model
from nalm.networks.layers import layers
from nalm.training.engine.state import State
from nalm.training.rules import Snap


def grid_of(model: Model) -> np.ndarray:
    """Return the values `(weights, 3)` that each weight may be set to: -1, 0 or 1 if it has them.

    Only weights that stand for themselves can be set; others raise an InputError.
    """
    rows: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {}
    for prefix, layer in layers(model).items():
        for name, parameter in layer.parameters.items():
            known = layer.discrete.get(name)
            if known is None:
                raise InputError(
                    f"Snapping needs weights that are read as they are; {name} of "
                    f"{type(layer).__name__} is not. Use units such as nau, nmu and real_npu."
                )
            values = [v for v in (-1.0, 0.0, 1.0) if known.values is None or v in known.values]
            rows[prefix + name] = parameter.shape, (*values, *values[-1:] * (3 - len(values)))
    return np.concatenate(
        [np.tile(values, (int(np.prod(shape)), 1)) for _, (shape, values) in sorted(rows.items())]
    ).astype(np.float32)


@dataclass(frozen=True)
class Snapping:
    """Sets the weights of a block, one of each run at a time."""

    schedule: Snap
    grid: np.ndarray

    def after(self, step: Array, state: State) -> State:
        """Return the state after a step, with one more weight fixed where the schedule says so."""
        if state.fixed is None:
            return state
        since = step - self.schedule.start
        due = (since >= 0) & (since % self.schedule.every == 0)
        near, distance = self._nearest(state.weights)
        distance = jnp.where(state.fixed, jnp.inf, distance)
        first = jnp.argmin(distance, axis=0)
        chosen = (jnp.arange(distance.shape[0])[:, None] == first) & ~state.fixed & due
        return state._replace(
            weights=jnp.where(chosen, near, state.weights), fixed=state.fixed | chosen
        )

    def _nearest(self, weights: Array) -> tuple[Array, Array]:
        """Return the nearest allowed value of every weight, and how far it is."""
        near = jnp.broadcast_to(self.grid[:, :1], weights.shape)
        for k in range(1, self.grid.shape[1]):
            other = self.grid[:, k : k + 1]
            near = jnp.where(jnp.abs(weights - other) < jnp.abs(weights - near), other, near)
        return near, jnp.abs(weights - near)
