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

from nalm.networks import Model
from nalm.networks.layers import layers
from nalm.tasks import Distribution, Task
from nalm.training.engine import data, streams
from nalm.training.engine.batchwise import batchwise
from nalm.training.engine.penalties import penalty_scales
from nalm.training.engine.plan import CACHE, block_size, spread
from nalm.training.engine.primitives import draw
from nalm.training.engine.state import Settings, State, by_name, by_row
from nalm.training.losses import MSE
from nalm.training.recipe import Recipe
from nalm.units import Stochastic, Unit

SQUARED = MSE()
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
    task: Task
    recipe: Recipe
    beside: tuple[Task, ...] = ()
    """The tasks of the further runs of a group, which see the samples of the first."""
    row: int = 1
    """How many groups, one after the other, draw the same numbers."""

    def gradient(self, step: Array, state: State, settings: Settings) -> tuple[Array, Array]:
        """Return the loss of the batch, and the gradient of loss and penalties, by weight."""
        group = self._of_groups(settings)
        x = self._batch(step, group)
        target = self._target(x, settings.layout)
        inputs = self.model.in_features
        seen = x[:, :inputs] + self._input_noise(step, group)
        batchwise = self.recipe.scaling == "feyn-batch"
        scaled = data.batch_scaled_inputs if batchwise else data.scaled_inputs
        seen = scaled(seen, group.scales)
        draw_noise = partial(self._noise, step, group)
        scales = penalty_scales(self.recipe, step, state, settings)

        def objective(rows: Array) -> tuple[Array, Array]:
            params = by_row(self.model, rows)
            result = self._each(params, seen, draw_noise)
            y = data.unscaled_output(result.y, settings.scales)
            loss = self._loss(step, y, target)
            total = loss + self._penalty(params, result.means, scales)
            return jnp.sum(total), loss

        gradient, loss = jax.grad(objective, has_aux=True)(state.weights.T)
        return loss, gradient.T

    def batch(self, step: Array, settings: Settings) -> tuple[Array, Array]:
        """Return the inputs of a step, `(groups, inputs, batch)`, and the targets of the runs."""
        x = self._batch(step, self._of_groups(settings))
        return x[:, : self.model.in_features], self._target(x, settings.layout)

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
        sources = data.sources(self.task, group, axes=2)

        def add(chunk: Array, total: tuple[Array, Array]) -> tuple[Array, Array]:
            lane = chunk * size + jnp.arange(size)
            u = stream.array(lane, jnp.int32(0), 2 * inputs)
            inside = lane < count
            sums = []
            for distribution, mine, scaled in (
                (sources.train, u[:, :inputs], settings),
                (sources.test, u[:, inputs:], tested),
            ):
                if distribution.even:
                    mine = mine.at[:, 0].set(data.even_numbers(lane, count))  # noqa: PLW2901
                x = _inputs(distribution, mine, groups)
                seen = data.scaled_inputs(x[:, :inputs], self._of_groups(scaled).scales)
                y = self._each(params, seen, None).y
                target = self._target(x, settings.layout)
                error = SQUARED.term(data.unscaled_output(y, scaled.scales), target)
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

            trained = partial(forward, train=draw_noise is not None)
            applied = batchwise(trained, *examples, sharing=self._size)
            (x,) = applied(leaves)
        return Pass(x[:, 0], means)

    def _loss(self, step: Array, y: Array, target: Array) -> Array:
        value = jax.vmap(self.recipe.loss.value)(y, target)
        if self.recipe.mse_from is None:
            return value
        return jnp.where(step < self.recipe.mse_from, value, jax.vmap(SQUARED.value)(y, target))

    def _penalty(
        self, params: dict[str, Array], means: dict[str, Array], scales: dict[str, Array]
    ) -> Array:
        """Return the scaled penalties; those of the inputs see their means over the batch."""
        total = jnp.float32(0)
        for prefix, layer in layers(self.model).items() if scales else ():
            mine = {name: params[prefix + name] for name in layer.parameters}
            values = jax.vmap(partial(layer.penalty_terms, jnp))(mine, means[prefix][:, None, :])
            for name, scale in scales.items():
                if name in values:
                    total = total + scale * values[name]
        return total

    # --- the data ------------------------------------------------------------------------------

    def _target(self, x: Array, layout: Array) -> Array:
        """Return the targets `(runs, batch)` of samples `(groups, inputs, batch)`."""
        tasks = (self.task, *self.beside)
        by_group = layout.reshape(x.shape[0], len(tasks), *layout.shape[1:])
        weighted = [task.target.weighted(task.inputs) for task in tasks]
        summed = jnp.einsum("gtki,gib->gtkb", by_group, x) if any(weighted) else None
        inputs = [x[:, k] for k in range(x.shape[1])]
        targets = []
        for t, task in enumerate(tasks):
            sums = None
            if summed is not None and weighted[t]:
                sums = [summed[:, t, k] for k in range(summed.shape[2])]
            targets.append(data.target_of(task, inputs, by_group[:, t], sums))
        return jnp.stack(targets, axis=1).reshape(-1, x.shape[-1])

    def _batch(self, step: Array, settings: Settings) -> Array:
        inputs, batch = self.model.in_features, self.recipe.batch
        stream = streams.stream_of(self.recipe, settings, streams.TRAIN)
        if self.task.train.low_discrepancy:
            lane = jnp.arange(batch, dtype=jnp.uint32)[None, :]
            point = data.sobol_points(step, batch, lane)
            u = jnp.stack([stream.sobol(point, i) for i in range(inputs)], axis=1)
        else:
            u = self._samples(step, stream, inputs)
        train = data.sources(self.task, settings, axes=2).train
        return _inputs(train, u, settings.key.shape[0])

    def _samples(self, step: Array, stream: streams.Stream, inputs: int) -> Array:
        """Return uniform numbers, `(groups, inputs, batch)`, in the order of the fused path."""
        batch = self.recipe.batch
        stream = replace(stream, key=stream.key[:: self.row])
        groups = streams.groups_of(self.model.in_features, batch)
        lanes = batch // groups
        drawn = partial(stream.sample_array, lanes, step, inputs * groups)
        u = streams.once(step, drawn) if self.row > 1 else drawn()
        by_group = u.reshape(-1, groups, inputs, lanes)
        joined = by_group.transpose(0, 2, 1, 3).reshape(-1, inputs, batch)
        return jnp.repeat(joined, self.row, axis=0)

    def _input_noise(self, step: Array, settings: Settings) -> Array:
        if not self.recipe.input_noise:
            return jnp.float32(0)
        inputs = self.model.in_features
        stream = streams.stream_of(self.recipe, settings, streams.INPUT_NOISE)
        u = self._samples(step, stream, 2 * inputs)
        return data.input_noise(self.recipe, u[:, :inputs], u[:, inputs:])

    def _noise(
        self, step: Array, settings: Settings, number: int, layer: Unit, x: Array
    ) -> Array | None:
        source = data.layer_noise(self.recipe, settings, number, layer)
        if source is None:
            return None
        if not source.per_sample:
            drawn = streams.weight_noise(source.stream, source.distribution, source.shape, step)
            return jnp.stack(drawn, axis=-1).reshape(-1, *source.shape, 1)
        u = self._samples(step, source.stream, layer.in_features)
        if not isinstance(layer, Stochastic) or not layer.noise_sees_batch:
            return draw(source.distribution, u, u)
        seen = jax.vmap(lambda x: layer.draws(jnp, {}, x)[1])(lax.stop_gradient(x))
        return draw(jax.tree.map(lambda bound: bound[:, None, None], seen), u, u)


def _inputs(distribution: Distribution, u: Array, runs: int) -> Array:
    """Return the inputs `(runs, inputs, samples)` of uniform numbers, which runs may share."""
    u = jnp.broadcast_to(u, (runs, *u.shape[1:]))
    return distribution.along(jnp, u).astype(jnp.float32)


def _example(value: Array) -> jax.ShapeDtypeStruct:
    """Return the shape of one sample of one run."""
    return jax.ShapeDtypeStruct(value.shape[1:-1], jnp.float32)
