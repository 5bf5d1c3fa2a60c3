"""One compiled program that trains a block of runs at once.

Each scalar of the model is an array over (runs, batch). The program has one kernel for a training
step (random numbers, forward, backward, sums over the batch), one for the update, and one for the
evaluation; nothing of it depends on how many runs are real and how many are padding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial, reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from nalm.distributions import Normal, Uniform
from nalm.engine.random import GENERATORS, unit
from nalm.engine.recipe import Recipe
from nalm.engine.scalarise import Elements, elements, scalarise
from nalm.engine.schedules import scale_at
from nalm.operations import operation
from nalm.tasks import Exponential, Task, TruncatedNormal, Union
from nalm.units import Stochastic, Unit

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
"""Streams of random numbers: the fourth word of the counter."""
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

    model: Unit
    task: Task
    """Its distributions and operand positions are those of `Settings`."""
    recipe: Recipe

    @property
    def size(self) -> int:
        """The number of parameters of one run."""
        return sum(int(np.prod(p.shape)) for p in self.model.parameters.values())

    def initialise(self, settings: Settings) -> State:
        """Draw the initial parameters of every run from its own key."""
        rows, place = [], 0
        for name in sorted(self.model.parameters):
            parameter = self.model.parameters[name]
            for _ in range(int(np.prod(parameter.shape))):
                rows.append(self._initial(parameter.init, settings, place))
                place += 1
        weights = jnp.stack(rows)
        zeros = jnp.zeros_like(weights)
        never = jnp.full(weights.shape[1], -1, jnp.int32)
        return State(weights, zeros, zeros, never)

    def _initial(self, distribution: Any, settings: Settings, place: int) -> Array:
        words = self._words(settings.key, jnp.uint32(place), jnp.uint32(0), 0, INIT)
        return _draw(distribution, unit(words[0]), unit(words[1]))

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
            errors.append(self._error(rows, x, [], settings.subsets, train=False))
        validation, test = _sums(errors)
        sparsity = jax.vmap(self.model.sparsity_error)(self.unflatten(state.weights))
        return Record(validation / count, test / count, sparsity)

    def unflatten(self, weights: Array) -> dict[str, Array]:
        """Return `(parameters, runs)` weights as the parameters of the model, runs first."""
        params, place = {}, 0
        for name in sorted(self.model.parameters):
            shape = self.model.parameters[name].shape
            size = int(np.prod(shape))
            params[name] = weights[place : place + size].T.reshape(-1, *shape)
            place += size
        return params

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
        noisy = self._noise_per_sample()
        groups = max(1, 4 // inputs)  # samples that share one call of the generator
        groups = groups if batch % groups == 0 else 1
        lanes, runs = batch // groups, weights.shape[1]
        lane = jnp.arange(lanes, dtype=jnp.uint32)[None, :]
        u = self._uniforms(settings.key, lane, step, inputs * groups, TRAIN)
        v = self._uniforms(settings.key, lane, step, inputs * groups * noisy, NOISE)
        rows = [jnp.broadcast_to(w[:, None], (runs, lanes)) for w in weights]

        def loss(rows: list[Array]) -> Array:
            total = jnp.zeros((runs, lanes), jnp.float32)
            for g in range(groups):
                mine = slice(g * inputs, (g + 1) * inputs)
                x = [settings.train.quantile(jnp, word) for word in u[mine]]
                noise = self._noise(step, settings, v[mine])
                total = total + self._error(rows, x, noise, settings.subsets, train=True)
            return total

        value, pull = jax.vjp(loss, rows)
        (gradients,) = pull(jnp.ones_like(value))
        summed = _sums([value, *gradients])
        return summed[0] / batch, jnp.stack(summed[1:]) / batch

    def _error(
        self,
        rows: Sequence[Array],
        x: Sequence[Array],
        noise: Sequence[Array],
        subsets: Array,
        train: bool,
    ) -> Array:
        """Return the squared error of each sample; every argument is a list of scalars."""
        examples = [jax.ShapeDtypeStruct((self.model.in_features,), jnp.float32)]
        shape = self._noise_shape()
        if noise:
            examples.append(jax.ShapeDtypeStruct(shape, jnp.float32))

        def forward(params: dict[str, Array], x: Array, *noise: Array) -> Array:
            return self.model.forward(jnp, params, x, train, noise[0] if noise else None)

        by_element = scalarise(forward, self._shapes(), *examples)
        leaves = [*self._elements(rows), elements((len(x),), lambda i: x[i[0]])]
        if noise:
            leaves.append(elements(shape, lambda i: noise[int(np.ravel_multi_index(i, shape))]))
        (y,) = by_element(leaves)
        target = self._target(x, subsets)
        return sum(((y_o - target) ** 2 for y_o in y), jnp.zeros_like(target))

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
        names = [name for name, _ in self.recipe.penalties]

        def terms(params: dict[str, Array]) -> list[Array]:
            values = self.model.penalties(params)
            return [values[name] for name in names]

        by_element = scalarise(terms, self._shapes())

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
        return sd * _draw(Normal(0.0, 1.0), unit(words[0]), unit(words[1])).T

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
        for name in sorted(self.model.parameters):
            parameter = self.model.parameters[name]
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

    def _noise_per_sample(self) -> int:
        """How many noise numbers a sample needs per input: 1 or 0."""
        shape = self._noise_shape()
        return 0 if shape is None or shape != (self.model.in_features,) else 1

    def _noise_shape(self) -> Any:
        if not isinstance(self.model, Stochastic):
            return None
        x = jnp.ones(self.model.in_features, jnp.float32)
        return self.model.draws(jnp, {}, x)[0]

    def _noise(self, step: Array, settings: Settings, v: Sequence[Array]) -> list[Array]:
        if not isinstance(self.model, Stochastic):
            return []
        x = jnp.ones(self.model.in_features, jnp.float32)
        shape, distribution = self.model.draws(jnp, {}, x)
        if self._noise_per_sample():
            return [_draw(distribution, word, word) for word in v]
        drawn = []
        for place in range(int(np.prod(shape))):
            words = self._words(settings.key, jnp.uint32(place), step, 0, WEIGHT_NOISE)
            drawn.append(_draw(distribution, unit(words[0]), unit(words[1]))[:, None])
        return drawn

    # --- layout --------------------------------------------------------------------------------

    def _shapes(self) -> dict[str, jax.ShapeDtypeStruct]:
        declared = self.model.parameters
        return {n: jax.ShapeDtypeStruct(declared[n].shape, jnp.float32) for n in sorted(declared)}

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


def is_finite(x: Array) -> Array:
    """Tell which numbers are finite from their bits, which fast-math cannot assume away."""
    bits = lax.bitcast_convert_type(x, jnp.uint32)
    return (bits & jnp.uint32(0x7F800000)) != jnp.uint32(0x7F800000)


def _draw(distribution: Any, u: Array, v: Array) -> Array:
    """Draw from an initial or noise distribution with two uniform numbers."""
    if isinstance(distribution, Uniform):
        return distribution.quantile(jnp, u)
    if isinstance(distribution, Normal):
        radius = jnp.sqrt(-2 * jnp.log(1 - u))
        return distribution.mean + distribution.sd * radius * jnp.cos(2 * np.pi * v)
    return jnp.full_like(u, distribution.value)


def _sums(arrays: Sequence[Array]) -> list[Array]:
    """Sum each over the batch, all in one reduction, which XLA vectorises."""
    zeros = tuple(jnp.zeros((), a.dtype) for a in arrays)

    def add(left: Any, right: Any) -> tuple[Array, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    return list(lax.reduce(tuple(arrays), zeros, add, (1,)))


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
