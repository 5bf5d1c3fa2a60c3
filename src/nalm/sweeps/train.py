"""Train models on tasks: the public function."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from nalm._internal.checks import check_path, shown
from nalm._internal.progress import Watcher
from nalm.errors import InputError
from nalm.networks import Model
from nalm.sweeps.cell import Cell, zero_divisor_notes
from nalm.sweeps.default_recipe import default_recipe
from nalm.sweeps.executors import Executor
from nalm.sweeps.executors.choice import chosen as chosen_executor
from nalm.sweeps.models import made, named
from nalm.sweeps.results import Results, results_of
from nalm.sweeps.seeds import Seeds, seed_list
from nalm.sweeps.sweep import sweep
from nalm.tasks import Task
from nalm.training import Recipe
from nalm.units import Unit

ModelLike = Model | type[Unit] | str
"""A unit or network, a class of units, or a name such as `nru(tanh_scale=10)`."""


def train(
    model: ModelLike | Sequence[ModelLike],
    task: Task | Sequence[Task],
    recipe: Recipe | Mapping[str, Any] | None = None,
    *,
    seeds: Seeds = 25,
    out: str | PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | Watcher | None = None,
) -> Results:
    """Train a model on a task with several seeds, and return what came of each run.

    Parameters
    ----------
    model
        A unit or network; a class of units, also one of your own; the name of a unit, with options
        if wanted: "nmu", "snmu(noise_range='batch')"; or FILE.py:CLASS. A list gives one cell for
        each model.
    task
        What is to be learnt: a published task, or one of your own (`nalm.tasks.Task`). A list
        gives one cell for each model and task.
    recipe
        How it is trained. By default the published recipe of the unit and operation. Networks,
        custom units, functions and tables are trained by Adam at a learning rate of 1e-2 for
        50,000 steps, the last fifth at 1e-5, while penalties that make weights discrete grow from
        0.4 to 0.7 of them. Values of single fields, {"learning_rate": 5e-3}, change the default.
    seeds
        How many seeds, counted from 0, or a list of seeds.
    out
        A folder for the results. The same call continues there after an interruption, and trains
        only what is missing. Without it, results are in memory.
    workers
        How many processes; one per core by default.
    executor
        Where runs are trained, if not on this machine: `nalm.Dask("tcp://10.0.0.5:8786")`.
    progress
        True for a progress bar, or a function that receives a `SweepProgress` event.

    Returns
    -------
    Results
        Runs, statistics of each cell, curves and formulas.

    Examples
    --------
    >>> import nalm
    >>> from nalm.tasks import single_module
    >>> results = nalm.train("nmu", single_module("mul"), seeds=5)
    >>> print(results.cells()[0].rate)
    1 [0.566, 1] (n = 5)
    >>> results.runs()[0].formula
    'x1*x2'

    A function of your own, and a network of two units:

    >>> from nalm.tasks import Task, Uniform
    >>> task = Task(lambda a, b, c: (a + b) * c, inputs=4, train=Uniform(1, 2), test=Uniform(2, 6))
    >>> network = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))
    >>> print(nalm.train(network, task, seeds=5))
    unit     op         range   solved  rate                equal  median step
    -------  ---------  ------  ------  -----------------  ------  -----------
    nau-nmu  (a + b)*c  U[1,2)  5 of 5  1.00 [0.57, 1.00]  5 of 5       41,000
    """
    if recipe is not None and not isinstance(recipe, Recipe | Mapping):
        raise InputError(
            "recipe is a nalm.Recipe, values of its fields such as {'learning_rate': 5e-3}, or "
            f"None for the default; received {shown(recipe)}."
        )
    if out is not None:
        check_path("A folder for results", out)
    chosen = seed_list(seeds)
    where = chosen_executor(executor, workers)
    models, tasks = _listed(model, "model"), _listed(task, "task")
    for given in tasks:
        if not isinstance(given, Task):
            raise InputError(
                "task is a nalm.tasks.Task, such as Task('mul', inputs=2, train=Uniform(1, 2)); "
                f"received {shown(given)}."
            )
    cells = _distinct([_cell(m, t, recipe) for m in models for t in tasks])
    folder = None if out is None else Path(out)
    trained = sweep(cells, chosen, out=folder, executor=where, progress=progress)
    return results_of(trained, zero_divisor_notes(cells), folder)


def _cell(model: Any, task: Task, recipe: Recipe | Mapping[str, Any] | None) -> Cell:
    unit = made(model, task.inputs)
    chosen = default_recipe(unit, task).changed_by(recipe or {})
    return Cell(named(unit), unit, task, chosen, range=task.ranges)


def _listed(given: Any, name: str) -> list[Any]:
    found = list(given) if isinstance(given, list | tuple) else [given]
    if not found:
        raise InputError(f"{name} is one or a list of at least one; received an empty list.")
    return found


def _distinct(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells, numbered in their setting where a table would show them alike."""
    keys = [cell.key for cell in cells]
    return [
        replace(cell, setting=f"number {1 + keys[:i].count(cell.key)}")
        if keys.count(cell.key) > 1
        else cell
        for i, cell in enumerate(cells)
    ]
