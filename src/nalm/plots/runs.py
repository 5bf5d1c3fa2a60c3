"""Pictures of trained runs: gates, and the curves of networks that repeat their input."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm.errors import InputError
from nalm.networks import Model
from nalm.networks.layers import layers, unflatten
from nalm.plots._axes import axis
from nalm.plots._counted import counted
from nalm.plots._picture import WIDTH, Picture, altair
from nalm.plots._plane import forward
from nalm.plots.lines import Lines, Series
from nalm.sweeps.models import made, named
from nalm.sweeps.train import train
from nalm.tasks import Distribution, Task
from nalm.units import ops
from nalm.units.ops import sigmoid

SAMPLES = 1000


@dataclass(frozen=True)
class Gates(Picture):
    """The gates of runs: 1 adds, 0 multiplies.

    Parameters
    ----------
    title
        What is seen.
    gates
        The mean gate of each run on test samples.
    succeeded
        Whether each run was solved.
    """

    gates: np.ndarray
    succeeded: np.ndarray

    def draw(self, *, still: bool) -> Any:  # noqa: ARG002 (it has no slider)
        """Return the histogram."""
        alt = altair()
        rows = [
            {"gate": float(g), "run": "solved" if s else "not solved"}
            for g, s in zip(self.gates, self.succeeded, strict=True)
        ]
        return (
            alt.Chart(alt.Data(values=rows))
            .mark_bar()
            .encode(
                x=alt.X("gate:Q", bin=alt.Bin(extent=[0, 1], step=0.05), title="gate"),
                y=alt.Y("count()", title="runs", axis=alt.Axis(tickMinStep=1, format="d")),
                color=alt.Color("run:N", title=None, scale=alt.Scale(
                    domain=["solved", "not solved"], range=["#009e73", "#d55e00"])),
            )
            .properties(width=WIDTH, height=WIDTH // 2)
        )  # fmt: skip


def gates(
    model: Any,
    task: Task,
    *,
    seeds: int = 25,
    steps: int = 50_000,
    workers: int | None = None,
    title: str | None = None,
) -> Gates:
    """Train a gated unit with several seeds, and return the gate of each run.

    Parameters
    ----------
    model
        A unit whose gate sees its inputs, such as "nalu", also a custom one; or a stack with one.
    task
        What is learnt.
    seeds, steps
        How many runs, and how long each is trained.
    workers
        How many processes train; one per core by default.
    title
        What is written above.

    Returns
    -------
    Gates
        The mean gate of each run on 1,000 test samples.

    Examples
    --------
    >>> import nalm.plots
    >>> from nalm.tasks import single_module
    >>> found = nalm.plots.gates("nalu", single_module("add"), seeds=2, steps=1000)
    >>> found.gates.shape, bool((found.gates <= 1).all())
    ((2,), True)
    """
    found_model = made(model, task.inputs)
    if gated_layer(found_model) is None:
        raise InputError(
            f"A histogram of gates needs a unit whose gate sees its inputs, such as nalu; "
            f"{named(found_model)} has none."
        )
    changed = {"steps": steps, "log_every": min(1000, steps)}
    runs = train(found_model, task, changed, seeds=seeds, workers=workers).runs()
    found = [mean_gate(found_model, unflatten(found_model, run.curves.best), task) for run in runs]
    solved = np.array([run.success for run in runs])
    said = title or gates_title(f"{named(found_model)}, {task.op}", solved)
    return Gates(said, np.array(found), solved)


def gates_title(name: str, solved: np.ndarray) -> str:
    """Return how many runs were solved, with the interval of their share."""
    return f"{name}: {counted(int(solved.sum()), len(solved), 'runs solved')}"


def gated_layer(model: Model) -> int | None:
    """Return which layer has a gate that sees its inputs; None if there is none."""
    for i, layer in enumerate(layers(model).values()):
        gate = layer.parameters.get("gate")
        if gate is not None and gate.shape == (layer.out_features, layer.in_features):
            return i
    return None


def mean_gate(model: Model, params: Any, task: Task) -> float:
    """Return the mean gate of the gated layer of a model on 1,000 test samples."""
    x = task.test.sample(np.random.default_rng(0).random((SAMPLES, task.inputs)))
    units = list(layers(model).values())
    each = params if len(units) > 1 or isinstance(params, list | tuple) else [params]
    gated = gated_layer(model) or 0
    with np.errstate(all="ignore"):
        for unit, own in zip(units[:gated], each, strict=False):
            x = unit.forward(np, own, x, False, None)
        squash = getattr(units[gated], "squash", sigmoid)
        gate = np.asarray(each[gated]["gate"], float)
        return float(np.mean(squash(np, ops.linear(np, x, gate))))


def predictions(
    models: Sequence[Any],
    task: Task,
    *,
    changes: dict[str, Any] | None = None,
    labels: Sequence[str] | None = None,
    ends: tuple[float, float] | None = None,
    points: int = 121,
    seed: int = 0,
    workers: int | None = None,
    title: str | None = None,
) -> Lines:
    """Train models on a task of one input, and return what they predict over it.

    Parameters
    ----------
    models
        The models, as `nalm.train` takes them.
    task
        A task of one input.
    changes
        Fields of the recipe that differ from its default.
    labels
        What the models are called.
    ends
        The ends of the axis; the test range if absent.
    points
        How many values it has.
    seed
        The seed of training.
    workers
        How many processes train; one per core by default.
    title
        What is written above.

    Returns
    -------
    Lines
        The target and a curve for each model; the training range is shaded.

    Examples
    --------
    >>> import nalm.plots
    >>> from nalm.tasks import Distribution, Task
    >>> task = Task(lambda a: 2 * a, train="U[-1,1)", test="U[-2,2)")
    >>> found = nalm.plots.predictions(["linear"], task, points=3)
    >>> [series.y.round(2).tolist() for series in found.series]
    [[-4.0, 0.0, 4.0], [-4.0, 0.0, 4.0]]
    """
    if task.inputs != 1:
        raise InputError(f"A curve has one input; the task has {task.inputs}.")
    tested, trained = (_ends(part) for part in (task.test, task.train))
    drawn = ends or tested
    if drawn is None:
        raise InputError(
            f"The test range {task.test.label} has no two ends; pass ends=(low, high)."
        )
    line = axis(drawn, points)
    x = line[:, None]
    series = [Series("target", line, np.asarray(task.target.perfect(x), float))]
    runs = train(list(models), task, changes, seeds=[seed], workers=workers).runs()
    for i, (given, run) in enumerate(zip(models, runs, strict=True)):
        model = made(given, 1)
        y = forward(model, unflatten(model, run.curves.best), x.astype("float32"), np)
        series.append(Series(labels[i] if labels else named(model), line, np.asarray(y, float)))
    said = title or f"{task.op}, trained on {task.range}"
    return Lines(said, ("input", "output"), tuple(series), shaded=trained)


def _ends(part: Distribution) -> tuple[float, float] | None:
    ends = [end for interval in part.ranges for end in interval]
    return (min(ends), max(ends)) if ends else None
