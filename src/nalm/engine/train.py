"""Train a block of runs: the only place where compiled programs are called."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from nalm.engine.program import BLOCK, Program, Record, Settings, compile_program
from nalm.engine.recipe import Recipe
from nalm.engine.run import Curves, Run, common_test, signature
from nalm.errors import InputError, unknown
from nalm.networks import Model
from nalm.networks.layers import title
from nalm.tasks import Task

Progress = Callable[[int, np.ndarray], None]
"""Called after each evaluation with the number of steps done and the test errors."""


def train_block(runs: Sequence[Run], progress: Progress | None = None) -> list[Curves]:
    """Train up to `BLOCK` runs that share a program; the block is padded to its full size."""
    if not 1 <= len(runs) <= BLOCK or len({signature(run) for run in runs}) != 1:
        raise InputError(f"A block is 1 to {BLOCK} runs that share a program.")
    padded = [*runs, *[runs[-1]] * (BLOCK - len(runs))]
    program, segment, initialise = _compiled(*signature(runs[0]))
    settings = _settings(padded)
    recipe = runs[0].recipe
    state = initialise(settings)
    final, diverged = np.asarray(state.weights), np.asarray(state.diverged_at)
    lowest, best = np.full(BLOCK, np.inf), final
    records = []
    for done in range(0, recipe.steps + 1, recipe.log_every):
        final, diverged = np.asarray(state.weights), np.asarray(state.diverged_at)
        until = min(done + recipe.log_every, recipe.steps)
        state, record = segment(state, settings, jnp.int32(done), jnp.int32(until))
        record = jax.tree.map(np.asarray, record)
        lower = record.validation < lowest  # NaN is not
        lowest = np.where(lower, record.validation, lowest)
        best = np.where(lower, final, best)
        records.append(record)
        if progress:
            progress(done, record.test[: len(runs)])
    measured = {name: np.stack([getattr(r, name) for r in records]) for name in Record._fields}
    ends = [_by_name(program, weights) for weights in (final, best)]
    steps = np.arange(0, recipe.steps + 1, recipe.log_every, dtype=np.int32)
    return [
        Curves(
            steps=steps,
            validation=measured["validation"][:, r],
            test=measured["test"][:, r],
            sparsity=measured["sparsity"][:, r],
            final={name: value[r] for name, value in ends[0].items()},
            best={name: value[r] for name, value in ends[1].items()},
            diverged_at=int(diverged[r]),
        )
        for r in range(len(runs))
    ]


@lru_cache(maxsize=32)
def _compiled(model: Model, task: Task, recipe: Recipe) -> tuple[Program, Any, Any]:
    example: Any = model.init(np.random.default_rng(0))
    known = model.penalties(example)
    for name, _ in recipe.penalties:
        if name not in known:
            raise unknown(f"penalty of {title(model)}", name, known)
    program = Program(model, task, recipe)
    settings = _settings([Run(model, task, recipe, 0)] * BLOCK)
    return program, compile_program(program, settings), jax.jit(program.initialise)


def _settings(runs: Sequence[Run]) -> Settings:
    """Stack what differs between runs."""
    subsets = np.stack([run.task.subsets(run.task.position(run.seed)) for run in runs])
    return Settings(
        jnp.asarray([(run.seed & 0xFFFFFFFF, run.seed >> 32) for run in runs], jnp.uint32),
        _stacked([run.task.train for run in runs]),
        _stacked([common_test(run.task.test) for run in runs]),
        jnp.asarray(subsets, jnp.float32),
        jnp.asarray([run.recipe.learning_rate for run in runs], jnp.float32),
    )


def _stacked(distributions: Sequence[Any]) -> Any:
    """Return one distribution whose bounds are columns, a row per run."""
    return jax.tree.map(lambda *v: jnp.asarray(v, jnp.float32)[:, None], *distributions)


def _by_name(program: Program, weights: np.ndarray) -> dict[str, np.ndarray]:
    params = program.unflatten(jnp.asarray(weights))
    return {name: np.asarray(value) for name, value in params.items()}
