"""What models predict over two inputs, with the boxes of training and test."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nalm.errors import InputError
from nalm.networks.layers import unflatten
from nalm.plots._axes import axis, stepped_axis
from nalm.plots._drawing import boxes, grid_chart, grid_rows, level_edges
from nalm.plots._picture import Picture, altair
from nalm.plots._plane import forward
from nalm.sweeps.models import made, named
from nalm.sweeps.runs import RunResult
from nalm.sweeps.train import train
from nalm.tasks import Distribution, Task, threshold

BINS = 20
"""How many colors there are, over all panels."""
MARGIN = 0.5
"""How far the axes go beyond the boxes, as a share of their common width."""
POINTS = 101
"""How many values an axis has unless their distance is given."""
Intervals = tuple[tuple[float, float], ...]
TRAINING, TEST = "#2b6cff", "#e11d48"


class Shown(NamedTuple):
    """A model of which a surface is drawn: trained with this seed for so many steps.

    Its name is that of the unit if absent.
    """

    model: Any
    seed: int = 0
    steps: int = 50_000
    name: str | None = None


@dataclass(frozen=True)
class Surface:
    """What one model predicts.

    Parameters
    ----------
    name
        The model and its seed.
    values
        The predictions, `(second input, first input)`.
    errors
        The mean squared errors in training range and test range; None for the target itself.
    limits
        The errors of a success in both.
    """

    name: str
    values: np.ndarray
    errors: tuple[float, float] | None
    limits: tuple[float, float]

    @property
    def label(self) -> str:
        """T or F: whether the error is below the limit in the training range, then in the test."""
        if self.errors is None:
            return ""
        return "".join("FT"[e < limit] for e, limit in zip(self.errors, self.limits, strict=True))

    @property
    def title(self) -> str:
        """The name with the label."""
        return f"{self.name} ({self.label})" if self.label else self.name


@dataclass(frozen=True)
class Surfaces(Picture):
    """What models predict over two inputs, in colors that all panels share.

    Parameters
    ----------
    title
        What is seen.
    axis
        The values of both inputs.
    panels
        The target, then the models.
    training, test
        The intervals of an input in training and in the test, which are drawn as boxes.
    """

    axis: np.ndarray
    panels: tuple[Surface, ...]
    training: Intervals
    test: Intervals

    def draw(self, *, still: bool) -> Any:  # noqa: ARG002 (it has no slider)
        """Return the panels, two in a row if there are four."""
        edges = level_edges(np.stack([panel.values for panel in self.panels]), BINS)
        domain = (float(edges[0]), float(edges[-1]))
        charts = []
        for panel in self.panels:
            rows = grid_rows(self.axis, self.axis, panel.values, edges)
            colors = grid_chart(rows, ("x1", "x2"), "output", domain=domain, scheme="spectral")
            chart = colors + boxes(self.training, TRAINING) + boxes(self.test, TEST)
            charts.append(chart.properties(title=panel.title))
        columns = 2 if len(charts) == 4 else min(4, len(charts))
        return altair().concat(*charts, columns=columns)


def surfaces(
    models: Sequence[Shown | Any],
    task: Task,
    *,
    ends: tuple[float, float] | None = None,
    step: float | None = None,
    limit: float | None = None,
    workers: int | None = None,
    title: str | None = None,
) -> Surfaces:
    """Train models on a task of two inputs, and return what they predict far around it.

    Parameters
    ----------
    models
        What is trained: `Shown(model, seed, steps)`, or a model as `nalm.train` takes it.
    task
        The task; in training and in the test each of its two inputs is of one or more intervals.
    ends
        The ends of both axes; around the boxes of training and test if absent.
    step
        The distance of the values of an axis; a hundredth of it if absent.
    limit
        The error of a success in both ranges; that of `nalm.tasks.threshold` if absent.
    workers
        How many processes train; one per core by default.
    title
        What is written above.

    Returns
    -------
    Surfaces
        The predictions and the labels TT, TF or FF, with `.chart()` and `.save(path)`.

    Examples
    --------
    >>> import nalm.plots
    >>> from nalm.tasks import single_module
    >>> found = nalm.plots.surfaces(["nau"], single_module("add"), step=1.0)
    >>> [panel.title for panel in found.panels]
    ['add', 'nau, seed 0 (TT)']
    """
    if task.inputs != 2:
        raise InputError(f"A surface has two inputs; the task has {task.inputs}.")
    training, test = (_intervals(part) for part in (task.train, task.test))
    ends = _around(training + test) if ends is None else ends
    line = axis(ends, POINTS) if step is None else stepped_axis(ends, step)
    x = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    limits = (limit, limit) if limit else _limits(task)
    with np.errstate(all="ignore"):
        target = _known(np.asarray(task.target.perfect(x), float))
    shown = [given if isinstance(given, Shown) else Shown(given) for given in models]
    runs = _trained(shown, task, workers)
    trained = [_surface(one, run, task, x, limits) for one, run in zip(shown, runs, strict=True)]
    panels = (Surface(task.op, target, None, limits), *trained)
    said = title or f"{task.op}, trained on {task.range}"
    return Surfaces(said, line, panels, training, test)


def _trained(shown: Sequence[Shown], task: Task, workers: int | None) -> list[RunResult]:
    """Return the run of each model; those of as many steps are trained together."""
    found: dict[int, RunResult] = {}
    for steps in dict.fromkeys(one.steps for one in shown):
        mine = [i for i, one in enumerate(shown) if one.steps == steps]
        seeds = sorted({shown[i].seed for i in mine})
        changed = {"steps": steps, "log_every": min(1000, steps)}
        models = list(dict.fromkeys(made(shown[i].model, task.inputs) for i in mine))
        cells = train(models, task, changed, seeds=seeds, workers=workers).runs_of_cells
        for i in mine:
            cell = cells[models.index(made(shown[i].model, task.inputs))]
            (found[i],) = (run for run in cell.runs if run.seed == shown[i].seed)
    return [found[i] for i in range(len(shown))]


def _surface(
    shown: Shown, run: RunResult, task: Task, x: np.ndarray, limits: tuple[float, float]
) -> Surface:
    model = made(shown.model, task.inputs)
    with np.errstate(all="ignore"):
        y = forward(model, unflatten(model, run.curves.best), x.astype("float32"), np)
    errors = float(np.nanmin(run.curves.validation)), float(run.test_error)
    name = f"{shown.name or named(model)}, seed {shown.seed}"
    return Surface(name, _known(np.asarray(y, float)), errors, limits)


def _known(values: np.ndarray) -> np.ndarray:
    """Return the square of values, those that are not finite as NaN."""
    side = round(len(values) ** 0.5)
    return np.where(np.isfinite(values), values, np.nan).reshape(side, side)


def _limits(task: Task) -> tuple[float, float]:
    inside = Task(task.target, task.inputs, task.train, task.train, threshold=task.threshold)
    return threshold(inside), threshold(task)


def _intervals(part: Distribution) -> Intervals:
    if not part.ranges:
        raise InputError(
            f"A surface shows the training and the test range as boxes; {part.label} is no "
            "interval. Take a task over intervals such as U[1,2)."
        )
    return part.ranges


def _around(intervals: Intervals) -> tuple[float, float]:
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    return low - MARGIN * (high - low), high + MARGIN * (high - low)
