"""What runs see: inputs, targets, noise and scaling, the same equations for both paths.

The fused path has one array `(runs, lanes)` for each input, the plain path one array
`(runs, inputs, batch)` for all of them. The functions here take what both have in common.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from nalm.tasks import Distribution, Task
from nalm.training.engine import streams
from nalm.training.engine.primitives import draw
from nalm.training.engine.state import Scales, Settings
from nalm.training.recipe import Recipe
from nalm.units import Stochastic, Unit
from nalm.units.initial import Normal


class Sources(NamedTuple):
    """Where the inputs of runs come from."""

    train: Distribution
    test: Distribution


def sources(task: Task, settings: Settings, axes: int = 1) -> Sources:
    """Return the distributions with the numbers of each run; `axes` follow that of the runs."""

    def columns(numbers: Sequence[Array]) -> list[Array]:
        return [number.reshape(-1, *(1,) * axes) for number in numbers]

    train = task.train.bound(columns(settings.train))
    return Sources(train, task.test.test_form().bound(columns(settings.test)))


def target_of(task: Task, x: Sequence[Array], layout: Array, sums: Sequence[Array] | None) -> Array:
    """Return the targets of runs; `sums` are the weighted sums of the inputs, if it takes them."""
    return task.target.apply(jnp, x if sums is None else sums, layout)


def scaled_inputs(x: Array, scales: Scales | None, which: Any = slice(None)) -> Array:
    """Return inputs as the model sees them; `which` of the inputs they are, all by default."""
    if scales is None:
        return x
    return (x - scales.x_shift[:, which, None]) / scales.x_scale[:, which, None]


def batch_scaled_inputs(x: Array, scales: Scales | None) -> Array:
    """Return the inputs of models, divided by half the spread of each over the batch."""
    if scales is None:
        return x
    spread = jnp.max(x, axis=-1, keepdims=True) - jnp.min(x, axis=-1, keepdims=True)
    return (x - scales.x_shift[:, :, None]) / (spread / 2)


def unscaled_output(y: Array, scales: Scales | None) -> Array:
    """Return the prediction of a model that saw scaled inputs."""
    return y if scales is None else y * scales.y_scale[:, None] + scales.y_shift[:, None]


def sobol_points(step: Array, batch: int, lane: Array) -> Array:
    """Return which points of the Sobol sequence the lanes of a step are."""
    return step.astype(jnp.uint32) * jnp.uint32(batch) + lane


def even_numbers(lane: Array, count: int) -> Array:
    """Return uniform numbers in equal steps, for an evaluation of a distribution that is even."""
    return (lane.astype(jnp.float32) + 0.5) / count


def input_noise(recipe: Recipe, u: Array, v: Array) -> Array:
    """Return the noise on inputs from two uniform numbers each."""
    return draw(Normal(0.0, recipe.input_noise), u, v)


class LayerNoise(NamedTuple):
    """Where the noise of a layer comes from."""

    stream: streams.Stream
    distribution: Any
    shape: tuple[int, ...]
    per_sample: bool
    """Whether each sample draws its own, one number per input; else samples share one per weight.
    """


def layer_noise(recipe: Recipe, settings: Settings, number: int, layer: Unit) -> LayerNoise | None:
    """Return the noise of a layer by its number; None if it has none."""
    if not isinstance(layer, Stochastic):
        return None
    ones = jnp.ones(layer.in_features, jnp.float32)
    shape, distribution = layer.draws(jnp, {}, ones)
    per_sample = shape == ones.shape
    which = (streams.NOISE if per_sample else streams.WEIGHT_NOISE) + 8 * number
    stream = streams.stream_of(recipe, settings, which)
    return LayerNoise(stream, distribution, shape, per_sample)
