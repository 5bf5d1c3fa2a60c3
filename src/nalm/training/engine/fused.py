"""The fused path: each scalar of a small model is an array over (runs, batch), one kernel a step.

For losses that are sums over samples. Random numbers, forward, backward and the sums over the batch
become a single loop, because no value has an axis besides those.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from nalm.networks import Model
from nalm.networks.layers import layers, parameters, unflatten
from nalm.tasks import Task
from nalm.training.engine import data, streams
from nalm.training.engine.hoist import Hoisted, hoist
from nalm.training.engine.penalties import penalty_scales
from nalm.training.engine.primitives import draw, sums
from nalm.training.engine.scalarise import Elements, elements, evaluate_elements, scalarise
from nalm.training.engine.state import Settings, State, by_parameter
from nalm.training.losses import MSE
from nalm.training.recipe import Recipe

SQUARED = MSE()


@dataclass(frozen=True)
class Fused:
    """Gradients and errors of a block, scalar by scalar."""

    model: Model
    task: Task
    recipe: Recipe
    row: int = 1
    """How many runs, one after the other, draw the same numbers."""

    def gradient(self, step: Array, state: State, settings: Settings) -> tuple[Array, Array]:
        """Return the loss of the batch, and the gradient of loss and penalties, by weight."""
        inputs, batch = self.model.in_features, self.recipe.batch
        groups = streams.groups_of(inputs, batch)
        lanes, runs = batch // groups, state.weights.shape[1]
        lane = jnp.arange(lanes, dtype=jnp.uint32)[None, :]
        u = self._uniforms(settings, lane, step, groups)
        noises = self._noises(lane, step, settings, groups)
        input_noises = self._input_noises(lane, step, settings, groups)
        model = self._hoisted(noises[0], train=True)
        train = data.sources(self.task, settings).train
        heads, pull_heads = jax.vjp(partial(self._heads, model), state.weights)

        def loss(rows: list[Array]) -> Array:
            total = jnp.zeros((runs, lanes), jnp.float32)
            for g in range(groups):
                x = _drawn(train, u[g * inputs : (g + 1) * inputs])
                seen = [v + e for v, e in zip(x[:inputs], input_noises[g], strict=True)]
                y = self._outputs(model, rows, seen, noises[g], settings)
                total = total + self._term(step, y, self._target(x, settings.layout))
            return total

        value, pull = jax.vjp(loss, _by_lane(heads, lanes))
        (gradients,) = pull(jnp.ones_like(value))
        summed = sums([value, *gradients])
        (gradient,) = pull_heads(jnp.stack(summed[1:]))
        return summed[0] / batch, gradient / batch + self._penalty_gradient(step, state, settings)

    def errors(self, weights: Array, settings: Settings) -> tuple[Array, Array]:
        """Return the mean squared errors on the fixed validation and test samples."""
        count, inputs, runs = self.recipe.evaluation, self.model.in_features, weights.shape[1]
        lane = jnp.arange(count, dtype=jnp.uint32)[None, :]
        model = self._hoisted({}, train=False)
        rows = _by_lane(self._heads(model, weights), count)
        stream = streams.evaluation(self.recipe.generator)
        unknown = (settings.key[0, 0] >> 1).astype(jnp.int32)
        u = streams.once(unknown, lambda: stream.uniforms(lane, jnp.int32(0), 2 * inputs))
        u = [jnp.broadcast_to(v, (runs, count)) for v in u]
        errors = []
        tested = settings._replace(scales=settings.test_scales)
        sources = data.sources(self.task, settings)
        for distribution, mine, scaled in (
            (sources.train, u[:inputs], settings),
            (sources.test, u[inputs:], tested),
        ):
            if distribution.even:
                mine[0] = jnp.broadcast_to(data.even_numbers(lane, count), (runs, count))
            x = _drawn(distribution, mine)
            y = self._outputs(model, rows, x[:inputs], {}, scaled)
            errors.append(SQUARED.term(y, self._target(x, settings.layout)))
        validation, test = sums(errors)
        return validation / count, test / count

    # --- the model -----------------------------------------------------------------------------

    def _forward(self, params: Any, x: Array, noise: Mapping[str, Array], train: bool) -> Array:
        """Apply the layers to one sample; `noise` is by the prefix of the layer."""
        for prefix, layer in layers(self.model).items():
            mine = {name: params[prefix + name] for name in layer.parameters}
            x = layer.forward(jnp, mine, x, train, noise.get(prefix))
        return x

    def _hoisted(self, noise: Mapping[str, Elements], train: bool) -> Hoisted:
        """Return the layers as a function of weights, a sample and its noise, in two parts."""
        example = jax.ShapeDtypeStruct((self.model.in_features,), jnp.float32)
        noises = {
            prefix: jax.ShapeDtypeStruct(value.shape, jnp.float32)
            for prefix, value in noise.items()
        }
        return hoist(partial(self._forward, train=train), self._shapes(), example, noises)

    def _heads(self, model: Hoisted, weights: Array) -> Array:
        """Return the heads of all runs, one a row."""
        leaves = list(by_parameter(self.model, weights).values())
        heads = model.heads(leaves)
        return jnp.concatenate([head.reshape(-1, weights.shape[1]) for head in heads])

    def _outputs(
        self,
        model: Hoisted,
        rows: Sequence[Array],
        x: Sequence[Array],
        noise: Mapping[str, Elements],
        settings: Settings,
    ) -> Array:
        """Return the prediction of each sample; all arguments are scalars."""
        x = [data.scaled_inputs(v, settings.scales, i) for i, v in enumerate(x)]
        (y,) = evaluate_elements(
            model.late,
            [
                *_elements(rows, model.shapes),
                elements((len(x),), lambda i: x[i[0]]),
                *(noise[prefix] for prefix in sorted(noise)),
            ],
        )
        return data.unscaled_output(y[0], settings.scales)

    def _term(self, step: Array, y: Array, target: Array) -> Array:
        per_sample = self.recipe.loss.per_sample
        if per_sample is None:
            raise TypeError(f"{self.recipe.loss!r} has no term per sample.")
        term = per_sample(y, target)
        if self.recipe.mse_from is None:
            return term
        return jnp.where(step < self.recipe.mse_from, term, SQUARED.term(y, target))

    def _target(self, x: Sequence[Array], layout: Array) -> Array:
        operands = None
        if self.task.target.weighted(self.task.inputs):
            operands = [
                sum((layout[:, k, i, None] * x_i for i, x_i in enumerate(x)), jnp.float32(0))
                for k in range(layout.shape[1])
            ]
        return data.target_of(self.task, x, layout, operands)

    def _penalty_gradient(self, step: Array, state: State, settings: Settings) -> Array:
        if not self.recipe.penalties:
            return jnp.zeros_like(state.weights)

        def penalties(params: Any) -> list[Array]:
            values = self.model.penalties(unflatten(self.model, params))
            return [values[name] for name, _ in self.recipe.penalties]

        by_element = scalarise(penalties, self._shapes())
        scales = penalty_scales(self.recipe, step, state, settings)

        def total(rows: list[Array]) -> Array:
            values = by_element(_elements(rows, [s.shape for s in self._shapes().values()]))
            scaled = zip(scales.values(), values, strict=True)
            return reduce(jnp.add, [scale * value[()] for scale, value in scaled])

        value, pull = jax.vjp(total, list(state.weights))
        (gradients,) = pull(jnp.ones_like(value))
        return jnp.stack(gradients)

    # --- random numbers ------------------------------------------------------------------------

    def _uniforms(self, settings: Settings, lane: Array, step: Array, groups: int) -> list[Array]:
        inputs, lanes = self.model.in_features, lane.shape[1]
        stream = streams.stream_of(self.recipe, settings, streams.TRAIN)
        if not self.task.train.low_discrepancy:
            return self._shared(stream, lane, step, inputs * groups)
        first = data.sobol_points(step, self.recipe.batch, lane)
        return [
            stream.sobol(first + jnp.uint32(g * lanes), i)
            for g in range(groups)
            for i in range(inputs)
        ]

    def _shared(self, stream: streams.Stream, lane: Array, step: Array, count: int) -> list[Array]:
        """Return `count` uniform numbers for each run and lane, drawn once for each row of runs."""
        if self.row == 1:
            return stream.samples(lane, step, count)
        first = replace(stream, key=stream.key[:: self.row])
        drawn = streams.once(step, lambda: first.samples(lane, step, count))
        return [jnp.repeat(u, self.row, axis=0) for u in drawn]

    def _input_noises(
        self, lane: Array, step: Array, settings: Settings, groups: int
    ) -> list[list[Array]]:
        """Return the noise on the inputs of a sample, for each group of samples."""
        inputs = self.model.in_features
        if not self.recipe.input_noise:
            return [[jnp.float32(0)] * inputs] * groups
        stream = streams.stream_of(self.recipe, settings, streams.INPUT_NOISE)
        u = self._shared(stream, lane, step, 2 * inputs * groups)
        starts = [2 * inputs * g for g in range(groups)]
        return [
            [
                data.input_noise(self.recipe, u[start + i], u[start + inputs + i])
                for i in range(inputs)
            ]
            for start in starts
        ]

    def _noises(
        self, lane: Array, step: Array, settings: Settings, groups: int
    ) -> list[dict[str, Elements]]:
        """Return the noise of every stochastic layer, for each group of samples.

        A layer declares noise per input, which each sample draws anew, or per weight, which the
        samples of a step share.
        """
        noises: list[dict[str, Elements]] = [{} for _ in range(groups)]
        for number, (prefix, layer) in enumerate(layers(self.model).items()):
            source = data.layer_noise(self.recipe, settings, number, layer)
            if source is None:
                continue
            shape, count = source.shape, layer.in_features if source.per_sample else 0
            if source.per_sample:
                u = self._shared(source.stream, lane, step, count * groups)
                drawn = [draw(source.distribution, word, word) for word in u]
            else:
                each = streams.weight_noise(source.stream, source.distribution, shape, step)
                drawn = [noise[:, None] for noise in each]
            for g, noise in enumerate(noises):
                noise[prefix] = elements(
                    shape,
                    lambda i, g=g, shape=shape, count=count, drawn=drawn: drawn[
                        g * count + int(np.ravel_multi_index(i, shape))
                    ],
                )
        return noises

    # --- layout --------------------------------------------------------------------------------

    def _shapes(self) -> dict[str, jax.ShapeDtypeStruct]:
        declared = parameters(self.model)
        return {n: jax.ShapeDtypeStruct(declared[n].shape, jnp.float32) for n in sorted(declared)}


def _drawn(distribution: Any, u: Sequence[Array]) -> list[Array]:
    """Return the inputs of uniform numbers, in float32 whatever the distribution computes in."""
    return [x.astype(jnp.float32) for x in distribution.inputs(jnp, u)]


def _by_lane(rows: Array, lanes: int) -> list[Array]:
    return [jnp.broadcast_to(row[:, None], (rows.shape[1], lanes)) for row in rows]


def _elements(rows: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> list[Elements]:
    """Return arrays of these shapes whose elements are the rows, in order."""
    leaves, place = [], 0
    for shape in shapes:
        mine = rows[place : place + prod(shape)]
        place += prod(shape)
        leaves.append(
            elements(
                shape,
                lambda i, mine=mine, shape=shape: mine[
                    int(np.ravel_multi_index(i, shape)) if shape else 0
                ],
            )
        )
    return leaves
