"""Pictures of finished runs: the way of their weights, and their gates."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from nalm.errors import InputError
from nalm.networks.layers import unflatten
from nalm.plots._picture import Panels
from nalm.plots.runs import Gates, gated_layer, gates_title, mean_gate
from nalm.plots.trajectories import Trajectories
from nalm.report.results import read_results
from nalm.sweeps import CellRuns, RunResult
from nalm.sweeps.results import Results

WEIGHTS = "weights "
"""How the series of weights begin."""
Stored = Results | str | PathLike[str]


def paths_of(
    results: Stored, *, goal: tuple[float, float] = (1.0, 1.0), title: str | None = None
) -> Panels:
    """Return the way of two weights in runs that have kept it, as those that see pictures do.

    Parameters
    ----------
    results
        The results, or the folder where they are: that of `nalm bench mnist-product`, for example.
    goal
        The exact weights.
    title
        What is written above.

    Returns
    -------
    Panels
        A picture of trajectories for each cell; those whose weights are given are left out.
    """
    found = []
    for cell in _cells(results):
        kept = [path for run in cell.runs if (path := _path(run)) is not None]
        if kept and any(np.ptp(path, axis=0).max() > 0 for path in kept):
            path, steps = np.stack(kept), cell.runs[0].curves.steps
            names = ("weight 1", "weight 2")
            found.append(Trajectories("", names, steps, path, goal).titled(_name(cell)))
    if not found:
        raise InputError(
            "These results have no run that has kept the way of two weights. Take those of an "
            "experiment with pictures, such as nalm bench mnist-product --data digits."
        )
    return Panels(title or "The way of the weights", tuple(found), columns=3)


def gates_of(results: Stored, *, title: str | None = None) -> Panels:
    """Return the gates of finished runs whose gate sees its inputs.

    Parameters
    ----------
    results
        The results, or the folder where they are: that of `nalm bench gating`, for example.
    title
        What is written above.

    Returns
    -------
    Panels
        A histogram for each cell.
    """
    found = []
    for cell in _cells(results):
        model, task = cell.setup.model, cell.setup.task
        if model is None or task is None or gated_layer(model) is None:
            continue
        values = [mean_gate(model, unflatten(model, run.curves.best), task) for run in cell.runs]
        solved = np.array([run.success for run in cell.runs])
        said = gates_title(f"{_name(cell)}, {cell.key.op}", solved)
        found.append(Gates(said, np.array(values), solved))
    if not found:
        raise InputError(
            "These results have no run of a model whose gate sees its inputs, such as nalu. Take "
            "those of nalm bench gating."
        )
    return Panels(title or "The gates of runs: 1 adds, 0 multiplies", tuple(found), columns=3)


def _cells(results: Stored) -> Sequence[CellRuns]:
    given = results.runs_of_cells if isinstance(results, Results) else _read(results)
    return [cell for cell in given if cell.runs]


def _read(folder: str | PathLike[str]) -> list[CellRuns]:
    return [cell for experiment in read_results(str(folder)) for cell in experiment.cells]


def _name(cell: CellRuns) -> str:
    return " ".join(part for part in (cell.key.unit, cell.key.setting) if part)


def _path(run: RunResult) -> np.ndarray | None:
    """Return the two weights of a run at every evaluation; None if it has not kept two."""
    curves: Any = run.curves
    kept = [s for name, s in curves.series.items() if name.startswith(WEIGHTS)]
    flat = [series.reshape(len(curves.steps), -1) for series in kept]
    joined = np.concatenate(flat, axis=1) if flat else np.zeros((1, 0))
    return joined.astype(float) if joined.shape[1] == 2 else None
