"""The plain path: whole arrays, for what needs the batch as a whole or is too large for scalars.

Losses and noise with statistics of the batch, penalties that see the inputs, and models with many
weights. Every array is (runs, ..., batch). Runs of one seed that differ in what they make of their
samples, a group, may share them: what is made of samples alone is then (groups, ..., batch). Groups
of one seed that differ in their ranges, a row, may share the numbers behind their samples.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from nalm.distributions import Normal
from nalm.engine import streams
from nalm.engine.batchwise import batchwise
from nalm.engine.losses import LOSSES, mse, squared_error
from nalm.engine.plan import CACHE, block_size, spread
from nalm.engine.primitives import draw
from nalm.engine.recipe import Recipe
from nalm.engine.schedules import penalty_scales
from nalm.engine.state import Settings, State, by_name
from nalm.networks import Model
from nalm.networks.layers import layers
from nalm.operations import operation
from nalm.tasks import AnyTask, Composition, Joint, Sobol, inputs_of
from nalm.units import Stochastic, Unit

DrawNoise = Callable[[int, Unit, Array], Array | None]
"""From the number of a layer, the layer and its inputs to its noise."""


class Pass(NamedTuple):
    """What a forward pass gives."""

    y: Array
    """(runs, batch)."""
    means: dict[str, Array]
    """The mean input of each layer over the batch, (runs, inputs of the layer), by its prefix."""


@dataclass(frozen=True)
class Plain:
    """Gradients and errors of a block, array by array."""

    model: Model
    task: AnyTask
    recipe: Recipe
    beside: tuple[AnyTask, ...] = ()
    """The tasks of the further runs of a group, which see the samples of the first."""
    row: int = 1
    """How many groups, one after the other, draw the same numbers."""

    def gradient(self, step: Array, state: State, settings: Settings) -> tuple[Array, Array]:
        """Return the loss of the batch, and the gradient of loss and penalties, by weight."""
        group = self._of_groups(settings)
        x = self._batch(step, group)
        target = self._target(x, settings.layout)
        seen = self._scaled(x + self._input_noise(step, group), group)
        draw_noise = partial(self._noise, step, group)
        scales = penalty_scales(self.recipe, step, state, settings)

        def objective(weights: Array) -> tuple[Array, Array]:
            params = by_name(self.model, weights)
            result = self._each(params, seen, draw_noise)
            y = self._unscaled(result.y, settings)
            loss = self._loss(step, y, target)
            total = loss + self._penalty(params, result.means, scales)
            return jnp.sum(total), loss

        gradient, loss = jax.grad(objective, has_aux=True)(state.weights)
        return loss, gradient

    def batch(self, step: Array, settings: Settings) -> tuple[Array, Array]:
        """Return the inputs of a step, `(groups, inputs, batch)`, and the targets of the runs."""
        x = self._batch(step, self._of_groups(settings))
        return x, self._target(x, settings.layout)

    def errors(self, weights: Array, settings: Settings) -> tuple[Array, Array]:
        """Return the mean squared errors on the fixed validation and test samples."""
        count, inputs = self.recipe.evaluation, self.model.in_features
        group, groups = self._of_groups(settings), weights.shape[1] // self._size
        params = by_name(self.model, weights)
        stream = streams.evaluation(self.recipe.generator)
        most = block_size(self.model, self.recipe)
        size = max(64, 2 * CACHE // (most * max(inputs, spread(self.model))))
        chunks = -(-count // size)
        tested = settings._replace(scales=settings.test_scales)

        def add(chunk: Array, total: tuple[Array, Array]) -> tuple[Array, Array]:
            lane = chunk * size + jnp.arange(size)
            u = stream.array(lane, jnp.int32(0), 2 * inputs)
            inside = lane < count
            sums = []
            for distribution, mine, scaled in (
                (group.train, u[:, :inputs], settings),
                (group.test, u[:, inputs:], tested),
            ):
                x = self._quantile(distribution, mine, groups)
                y = self._each(params, self._scaled(x, self._of_groups(scaled)), None).y
                target = self._target(x, settings.layout)
                error = squared_error(self._unscaled(y, scaled), target)
                sums.append(jnp.sum(jnp.where(inside, error, 0.0), axis=-1))
            return total[0] + sums[0], total[1] + sums[1]

        zeros = jnp.zeros(weights.shape[1], jnp.float32)
        validation, test = lax.fori_loop(0, chunks, add, (zeros, zeros))
        return validation / count, test / count

    # --- groups --------------------------------------------------------------------------------

    @property
    def _size(self) -> int:
        """The number of runs of a group."""
        return 1 + len(self.beside)

    def _of_groups(self, settings: Settings) -> Settings:
        """Return the settings of the first run of each group."""
        return jax.tree.map(lambda v: v[:: self._size], settings) if self.beside else settings

    def _each(self, params: dict[str, Array], x: Array, draw_noise: DrawNoise | None) -> Pass:
        """Apply the layers of each run to the samples of its group."""
        if not self.beside:
            return self._forward(params, x, draw_noise)
        by_group = {name: v.reshape(-1, self._size, *v.shape[1:]) for name, v in params.items()}
        each = jax.vmap(lambda mine: self._forward(mine, x, draw_noise), in_axes=1, out_axes=1)
        return jax.tree.map(lambda v: v.reshape(-1, *v.shape[2:]), each(by_group))

    # --- the model -----------------------------------------------------------------------------

    def _forward(self, params: dict[str, Array], x: Array, draw_noise: DrawNoise | None) -> Pass:
        """Apply the layers; without a way to draw noise, as in evaluation."""
        means = {}
        for number, (prefix, layer) in enumerate(layers(self.model).items()):
            means[prefix] = jnp.mean(x, axis=-1)
            noise = draw_noise(number, layer, x) if draw_noise else None
            names = sorted(layer.parameters)
            leaves = [params[prefix + name][..., None] for name in names]
            examples: list[Any] = [
                {name: _example(leaf) for name, leaf in zip(names, leaves, strict=True)},
                _example(x),
            ]
            leaves.append(x)
            if noise is not None:
                leaves.append(noise)
                examples.append(_example(noise))

            def forward(
                mine: Any, x: Array, noise: Any = None, layer: Unit = layer, train: bool = True
            ) -> Array:
                return layer.forward(jnp, mine, x, train, noise)

            applied = batchwise(partial(forward, train=draw_noise is not None), *examples)
            (x,) = applied(leaves)
        return Pass(x[:, 0], means)

    def _loss(self, step: Array, y: Array, target: Array) -> Array:
        value = jax.vmap(LOSSES[self.recipe.loss])(y, target)
        if self.recipe.mse_from is None:
            return value
        return jnp.where(step < self.recipe.mse_from, value, jax.vmap(mse)(y, target))

    def _penalty(
        self, params: dict[str, Array], means: dict[str, Array], scales: dict[str, Array]
    ) -> Array:
        """Return the scaled penalties; those of the inputs see their means over the batch."""
        total = jnp.float32(0)
        for prefix, layer in layers(self.model).items() if scales else ():
            mine = {name: params[prefix + name] for name in layer.parameters}
            values = jax.vmap(partial(layer.regularisers, jnp))(mine, means[prefix][:, None, :])
            for name, scale in scales.items():
                if name in values:
                    total = total + scale * values[name]
        return total

    # --- the data ------------------------------------------------------------------------------

    def _target(self, x: Array, layout: Array) -> Array:
        """Return the targets `(runs, batch)` of samples `(groups, inputs, batch)`."""
        tasks = (self.task, *self.beside)
        by_group = layout.reshape(x.shape[0], len(tasks), *layout.shape[1:])
        summed = None
        if any(not isinstance(task, Composition) and not task.leading for task in tasks):
            summed = jnp.einsum("gtki,gib->gtkb", by_group, x)
        targets = []
        for t, task in enumerate(tasks):
            if isinstance(task, Composition):
                inputs = [x[:, k] for k in range(task.inputs)]
                targets.append(task.target(jnp, inputs, by_group[:, t]))
                continue
            operands = x if summed is None or task.leading else summed[:, t]
            mine = [operands[:, k] for k in range(task.operands)]
            targets.append(operation(task.op).apply(jnp, mine))
        return jnp.stack(targets, axis=1).reshape(-1, x.shape[-1])

    def _scaled(self, x: Array, settings: Settings) -> Array:
        s = settings.scales
        return x if s is None else (x - s.x_shift[:, :, None]) / s.x_scale[:, :, None]

    def _unscaled(self, y: Array, settings: Settings) -> Array:
        s = settings.scales
        return y if s is None else y * s.y_scale[:, None] + s.y_shift[:, None]

    def _batch(self, step: Array, settings: Settings) -> Array:
        inputs, batch = self.model.in_features, self.recipe.batch
        stream = streams.stream_of(self.recipe, settings, streams.TRAIN)
        if isinstance(self.task.train, Sobol):
            lane = jnp.arange(batch, dtype=jnp.uint32)[None, :]
            point = step.astype(jnp.uint32) * jnp.uint32(batch) + lane
            u = jnp.stack([stream.sobol(point, i) for i in range(inputs)], axis=1)
        else:
            u = self._samples(step, stream, inputs)
        return self._quantile(settings.train, u, settings.key.shape[0])

    def _samples(self, step: Array, stream: streams.Stream, inputs: int) -> Array:
        """Return uniform numbers, `(groups, inputs, batch)`, in the order of the fused path."""
        batch = self.recipe.batch
        stream = replace(stream, key=stream.key[:: self.row])
        groups = streams.groups_of(self.model.in_features, batch)
        lanes = batch // groups
        u = stream.array(jnp.arange(lanes), step, inputs * groups)
        by_group = u.reshape(-1, groups, inputs, lanes)
        drawn = by_group.transpose(0, 2, 1, 3).reshape(-1, inputs, batch)
        return jnp.repeat(drawn, self.row, axis=0)

    def _quantile(self, distribution: Any, u: Array, runs: int) -> Array:
        u = jnp.broadcast_to(u, (runs, *u.shape[1:]))
        if not isinstance(distribution, Joint):
            return _columns(distribution).quantile(jnp, u)
        each = [u[:, i : i + 1] for i in range(u.shape[1])]
        return jnp.concatenate(inputs_of(jnp, _columns(distribution), each), axis=1)

    def _input_noise(self, step: Array, settings: Settings) -> Array:
        if not self.recipe.input_noise:
            return jnp.float32(0)
        inputs = self.model.in_features
        stream = streams.stream_of(self.recipe, settings, streams.INPUT_NOISE)
        u = self._samples(step, stream, 2 * inputs)
        return draw(Normal(0.0, self.recipe.input_noise), u[:, :inputs], u[:, inputs:])

    def _noise(
        self, step: Array, settings: Settings, number: int, layer: Unit, x: Array
    ) -> Array | None:
        if not isinstance(layer, Stochastic):
            return None
        ones = jnp.ones(layer.in_features, jnp.float32)
        shape, distribution = layer.draws(jnp, {}, ones)
        if shape != ones.shape:
            stream = streams.stream_of(self.recipe, settings, streams.WEIGHT_NOISE + 8 * number)
            drawn = streams.weight_noise(stream, distribution, shape, step)
            return jnp.stack(drawn, axis=-1).reshape(-1, *shape, 1)
        stream = streams.stream_of(self.recipe, settings, streams.NOISE + 8 * number)
        u = self._samples(step, stream, layer.in_features)
        if not layer.noise_sees_batch:
            return draw(distribution, u, u)
        seen = jax.vmap(lambda x: layer.draws(jnp, {}, x)[1])(lax.stop_gradient(x))
        return draw(jax.tree.map(lambda bound: bound[:, None, None], seen), u, u)


def _columns(distribution: Any) -> Any:
    """Return a distribution whose bounds, columns over runs, meet an axis of inputs."""
    return jax.tree.map(lambda bound: bound[:, None], distribution)


def _example(value: Array) -> jax.ShapeDtypeStruct:
    """Return the shape of one sample of one run."""
    return jax.ShapeDtypeStruct(value.shape[1:-1], jnp.float32)
