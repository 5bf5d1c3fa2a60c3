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

from nalm.networks import Model
from nalm.networks.layers import parameters, unflatten
from nalm.tasks import Task
from nalm.training.engine import streams
from nalm.training.engine.fused import Fused
from nalm.training.engine.plain import Plain
from nalm.training.engine.plan import PathName, path_of
from nalm.training.engine.primitives import draw, is_finite
from nalm.training.engine.snapping import Snapping, grid_of
from nalm.training.engine.state import Record, Settings, State, by_name
from nalm.training.engine.steps import Steps, steps_of
from nalm.training.recipe import Recipe
from nalm.units import Parameter


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
    task: Task
    """Its distributions and operand positions are those of `Settings`."""
    recipe: Recipe
    """Its learning rate and scales of penalties are those of `Settings`."""
    path: Path
    steps: Steps
    """What moves the weights."""
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

    def initialize(self, settings: Settings) -> State:
        """Draw the initial parameters of every run from its own key."""
        weights = self._drawn(settings, settings.member[:, None])
        unknown = jnp.full(weights.shape[1], jnp.nan, jnp.float32)
        never = jnp.full(weights.shape[1], -1, jnp.int32)
        fixed = jnp.zeros(weights.shape, bool) if self.snapping else None
        return State(weights, self.steps.init(weights, settings), unknown, unknown, never, fixed)

    def redraw(self, state: State, settings: Settings, which: Array, step: Array) -> State:
        """Draw the parameters of some runs anew after a step; the optimizer goes on as it is."""
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
        move = self.steps.move(step, state, settings, low, high)
        finite = move.finite & is_finite(move.weights).all(axis=0)
        before = state.diverged_at < 0
        alive = before & finite
        moved = jnp.clip(move.weights, low, high)
        if state.fixed is not None:
            moved = jnp.where(state.fixed, state.weights, moved)
        after = State(
            jnp.where(alive, moved, state.weights),
            jax.tree.map(partial(_kept, alive), move.optimizer, state.optimizer),
            jnp.where(before, move.loss, state.loss),
            state.validation,
            jnp.where(alive | ~before, state.diverged_at, step.astype(jnp.int32)),
            state.fixed,
        )
        return self.snapping.after(step, after) if self.snapping else after

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        bounds = []
        for parameter in self.parameters.values():
            size = int(np.prod(parameter.shape))
            bounds += [parameter.bounds or (-np.inf, np.inf)] * size
        low, high = np.array(bounds, np.float32).T
        return low[:, None], high[:, None]


def _kept(alive: Array, new: Array, old: Array) -> Array:
    """Return the new state of runs that are alive; a scalar belongs to all."""
    return jnp.where(alive, new, old) if new.ndim else new


def program_of(
    model: Model,
    task: Task,
    recipe: Recipe,
    path: PathName | None = None,
    *,
    beside: tuple[Task, ...] = (),
    row: int = 1,
) -> Program:
    """Return the program of runs with this signature, on the path they need unless one is named.

    After each of them come runs with the tasks `beside`, if any, which share its samples, and each
    `row` of such groups draws the same numbers; only the plain path has groups.
    """
    recipe = recipe.compiled()
    first_order = not recipe.optimizer.second_order
    fused = not beside and first_order and (path or path_of(model, recipe)) == "fused"
    chosen = Fused(model, task, recipe, row) if fused else Plain(model, task, recipe, beside, row)
    snapping = Snapping(recipe.snap, grid_of(model)) if recipe.snap else None
    return Program(model, task, recipe, chosen, steps_of(model, recipe, chosen), snapping)


@dataclass(frozen=True)
class Compiled:
    """The functions of a program, compiled for a block."""

    program: Program
    initialize: Callable[[Settings], State]
    evaluate: Callable[[State, Settings], Record]
    train: Callable[[State, Settings, Array, Array], State]
    redraw: Callable[[State, Settings, Array, Array], State]


def compile_program(program: Program, settings: Settings) -> Compiled:
    """Compile a program; training and evaluation with fast-math, which their sums need."""
    state = jax.eval_shape(program.initialize, settings)
    step = jnp.int32(0)
    options: dict[str, str | bool] = {"xla_cpu_enable_fast_math": True}
    train = jax.jit(program.train, donate_argnums=0).lower(state, settings, step, step)
    return Compiled(
        program,
        jax.jit(program.initialize),
        jax.jit(program.evaluate).lower(state, settings).compile(compiler_options=options),
        train.compile(compiler_options=options),
        jax.jit(program.redraw),
    )
