"""One compiled program that trains a block of runs at once.

Each scalar of the model is an array over (runs, batch). The program has one kernel for a training
step (random numbers, forward, backward, sums over the batch), one for the update, and one for the
evaluation; nothing of it depends on how many runs are real and how many are padding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial, reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from nalm.distributions import Normal, Uniform
from nalm.engine.primitives import draw, is_finite, sums
from nalm.engine.random import GENERATORS, unit
from nalm.engine.recipe import Recipe
from nalm.engine.scalarise import Elements, elements, scalarise
from nalm.engine.schedules import scale_at
from nalm.networks import Model
from nalm.networks.layers import layers, parameters, unflatten
from nalm.operations import operation
from nalm.tasks import Exponential, Task, TruncatedNormal, Union
from nalm.units import Parameter, Stochastic

for _distribution in (Uniform, Union, TruncatedNormal, Exponential):
    jax.tree_util.register_dataclass(
        _distribution, [field.name for field in fields(_distribution)], []
    )

BLOCK = 113
"""Runs per program: always this many, so that a run's bits do not depend on its company.

Half of the 225 runs (9 ranges, 25 seeds) of the published benchmark: one block for each of two
cores.
"""
EVALUATION_KEY = 43953907
"""The key of the validation and test samples, which are the same for every run."""
TRAIN, NOISE, INIT, WEIGHT_NOISE, GRADIENT_NOISE = range(5)
"""Streams of random numbers: the fourth word of the counter, plus 8 for each further layer."""
BETA_1, BETA_2, ADAM_EPSILON = 0.9, 0.999, 1e-8


class Settings(NamedTuple):
    """What may differ between the runs of a block: arrays with one element (or row) per run."""

    key: Array
    """The seed of the run, two words."""
    train: Any
    """The training distribution, its bounds arrays."""
    test: Any
    subsets: Array
    """(runs, operands, inputs): which inputs each operand sums."""
    learning_rate: Array


class State(NamedTuple):
    """What training carries from step to step, per run."""

    weights: Array
    """(parameters, runs)."""
    moments: Array
    squares: Array
    diverged_at: Array
    """The step at which a number stopped being finite, or -1."""


class Record(NamedTuple):
    """What is measured at one evaluation, per run."""

    validation: Array
    test: Array
    sparsity: Array


@dataclass(frozen=True)
class Program:
    """What a block computes; everything here is fixed when it is compiled."""

    model: Model
    task: Task
    """Its distributions and operand positions are those of `Settings`."""
    recipe: Recipe

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of all layers, in the order of the rows of the weights."""
        declared = parameters(self.model)
        return {name: declared[name] for name in sorted(declared)}

    @property
    def size(self) -> int:
        """The number of parameters of one run."""
        return sum(int(np.prod(p.shape)) for p in self.parameters.values())

    def initialise(self, settings: Settings) -> State:
        """Draw the initial parameters of every run from its own key."""
        rows, place = [], 0
        for parameter in self.parameters.values():
            for _ in range(int(np.prod(parameter.shape))):
                rows.append(self._initial(parameter.init, settings, place))
                place += 1
        weights = jnp.stack(rows)
        zeros = jnp.zeros_like(weights)
        never = jnp.full(weights.shape[1], -1, jnp.int32)
        return State(weights, zeros, zeros, never)

    def _initial(self, distribution: Any, settings: Settings, place: int) -> Array:
        words = self._words(settings.key, jnp.uint32(place), jnp.uint32(0), 0, INIT)
        return draw(distribution, unit(words[0]), unit(words[1]))

    def train(self, state: State, settings: Settings, start: Array, stop: Array) -> State:
        """Make the updates from `start` up to, not with, `stop`."""
        return lax.fori_loop(start, stop, partial(self._step, settings=settings), state)

    def evaluate(self, state: State, settings: Settings) -> Record:
        """Measure every run on the fixed validation and test samples."""
        count = self.recipe.evaluation
        lane = jnp.arange(count, dtype=jnp.uint32)[None, :]
        runs = state.weights.shape[1]
        rows = [jnp.broadcast_to(w[:, None], (runs, count)) for w in state.weights]
        inputs = self.model.in_features
        fixed = jnp.full((1, 2), EVALUATION_KEY, jnp.uint32)
        u = self._uniforms(fixed, lane, jnp.uint32(0), 2 * inputs, TRAIN)
        errors = []
        for distribution, mine in ((settings.train, u[:inputs]), (settings.test, u[inputs:])):
            x = [distribution.quantile(jnp, jnp.broadcast_to(v, (runs, count))) for v in mine]
            errors.append(self._error(rows, x, {}, settings.subsets, train=False))
        validation, test = sums(errors)
        sparsity = jax.vmap(self._sparsity)(self.unflatten(state.weights))
        return Record(validation / count, test / count, sparsity)

    def unflatten(self, weights: Array) -> dict[str, Array]:
        """Return `(parameters, runs)` weights as flat parameters by name, runs first."""
        params, place = {}, 0
        for name, parameter in self.parameters.items():
            size = int(np.prod(parameter.shape))
            params[name] = weights[place : place + size].T.reshape(-1, *parameter.shape)
            place += size
        return params

    # --- the model -----------------------------------------------------------------------------

    def _forward(self, params: Any, x: Array, noise: Mapping[str, Array], train: bool) -> Array:
        """Apply the layers to one sample; `noise` is by the prefix of the layer."""
        for prefix, layer in layers(self.model).items():
            mine = {name: params[prefix + name] for name in layer.parameters}
            x = layer.forward(jnp, mine, x, train, noise.get(prefix))
        return x

    def _sparsity(self, params: Any) -> Array:
        return self.model.sparsity_error(unflatten(self.model, params))

    def _penalties(self, params: Any) -> list[Array]:
        values = self.model.penalties(unflatten(self.model, params))
        return [values[name] for name, _ in self.recipe.penalties]

    # --- one step ------------------------------------------------------------------------------

    def _step(self, step: Array, state: State, settings: Settings) -> State:
        loss, gradient = self._gradient(step, state.weights, settings)
        gradient = gradient + self._penalty_gradient(step, state.weights)
        gradient = self._handled(gradient) + self._gradient_noise(step, settings)
        moved, moments, squares = self._optimised(step, state, gradient, settings)
        low, high = self._bounds()
        finite = is_finite(loss) & is_finite(gradient).all(axis=0) & is_finite(moved).all(axis=0)
        alive = (state.diverged_at < 0) & finite
        moved = jnp.clip(moved, low, high)
        return State(
            jnp.where(alive, moved, state.weights),
            jnp.where(alive, moments, state.moments),
            jnp.where(alive, squares, state.squares),
            jnp.where(alive | (state.diverged_at >= 0), state.diverged_at, step.astype(jnp.int32)),
        )

    def _gradient(self, step: Array, weights: Array, settings: Settings) -> tuple[Array, Array]:
        """Return the loss of the batch and its gradient, `(parameters, runs)`."""
        inputs, batch = self.model.in_features, self.recipe.batch
        groups = max(1, 4 // inputs)  # samples that share one call of the generator
        groups = groups if batch % groups == 0 else 1
        lanes, runs = batch // groups, weights.shape[1]
        lane = jnp.arange(lanes, dtype=jnp.uint32)[None, :]
        u = self._uniforms(settings.key, lane, step, inputs * groups, TRAIN)
        noises = self._noises(lane, step, settings, groups)
        rows = [jnp.broadcast_to(w[:, None], (runs, lanes)) for w in weights]

        def loss(rows: list[Array]) -> Array:
            total = jnp.zeros((runs, lanes), jnp.float32)
            for g in range(groups):
                x = [settings.train.quantile(jnp, w) for w in u[g * inputs : (g + 1) * inputs]]
                total = total + self._error(rows, x, noises[g], settings.subsets, train=True)
            return total

        value, pull = jax.vjp(loss, rows)
        (gradients,) = pull(jnp.ones_like(value))
        summed = sums([value, *gradients])
        return summed[0] / batch, jnp.stack(summed[1:]) / batch

    def _error(
        self,
        rows: Sequence[Array],
        x: Sequence[Array],
        noise: Mapping[str, Elements],
        subsets: Array,
        train: bool,
    ) -> Array:
        """Return the squared error of each sample; every argument is a list of scalars."""
        example = jax.ShapeDtypeStruct((len(x),), jnp.float32)
        noise_examples = {
            prefix: jax.ShapeDtypeStruct(value.shape, jnp.float32)
            for prefix, value in sorted(noise.items())
        }
        forward = partial(self._forward, train=train)
        by_element = scalarise(forward, self._shapes(), example, noise_examples)
        (y,) = by_element(
            [
                *self._elements(rows),
                elements((len(x),), lambda i: x[i[0]]),
                *(noise[prefix] for prefix in noise_examples),
            ]
        )
        return (y[0] - self._target(x, subsets)) ** 2

    def _target(self, x: Sequence[Array], subsets: Array) -> Array:
        if self.task.positions == 1 and self.task.subset == 1:
            operands = list(x[: self.task.operands])
        else:
            operands = [
                sum((subsets[:, k, i, None] * x_i for i, x_i in enumerate(x)), jnp.float32(0))
                for k in range(self.task.operands)
            ]
        return operation(self.task.op).apply(jnp, operands)

    def _penalty_gradient(self, step: Array, weights: Array) -> Array:
        if not self.recipe.penalties:
            return jnp.zeros_like(weights)
        by_element = scalarise(self._penalties, self._shapes())

        def total(rows: list[Array]) -> Array:
            values = by_element(self._elements(rows))
            scaled = [
                scale_at(jnp, schedule, step) * value[()]
                for (_, schedule), value in zip(self.recipe.penalties, values, strict=True)
            ]
            return reduce(jnp.add, scaled)

        value, pull = jax.vjp(total, list(weights))
        (gradients,) = pull(jnp.ones_like(value))
        return jnp.stack(gradients)

    def _handled(self, gradient: Array) -> Array:
        if self.recipe.clip_norm is not None:
            norm = jnp.sqrt(jnp.sum(gradient**2, axis=0))
            gradient = gradient * jnp.minimum(1.0, self.recipe.clip_norm / (norm + 1e-6))
        if self.recipe.clip_value is not None:
            gradient = jnp.clip(gradient, -self.recipe.clip_value, self.recipe.clip_value)
        return gradient

    def _gradient_noise(self, step: Array, settings: Settings) -> Array:
        """Return normal noise of variance η / (1 + step)^0.55, one number per parameter and run."""
        if not self.recipe.gradient_noise:
            return jnp.float32(0)
        place = jnp.arange(self.size, dtype=jnp.uint32)[None, :]
        words = self._words(settings.key, place, step, 0, GRADIENT_NOISE)
        sd = jnp.sqrt(self.recipe.gradient_noise) * (1 + step.astype(jnp.float32)) ** -0.275
        return sd * draw(Normal(0.0, 1.0), unit(words[0]), unit(words[1])).T

    def _optimised(
        self, step: Array, state: State, gradient: Array, settings: Settings
    ) -> tuple[Array, Array, Array]:
        rate = settings.learning_rate
        if self.recipe.optimiser == "sgd":
            moments = self.recipe.momentum * state.moments + gradient
            return state.weights - rate * moments, moments, state.squares
        t = step.astype(jnp.float32) + 1
        moments = BETA_1 * state.moments + (1 - BETA_1) * gradient
        squares = BETA_2 * state.squares + (1 - BETA_2) * gradient**2
        mean = moments / (1 - BETA_1**t)
        spread = jnp.sqrt(squares / (1 - BETA_2**t))
        return state.weights - rate * mean / (spread + ADAM_EPSILON), moments, squares

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        bounds = []
        for parameter in self.parameters.values():
            size = int(np.prod(parameter.shape))
            bounds += [parameter.bounds or (-np.inf, np.inf)] * size
        low, high = np.array(bounds, np.float32).T
        return low[:, None], high[:, None]

    # --- random numbers ------------------------------------------------------------------------

    def _words(self, key: Array, lane: Array, step: Array, block: int, stream: int) -> Any:
        """Return four words per (run, lane), from counters alone."""
        k0, k1 = key[:, 0], key[:, 1]
        if lane.ndim == 2:
            k0, k1 = k0[:, None], k1[:, None]
        counter = (lane, step.astype(jnp.uint32), jnp.uint32(block), jnp.uint32(stream))
        return GENERATORS[self.recipe.generator](counter, (k0, k1))

    def _uniforms(
        self, key: Array, lane: Array, step: Array, count: int, stream: int
    ) -> list[Array]:
        words: list[Array] = []
        for block in range((count + 3) // 4):
            words += self._words(key, lane, step, block, stream)
        return [unit(word) for word in words[:count]]

    def _noises(
        self, lane: Array, step: Array, settings: Settings, groups: int
    ) -> list[dict[str, Elements]]:
        """Return the noise of every stochastic layer, for each group of samples.

        A layer declares noise per input, which each sample draws anew, or per weight, which the
        samples of a step share.
        """
        noises: list[dict[str, Elements]] = [{} for _ in range(groups)]
        for number, (prefix, layer) in enumerate(layers(self.model).items()):
            if not isinstance(layer, Stochastic):
                continue
            ones = jnp.ones(layer.in_features, jnp.float32)
            shape, distribution = layer.draws(jnp, {}, ones)
            if shape == ones.shape:
                count = layer.in_features
                u = self._uniforms(settings.key, lane, step, count * groups, NOISE + 8 * number)
                drawn = [draw(distribution, word, word) for word in u]
            else:
                count = 0
                drawn = [
                    self._weight_noise(distribution, place, step, settings, number)
                    for place in range(int(np.prod(shape)))
                ]
            for g, noise in enumerate(noises):
                noise[prefix] = elements(
                    shape,
                    lambda i, g=g, shape=shape, count=count, drawn=drawn: drawn[
                        g * count + int(np.ravel_multi_index(i, shape))
                    ],
                )
        return noises

    def _weight_noise(
        self, distribution: Any, place: int, step: Array, settings: Settings, number: int
    ) -> Array:
        stream = WEIGHT_NOISE + 8 * number
        words = self._words(settings.key, jnp.uint32(place), step, 0, stream)
        return draw(distribution, unit(words[0]), unit(words[1]))[:, None]

    # --- layout --------------------------------------------------------------------------------

    def _shapes(self) -> dict[str, jax.ShapeDtypeStruct]:
        return {n: jax.ShapeDtypeStruct(p.shape, jnp.float32) for n, p in self.parameters.items()}

    def _elements(self, rows: Sequence[Array]) -> list[Elements]:
        leaves, place = [], 0
        for struct in self._shapes().values():
            size = int(np.prod(struct.shape))
            mine = rows[place : place + size]
            place += size
            leaves.append(
                elements(
                    struct.shape,
                    lambda i, mine=mine, shape=struct.shape: mine[
                        int(np.ravel_multi_index(i, shape)) if shape else 0
                    ],
                )
            )
        return leaves


def compile_program(program: Program, settings: Settings) -> Callable[..., Any]:
    """Return the compiled segment: evaluate, then train up to the next evaluation."""

    def segment(
        state: State, settings: Settings, start: Array, stop: Array
    ) -> tuple[State, Record]:
        record = program.evaluate(state, settings)
        return program.train(state, settings, start, stop), record

    state = jax.eval_shape(program.initialise, settings)
    step = jnp.int32(0)
    lowered = jax.jit(segment, donate_argnums=0).lower(state, settings, step, step)
    return lowered.compile(compiler_options={"xla_cpu_enable_fast_math": True})
