"""Train a block of runs: the only place where compiled programs are called."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from nalm.errors import InputError, unknown
from nalm.networks import Model
from nalm.networks.layers import layers, title
from nalm.tasks import Distribution, Task
from nalm.training.engine.plain import Plain
from nalm.training.engine.plan import (
    ALONE,
    PathName,
    block_size,
    shape_of,
    signature,
)
from nalm.training.engine.program import Compiled, compile_program, program_of
from nalm.training.engine.reinitialize import History
from nalm.training.engine.saving import Form, Stage
from nalm.training.engine.scaling import scales_of
from nalm.training.engine.state import Scales, Settings, State
from nalm.training.engine.warm import warm_weights
from nalm.training.recipe import Recipe
from nalm.training.run import Curves, Run
from nalm.training.saving import Saving

PROGRAMS = 12
"""Compiled programs that a process keeps: some tens of megabytes each."""
Progress = Callable[[int, np.ndarray], None]
"""Called after each evaluation with the number of steps done and the test errors."""


def train_block(
    runs: Sequence[Run],
    progress: Progress | None = None,
    path: PathName | None = None,
    saving: Saving | None = None,
) -> list[Curves]:
    """Train a block of runs that share a program; it is padded to its full size.

    Its state is saved on the way, and found again, if `saving` says so.
    """
    shape = shape_of(runs) if runs and path is None else ALONE
    group = shape.group
    size = group * block_size(runs[0].model, runs[0].recipe, shape) if runs else 0
    if not 1 <= len(runs) <= size or len({signature(run) for run in runs[::group]}) != 1:
        raise InputError(f"A block is 1 to {size} runs that share a program; received {len(runs)}.")
    together = group * shape.row
    padded = [*runs, *list(runs[-together:]) * ((size - len(runs)) // together)]
    settings = settings_of(padded)
    kinds = tuple(signature(run) for run in runs[:group])
    recipe = runs[0].recipe
    drawn_once = shape.row * (1 if recipe.optimizer.second_order else recipe.population)
    compiled = compiled_program(kinds, path, drawn_once, _shapes(settings))
    form = Form(runs, size, compiled.initialize(settings))
    found = form.read(saving.found) if saving and saving.found else None
    stage = found or _first(compiled, padded, settings, form)
    state, records, histories = stage.state, stage.records, stage.histories
    lowest, best = stage.lowest, stage.best
    measured = _measured(compiled, state, settings)
    final, fittest, over = best, np.arange(size), False
    for done in range(stage.done, recipe.steps + 1, recipe.log_every):
        if saving and saving.due and stage.done < done < recipe.steps and not over:
            saving.take(form.written(Stage(done, state, records, lowest, best, histories)))
        fittest = _fittest(measured.validation, recipe.population)
        record = jax.tree.map(lambda values, which=fittest: values[..., which], measured)
        final = np.asarray(state.weights)[:, fittest]
        lower = record.validation < lowest  # NaN is not
        lowest = np.where(lower, record.validation, lowest)
        best = np.where(lower, final, best)
        records.append(record)
        if progress:
            progress(done, record.test[: len(runs)])
        if over or done == recipe.steps:
            continue
        until = min(done + recipe.log_every, recipe.steps)
        state = state._replace(validation=jnp.asarray(measured.validation))
        span = range(done, until)
        stuck = [h.steps(float(e), span) for h, e in zip(histories, record.validation, strict=True)]
        state = _trained(compiled, state, settings, span, stuck)
        measured = _measured(compiled, state, settings)
        all_diverged = bool((np.asarray(state.diverged_at) >= 0).all())
        over = all_diverged and recipe.reinitialize is None  # nothing changes any more
    diverged = np.asarray(state.diverged_at)[fittest]
    series = {
        name: np.stack([getattr(r, name) for r in records])
        for name in ("validation", "test", "sparsity", "loss")
    }
    penalties = np.stack([record.penalties for record in records])
    ends = [compiled.program.unflatten(jnp.asarray(weights)) for weights in (final, best)]
    final, best = ({name: np.asarray(value) for name, value in end.items()} for end in ends)
    return [
        Curves(
            steps=np.arange(0, recipe.steps + 1, recipe.log_every, dtype=np.int32),
            validation=series["validation"][:, r],
            test=series["test"][:, r],
            sparsity=series["sparsity"][:, r],
            loss=series["loss"][:, r],
            penalties={n: penalties[:, k, r] for k, (n, _) in enumerate(recipe.penalties)},
            final={name: value[r] for name, value in final.items()},
            best={name: value[r] for name, value in best.items()},
            diverged_at=int(diverged[r]),
            reinitialised=np.array(histories[r].redrawn, np.int32),
        )
        for r in range(len(runs))
    ]


def _first(compiled: Compiled, runs: Sequence[Run], settings: Settings, form: Form) -> Stage:
    """Return a block before its first step."""
    recipe, state = runs[0].recipe, form.initial
    if recipe.warm_start:
        state = state._replace(weights=_warmed(compiled, runs, settings))
    weights = np.asarray(state.weights)[:, :: recipe.population]
    histories = [History(recipe.reinitialize) for _ in runs]
    return Stage(0, state, [], np.full(len(runs), np.inf), weights, histories)


def _measured(compiled: Compiled, state: State, settings: Settings) -> Any:
    """Return the record of a state, in NumPy arrays."""
    return jax.tree.map(np.asarray, compiled.evaluate(state, settings))


def _fittest(validation: np.ndarray, population: int) -> np.ndarray:
    """Return the place of the member of each run that has the smallest error."""
    errors = np.where(np.isfinite(validation), validation, np.inf).reshape(-1, population)
    return np.arange(len(errors)) * population + np.argmin(errors, axis=1)


def _warmed(compiled: Compiled, runs: Sequence[Run], settings: Settings) -> jax.Array:
    """Return the weights `(parameters, runs)` that fit the first batch of each run."""
    path = compiled.program.path
    if not isinstance(path, Plain):
        raise TypeError("A warm start needs the batch as a whole.")
    x, target = (np.asarray(part) for part in path.batch(jnp.int32(0), settings))
    flat = [warm_weights(r.model, r.task, *pair) for r, *pair in zip(runs, x, target, strict=True)]
    return jnp.asarray(np.stack(flat, axis=1))


def _trained(
    compiled: Compiled, state: State, settings: Settings, span: range, stuck: list[list[int]]
) -> State:
    """Train for a span of steps, drawing stuck runs anew after their steps."""
    start = span.start
    for step in sorted({step for steps in stuck for step in steps}):
        state = compiled.train(state, settings, jnp.int32(start), jnp.int32(step + 1))
        which = np.array([step in steps for steps in stuck])
        state = compiled.redraw(state, settings, jnp.asarray(which), jnp.int32(step))
        start = step + 1
    return compiled.train(state, settings, jnp.int32(start), jnp.int32(span.stop))


@lru_cache(maxsize=PROGRAMS)
def compiled_program(
    kinds: tuple[tuple[Model, Task, Recipe], ...], path: PathName | None, row: int, settings: Any
) -> Compiled:
    """Compile the program of groups of these signatures, for settings of these shapes."""
    model, task, recipe = kinds[0]
    known = penalty_names(model)
    for name, _ in recipe.penalties:
        if name not in known:
            raise unknown("penalty", name, known, owner=title(model))
    beside = tuple(kind[1] for kind in kinds[1:])
    program = program_of(model, task, recipe, path, beside=beside, row=row)
    return compile_program(program, settings)


def _shapes(settings: Settings) -> Any:
    """Return the shapes of settings, which can be compared."""
    return jax.tree.map(lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype), settings)


def penalty_names(model: Model) -> set[str]:
    """Return the names of the penalties that a layer of the model has."""
    names: set[str] = set()
    for layer in layers(model).values():
        params = layer.init(np.random.default_rng(0))
        names |= layer.penalty_terms(np, params, np.ones((1, layer.in_features))).keys()
    return names


def settings_of(runs: Sequence[Run]) -> Settings:
    """Stack what differs between runs, each of them once per member of its population."""
    population = runs[0].recipe.population
    members = np.tile(np.arange(population), len(runs))
    runs = [run for run in runs for _ in range(population)]
    keys = [(run.seed & 0xFFFFFFFF, run.seed >> 32) for run in runs]
    return Settings(
        jnp.asarray(np.array(keys, np.uint32)),
        _stacked([run.task for run in runs], lambda task: task.train),
        _stacked([run.task for run in runs], lambda task: task.test.test_form()),
        jnp.asarray(_layouts(runs).astype(np.float32)),
        jnp.asarray(np.array([run.recipe.learning_rate for run in runs], np.float32)),
        jnp.asarray(np.array([run.recipe.penalty_scales for run in runs], np.float32)),
        jnp.asarray(members.astype(np.uint32)),
        _scales(runs, [run.task.train for run in runs]),
        _scales(runs, [run.task.test for run in runs]),
    )


def _layouts(runs: Sequence[Run]) -> np.ndarray:
    """Stack the layouts; operations of fewer operands get empty subsets."""
    layouts = [run.task.layout(run.seed) for run in runs]
    rows = max(len(layout) for layout in layouts)
    if all(len(layout) == rows for layout in layouts):
        return np.stack(layouts)
    empty = [[(0, rows - len(layout))] + [(0, 0)] * (layout.ndim - 1) for layout in layouts]
    return np.stack([np.pad(v, width) for v, width in zip(layouts, empty, strict=True)])


def _scales(runs: Sequence[Run], inputs: Sequence[Distribution]) -> Scales | None:
    if runs[0].recipe.scaling is None:
        return None
    rows = [
        scales_of(run.task, run.recipe, run.seed, mine)
        for run, mine in zip(runs, inputs, strict=True)
    ]
    x_shift, x_scale, y_shift, y_scale = zip(*rows, strict=True)
    return Scales(*(jnp.asarray(v, jnp.float32) for v in (x_shift, x_scale, y_shift, y_scale)))


def _stacked(
    tasks: Sequence[Task], distribution_of: Callable[[Task], Distribution]
) -> tuple[jax.Array, ...]:
    """Return the numbers of distributions as columns, a row per run, each task asked once."""
    known = {id(task): task for task in tasks}
    numbers = {key: distribution_of(task).numbers() for key, task in known.items()}
    each = zip(*(numbers[id(task)] for task in tasks), strict=True)
    return tuple(jnp.asarray(np.array(column, np.float32)[:, None]) for column in each)
