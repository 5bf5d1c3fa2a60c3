"""Run an experiment: published or custom, whole or in part, as published or changed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from nalm._internal.checks import check_path
from nalm._internal.custom import load_object, names_file
from nalm._internal.progress import Watcher
from nalm.errors import InputError
from nalm.experiments.catalogue import EXPERIMENTS, get
from nalm.experiments.comparison import compare
from nalm.experiments.experiment import Experiment
from nalm.experiments.pictures import Pictures
from nalm.experiments.published import needs_errors
from nalm.experiments.selection import Selection, change_notes, checked
from nalm.experiments.variants import trained_by
from nalm.sweeps import Results, size_notes, sweep
from nalm.sweeps.cell import zero_divisor_notes
from nalm.sweeps.executors import Executor
from nalm.sweeps.executors.choice import chosen as chosen_executor
from nalm.sweeps.results import damage_notes
from nalm.sweeps.seeds import Seeds, seed_list
from nalm.training import Recipe
from nalm.units import Unit


def bench(
    experiment: str | Experiment,
    *,
    units: str | type[Unit] | Sequence[str | type[Unit]] | None = None,
    ops: str | Sequence[str] | None = None,
    ranges: str | Sequence[str] | None = None,
    settings: str | Sequence[str] | None = None,
    inputs: int | Sequence[int] | None = None,
    seeds: Seeds | None = None,
    steps: int | None = None,
    recipe: str | Recipe | Mapping[str, Any] = "published",
    data: str = "mnist",
    epochs: int | None = None,
    folds: int | None = None,
    device: str = "cpu",
    precision: str = "float32",
    out: str | PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | Watcher | None = None,
) -> Results:
    """Run an experiment and return its results, beside published values.

    Whatever is not the published setting is named in a note and not compared.

    Parameters
    ----------
    experiment
        The name of a published experiment (`nalm.experiments.names()`), an `Experiment`, or
        FILE.py:NAME for one in a file.
    units
        Units or models by name; all by default. "nru(tanh_scale=10)" changes an option. A class of
        your own, or FILE.py:CLASS, gets a cell for every task that it fits.
    ops
        Operations; one that the experiment does not have is tried with every unit that can.
    ranges
        Training ranges such as "U[1,2)"; any other, "U[5,9)" or "U[5,9)->U[9,30)" with its test
        range, moves the tasks there.
    settings, inputs
        Settings and numbers of inputs of the experiment.
    seeds
        How many seeds, or a list of seeds; the published number by default.
    steps
        How many training steps; schedules keep their proportion. Fewer steps than published solve
        less, and the published size takes seconds for most units: try fewer seeds first.
    recipe
        "published"; "lm" for second-order steps; "lm-warm" for the same, starting at least-squares
        weights; a `Recipe`; or values of its fields, {"learning_rate": 5e-3}.
    data
        For experiments with pictures: "mnist", "digits" for the small ones that scikit-learn
        ships, or a folder with the files of MNIST.
    epochs
        For experiments with pictures: how often training goes through all samples; schedules keep
        their proportion.
    folds
        For experiments with pictures: how many of the folds are run, instead of `seeds`.
    device
        For experiments with pictures: where PyTorch computes, such as "cuda".
    precision
        For experiments with pictures: "bfloat16" computes all layers that see them but the last in
        it.
    out
        The folder for results, `results/EXPERIMENT` by default. Runs that are there are not
        repeated, so the same call continues after an interruption.
    workers
        How many processes; one per core by default.
    executor
        Where runs are trained, if not on this machine: `nalm.Dask("tcp://10.0.0.5:8786")`.
    progress
        True for a progress bar, or a function that receives a `SweepProgress` event.

    Returns
    -------
    Results
        With a comparison for each published value of a cell.

    Examples
    --------
    >>> import nalm, tempfile
    >>> results = nalm.bench("single-module", units="nmu", ops="mul", ranges="U[1,2)", seeds=3,
    ...                      out=tempfile.mkdtemp())
    >>> print(results)
    unit  op   range   solved  rate               published          median step
    ----  ---  ------  ------  -----------------  -----------------  -----------
    nmu   mul  U[1,2)  3 of 3  1.00 [0.44, 1.00]  1.00 agrees, wide        3,000
    3 of the published 25 seeds, so intervals are wider.
    """
    chosen = experiment_of(experiment)
    wanted = Selection(
        units=checked("units", units, str | type, "names such as 'nmu' or classes"),
        ops=checked("ops", ops, str, "names such as 'mul'"),
        ranges=checked("ranges", ranges, str, "names such as 'U[1,2)'"),
        settings=checked("settings", settings, str, "names"),
        inputs=checked("inputs", inputs, int, "whole numbers such as 2 or [2, 10]"),
    )
    asked = chosen.pictured(Pictures(data, device, precision, epochs, folds))
    for one, other, both in (
        (seeds, folds, "seeds and folds"),
        (steps, epochs, "steps and epochs"),
    ):
        if one is not None and other is not None:
            raise InputError(f"Give one of {both}; received both.")
    wished = folds if seeds is None else seeds
    seed_numbers = seed_list(chosen.seeds if wished is None else wished)
    if out is not None:
        check_path("A folder for results", out)
    where = chosen_executor(executor, workers)
    cells = trained_by(wanted.cells(asked), recipe)
    if steps is not None:
        cells = [replace(cell, recipe=cell.recipe.stretched(steps)) for cell in cells]
    folder = Path(out) if out is not None else Path("results") / chosen.name
    run = partial(
        sweep,
        seeds=seed_numbers,
        experiment=chosen.name,
        out=folder,
        executor=where,
        progress=progress,
    )
    if references := asked.references(cells):
        cells = asked.judged_by(cells, run(references))
    trained = run(cells)
    errors = needs_errors(chosen.name)
    found = [cell.with_errors if errors else cell.summary for cell in trained]
    summaries = compare(chosen.name, chosen.sizes, found)
    notes = (
        *size_notes(summaries, "published" if chosen.name in EXPERIMENTS else "planned"),
        *change_notes(chosen, cells),
        *zero_divisor_notes(cells),
        *damage_notes(trained),
    )
    return Results(tuple(trained), summaries, notes, folder)


def experiment_of(experiment: Any) -> Experiment:
    """Return the experiment that an argument means."""
    if isinstance(experiment, str) and names_file(experiment):
        experiment = load_object(experiment, Experiment, "experiment")
    if isinstance(experiment, Experiment):
        if EXPERIMENTS.get(experiment.name, experiment) is not experiment:
            raise InputError(
                f"There is a published experiment {experiment.name!r}; give yours another name."
            )
        return experiment
    return get(experiment)
