"""Many small models trained at once from given starts, with the way of their weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nalm.plots._plane import Plane


def descend(
    plane: Plane,
    start: Mapping[str, np.ndarray],
    data: Any,
    *,
    learning_rate: float,
    optimizer: str,
    steps: int,
    every: int,
    seed: int,
) -> np.ndarray:
    """Return the two weights along training, `(starts, evaluations, 2)`.

    Parameters
    ----------
    plane
        The model, and its two weights.
    start
        The parameters from which each training begins, `(starts, ...)`.
    data
        A function of a JAX key that returns inputs and targets of a step.
    learning_rate, optimizer
        The optimizer of optax by its name, and its learning rate.
    steps, every
        How many steps, and after how many the weights are noted.
    seed
        The seed of samples and noise.
    """
    import jax
    import jax.numpy as jnp
    import optax

    unit = plane.unit
    update = getattr(optax, optimizer)(learning_rate)

    def loss(params: Any, key: Any) -> Any:
        key_data, key_noise = jax.random.split(key)
        x, y = data(key_data)
        declared = unit.noise(params, x)
        noise = None if declared is None else declared.draw(key_noise)
        return jnp.mean((unit.forward(jnp, params, x, True, noise)[:, 0] - y) ** 2)

    def step(carried: Any, key: Any) -> tuple[Any, None]:
        params, state = carried
        moved, state = update.update(jax.grad(loss)(params, key), state, params)
        moved_to: Any = optax.apply_updates(params, moved)
        return (unit.constrain(moved_to), state), None

    def interval(carried: Any, keys: Any) -> tuple[Any, Any]:
        carried, _ = jax.lax.scan(step, carried, keys)
        return carried, read(carried[0])

    def read(params: Any) -> Any:
        return jnp.stack([params[name][index] for name, index in plane.places])

    @jax.jit
    @jax.vmap
    def train(params: Any, key: Any) -> Any:
        keys = jax.random.split(key, steps).reshape(steps // every, every)
        _, path = jax.lax.scan(interval, (params, update.init(params)), keys)
        return jnp.concatenate([read(params)[None], path])

    begin = {name: jnp.asarray(value, float) for name, value in start.items()}
    keys = jax.random.split(jax.random.key(seed), len(next(iter(begin.values()))))
    return np.asarray(train(begin, keys), float)
