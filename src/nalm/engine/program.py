"""One compiled program that trains a block of runs at once.

Nothing of it depends on how many runs are real and how many are padding. A path computes gradients
and errors; what is common to all (initial weights, the update, divergence) is here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from nalm.distributions import Normal
from nalm.engine import streams
from nalm.engine.fused import Fused
from nalm.engine.plain import Plain
from nalm.engine.plan import PathName, path_of
from nalm.engine.primitives import draw, is_finite
from nalm.engine.recipe import Recipe, compiled
from nalm.engine.schedules import decay
from nalm.engine.second_order import SecondOrder
from nalm.engine.snapping import Snapping, grid_of
from nalm.engine.state import Record, Settings, State, by_name
from nalm.networks import Model
from nalm.networks.layers import parameters, unflatten
from nalm.tasks import AnyTask
from nalm.units import Parameter

BETA_1, BETA_2, ADAM_EPSILON = 0.9, 0.999, 1e-8
RMS_DECAY, RMS_EPSILON = 0.9, 1e-8


class Path(Protocol):
    """How gradients and errors are computed."""

    def gradient(self, step: Array, state: State, settings: Settings) -> tuple[Array, Array]:
        """Return the loss of the batch, and the gradient of loss and penalties, by weight."""
        ...

    def errors(self, weights: Array, settings: Settings) -> tuple[Array, Array]:
        """Return the mean squared errors on the fixed validation and test samples."""
        ...


@dataclass(frozen=True)
class Program:
    """What a block computes; everything here is fixed when it is compiled."""

    model: Model
    task: AnyTask
    """Its distributions and operand positions are those of `Settings`."""
    recipe: Recipe
    """Its learning rate and scales of penalties are those of `Settings`."""
    path: Path
    second_order: SecondOrder | None = None
    """What makes the updates of the optimiser lm."""
    snapping: Snapping | None = None
    """What sets weights for good."""

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
        weights = self._drawn(settings, settings.member[:, None])
        zeros = jnp.zeros_like(weights)
        unknown = jnp.full(weights.shape[1], jnp.nan, jnp.float32)
        never = jnp.full(weights.shape[1], -1, jnp.int32)
        fixed = jnp.zeros(weights.shape, bool) if self.snapping else None
        return State(weights, zeros, zeros, unknown, unknown, never, fixed)

    def redraw(self, state: State, settings: Settings, which: Array, step: Array) -> State:
        """Draw the parameters of some runs anew after a step; the optimiser goes on as it is."""
        drawn = self._drawn(settings, step.astype(jnp.uint32) + 1)
        return state._replace(weights=jnp.where(which, drawn, state.weights))

    def _drawn(self, settings: Settings, number: Array) -> Array:
        stream = streams.stream_of(self.recipe, settings, streams.INIT)
        rows, place = [], 0
        for parameter in self.parameters.values():
            size = int(np.prod(parameter.shape))
            lane = jnp.arange(place, place + size, dtype=jnp.uint32)[None, :]
            rows.append(draw(parameter.init, *stream.pair(lane, number)).T)
            place += size
        return jnp.concatenate(rows)

    def train(self, state: State, settings: Settings, start: Array, stop: Array) -> State:
        """Make the updates from `start` up to, not with, `stop`."""
        return lax.fori_loop(start, stop, partial(self._step, settings=settings), state)

    def evaluate(self, state: State, settings: Settings) -> Record:
        """Measure every run on the fixed validation and test samples."""
        validation, test = self.path.errors(state.weights, settings)
        params = self.unflatten(state.weights)
        sparsity, penalties = jax.vmap(self._properties)(params)
        return Record(validation, test, sparsity, state.loss, penalties.T)

    def unflatten(self, weights: Array) -> dict[str, Array]:
        """Return `(parameters, runs)` weights as flat parameters by name, runs first."""
        return by_name(self.model, weights)

    def _properties(self, params: Any) -> tuple[Array, Array]:
        """Return the sparsity error and the penalties of one run; those of inputs are NaN."""
        mine = unflatten(self.model, params)
        values = self.model.penalties(mine)
        wanted = [values.get(name, jnp.float32(jnp.nan)) for name, _ in self.recipe.penalties]
        return self.model.sparsity_error(mine), jnp.stack([jnp.float32(0), *wanted])[1:]

    # --- one step ------------------------------------------------------------------------------

    def _step(self, step: Array, state: State, settings: Settings) -> State:
        low, high = self._bounds()
        if self.second_order:
            update = self.second_order.update(step, state, settings, low, high)
            (loss, moved, moments), squares = update, state.squares
            finite = is_finite(loss)
        else:
            loss, gradient = self.path.gradient(step, state, settings)
            gradient = self._clipped(gradient) + self._gradient_noise(step, settings)
            gradient = gradient if state.fixed is None else jnp.where(state.fixed, 0.0, gradient)
            moved, moments, squares = self._optimised(step, state, gradient, settings)
            finite = is_finite(loss) & is_finite(gradient).all(axis=0)
        finite = finite & is_finite(moved).all(axis=0)
        alive = (state.diverged_at < 0) & finite
        moved = jnp.clip(moved, low, high)
        if state.fixed is not None:
            moved = jnp.where(state.fixed, state.weights, moved)
        after = State(
            jnp.where(alive, moved, state.weights),
            jnp.where(alive, moments, state.moments),
            jnp.where(alive, squares, state.squares),
            jnp.where(state.diverged_at < 0, loss, state.loss),
            state.validation,
            jnp.where(alive | (state.diverged_at >= 0), state.diverged_at, step.astype(jnp.int32)),
            state.fixed,
        )
        return self.snapping.after(step, after) if self.snapping else after

    def _clipped(self, gradient: Array) -> Array:
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
        lane = jnp.arange(self.size, dtype=jnp.uint32)[None, :]
        pair = streams.stream_of(self.recipe, settings, streams.GRADIENT_NOISE).pair(lane, step)
        sd = jnp.sqrt(self.recipe.gradient_noise) * (1 + step.astype(jnp.float32)) ** -0.275
        return sd * draw(Normal(0.0, 1.0), *pair).T

    def _optimised(
        self, step: Array, state: State, gradient: Array, settings: Settings
    ) -> tuple[Array, Array, Array]:
        rate = settings.learning_rate
        if self.recipe.decay:
            rate = rate * decay(step, self.recipe.decay).astype(rate.dtype)
        if self.recipe.optimiser == "sgd":
            moments = self.recipe.momentum * state.moments + gradient
            return state.weights - rate * moments, moments, state.squares
        if self.recipe.optimiser == "rmsprop":
            squares = RMS_DECAY * state.squares + (1 - RMS_DECAY) * gradient**2
            scaled = gradient / (jnp.sqrt(squares) + RMS_EPSILON)
            moments = self.recipe.momentum * state.moments + scaled
            return state.weights - rate * moments, moments, squares
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


def program_of(
    model: Model,
    task: AnyTask,
    recipe: Recipe,
    path: PathName | None = None,
    *,
    beside: tuple[AnyTask, ...] = (),
    row: int = 1,
) -> Program:
    """Return the program of runs with this signature, on the path they need unless one is named.

    After each of them come runs with the tasks `beside`, if any, which share its samples, and each
    `row` of such groups draws the same numbers; only the plain path can do that.
    """
    recipe = compiled(recipe)
    alone = not beside and row == 1
    fused = alone and (path or path_of(model, recipe)) == "fused"
    chosen = Fused(model, task, recipe) if fused else Plain(model, task, recipe, beside, row)
    newton = (
        SecondOrder(model, chosen)
        if isinstance(chosen, Plain) and recipe.optimiser == "lm"
        else None
    )
    snapping = Snapping(recipe.snap, grid_of(model)) if recipe.snap else None
    return Program(model, task, recipe, chosen, newton, snapping)


@dataclass(frozen=True)
class Compiled:
    """The functions of a program, compiled for a block."""

    program: Program
    initialise: Callable[[Settings], State]
    evaluate: Callable[[State, Settings], Record]
    train: Callable[[State, Settings, Array, Array], State]
    redraw: Callable[[State, Settings, Array, Array], State]


def compile_program(program: Program, settings: Settings) -> Compiled:
    """Compile a program; training and evaluation with fast-math, which their sums need."""
    state = jax.eval_shape(program.initialise, settings)
    step = jnp.int32(0)
    options: dict[str, str | bool] = {"xla_cpu_enable_fast_math": True}
    train = jax.jit(program.train, donate_argnums=0).lower(state, settings, step, step)
    return Compiled(
        program,
        jax.jit(program.initialise),
        jax.jit(program.evaluate).lower(state, settings).compile(compiler_options=options),
        train.compile(compiler_options=options),
        jax.jit(program.redraw),
    )
