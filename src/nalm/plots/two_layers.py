"""The loss of two layers over one weight of each: where a product of powers has a singularity."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nalm.networks import Stack
from nalm.plots._axes import stepped_axis
from nalm.plots._plane import forward
from nalm.plots.grids import Grid

X, TARGET = (1.0, 1.2, 1.8, 2.0), 13.2
"""The problem (x1 + x2)(x1 + x2 + x3 + x4) of Madsen and Johansen, figure 2: (1 + 1.2)(6)."""
LIMIT = 500.0
"""Where the published pictures are cut."""
Params = Callable[[Any, Any], tuple[dict[str, Any], dict[str, Any]]]


def two_layers(
    networks: Sequence[Stack],
    params: Params,
    *,
    slices: Sequence[float] = (0.0,),
    slider: str = "",
    power: int = 2,
    second: tuple[float, float] = (-1.0, 1.0),
    step: float = 0.02,
    x: Sequence[float] = X,
    target: float = TARGET,
    limit: float | None = LIMIT,
    title: str = "two layers",
) -> Grid:
    """Return the error of networks of two layers over one weight w1 and one weight w2.

    Parameters
    ----------
    networks
        The networks, one for each value of the slider.
    params
        A function of w1 and w2 that returns the parameters of both layers, with arrays of JAX.
    slices, slider
        The values of the slider, such as those of ε, and its name.
    power
        2 for the squared error, 1 for its root.
    second
        The ends of the axis of w2; those of w1 are -1 and 1.
    step
        The distance of the values of an axis.
    x, target
        The sample.
    limit
        Errors above it have the color of it.
    title
        What is written above.

    Returns
    -------
    Grid
        The errors, `(slices, w2, w1)`, with `.chart()` and `.save(path)`.

    Examples
    --------
    >>> import nalm.plots
    >>> found = nalm.plots.picture("two-layers-nmu", step=0.5)
    >>> found.x.tolist(), float(found.values[0, -1, -1].round(6))
    ([-1.0, -0.5, 0.0, 0.5, 1.0], 0.0)
    """
    import jax
    import jax.numpy as jnp

    axes = stepped_axis((-1, 1), step), stepped_axis(second, step, "second")
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    sample = jnp.asarray([x], float)

    def error(network: Stack, weights: Any) -> Any:
        y = forward(network, params(weights[0], weights[1]), sample, jnp)[0]
        return jnp.abs(y - target) ** power

    values = [
        np.asarray(jax.jit(jax.vmap(lambda w, n=n: error(n, w)))(jnp.asarray(grid, float)), float)
        for n in networks
    ]
    shape = (len(values), len(axes[1]), len(axes[0]))
    what = "squared error" if power == 2 else "error"
    return Grid(
        title, ("w1", "w2"), axes[0], axes[1], np.array(values).reshape(shape), what,
        tuple(slices), slider, limit,
    )  # fmt: skip


def shared_sums(w: Any) -> dict[str, Any]:
    """Return the weights of the first layer: two sums with one weight, for a unit like the NAU."""
    import jax.numpy as jnp

    return {"weight": w * jnp.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])}
