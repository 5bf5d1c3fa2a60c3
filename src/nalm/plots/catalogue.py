"""The pictures by name: those of the papers, and those of any unit on any task."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from nalm.errors import unknown
from nalm.plots import equations, published
from nalm.plots._options import read
from nalm.plots._picture import Picture
from nalm.plots.landscape import landscape
from nalm.plots.runs import gates
from nalm.plots.starts import starts
from nalm.plots.surface import Shown, surfaces
from nalm.plots.trajectories import trajectories
from nalm.tasks import Task

ANY = "any unit and task"
"""The source of pictures that are not those of a paper."""


@dataclass(frozen=True)
class Entry:
    """A picture with a name.

    Parameters
    ----------
    name
        Its name.
    what
        What it shows.
    source
        Where it is published; "any unit and task" if it is not.
    make
        The function that makes it; its defaults are the published numbers.
    """

    name: str
    what: str
    source: str
    make: Callable[..., Picture]

    @property
    def numbers(self) -> dict[str, Any]:
        """What may be changed, with the defaults."""
        parameters = inspect.signature(self.make).parameters.values()
        return {parameter.name: parameter.default for parameter in parameters}

    @property
    def is_published(self) -> bool:
        """Whether it is a picture of a paper."""
        return self.source != ANY


def _landscape(
    *,
    unit: Any = "nmu",
    op: str = "mul",
    range: str = "U[-2,2)",  # noqa: A002
    weights: Sequence[str] | None = None,
    first: Sequence[float] = (-1.0, 1.5),
    second: Sequence[float] | None = None,
    points: int = 101,
    shown: str = "loss",
) -> Picture:
    return landscape(
        unit, _task(op, range), weights=weights, first=first, second=second, points=points,
        shown=shown,
    )  # fmt: skip


def _starts(
    *,
    unit: Any = "nmu",
    op: str = "mul",
    range: str = "U[-2,2)",  # noqa: A002
    weights: Sequence[str] | None = None,
    ends: Sequence[float] = (0.0, 1.0),
    points: int = 21,
    steps: int = 2500,
    learning_rate: float = 1e-3,
) -> Picture:
    return starts(
        unit, _task(op, range), weights=weights, ends=ends, points=points, steps=steps,
        learning_rate=learning_rate,
    )  # fmt: skip


def _surface(
    *,
    unit: Any = "nmu",
    op: str = "mul",
    range: str = "U[1,2)",  # noqa: A002
    seed: int = 0,
    steps: int = 50_000,
    step: float | None = None,
    workers: int | None = None,
) -> Picture:
    return surfaces([Shown(unit, seed, steps)], _task(op, range), step=step, workers=workers)


def _trajectories(
    *,
    unit: Any = "nmu",
    op: str = "mul",
    range: str = "U[1,2)",  # noqa: A002
    weights: Sequence[str] | None = None,
    seeds: int = 10,
    steps: int = 10_000,
) -> Picture:
    return trajectories(unit, _task(op, range), weights=weights, seeds=seeds, steps=steps)


def _gates(
    *,
    unit: Any = "nalu",
    op: str = "add",
    range: str = "U[1,2)",  # noqa: A002
    seeds: int = 25,
    steps: int = 50_000,
    workers: int | None = None,
) -> Picture:
    return gates(unit, _task(op, range), seeds=seeds, steps=steps, workers=workers)


def _effective(*, unit: Any = "nac", points: int = 61) -> Picture:
    return equations.effective(unit, points=points)


def _penalty(*, unit: Any = "nmu", name: str = "discretise") -> Picture:
    return equations.penalty(unit, name)


def _gold(*, unit: Any = "nru", op: str = "div") -> Picture:
    return equations.gold([unit], op)


def _task(op: str, train: str) -> Task:
    return Task(op, 2, train)


_THESIS, _NMU, _SNMU = "Mistry 2023", "Madsen and Johansen 2020", "Mistry et al. 2022"
ENTRIES = (
    Entry("nmu-landscape", "loss of an NMU on one sample", f"{_THESIS}, figure 4.1",
          published.nmu_landscape),
    Entry("npu-gradients", "gradients of NaiveNPU and Real NPU", f"{_THESIS}, figure 2.14",
          published.npu_gradients),
    Entry("start-grids", "where NMU and sNMU end from each start", f"{_THESIS}, figure 4.3",
          published.start_grids),
    Entry("surface-mul", "products of an NMU and of networks",
          f"{_THESIS}, figure 1.3; {_SNMU}, figure 1", published.surface_mul),
    Entry("surface-add", "sums of an NAU and of networks", f"{_THESIS}, figures 1.3 and 1.6",
          published.surface_add),
    Entry("surface-sub", "differences of an NAU and of networks",
          f"{_THESIS}, figures 1.3 and 1.6", published.surface_sub),
    Entry("surface-div", "quotients of networks", f"{_THESIS}, figure 1.3", published.surface_div),
    Entry("two-layers-nac", "two layers with NAC•, over ε",
          f"{_NMU}, figure 2; {_THESIS}, figure 2.13", published.nac_singularity),
    Entry("two-layers-nmu", "two layers with an NMU", f"{_NMU}, figure 2",
          published.nmu_two_layers),
    Entry("two-layers-division", "two layers with Real NPU, NRU, NMRU", f"{_THESIS}, figure 5.18",
          published.division_singularity),
    Entry("weight-paths", "the way of the weights of NMU and sNMU",
          f"{_THESIS}, figures 4.11 and 4.15", published.weight_paths),
    Entry("nalu-weights", "effective weights of NALU and G-NALU", f"{_THESIS}, figure 2.12",
          published.nalu_weights),
    Entry("penalties", "penalties and their ramp", f"{_THESIS}, figure 2.11", published.penalties),
    Entry("batch-noise", "the largest noise of the sNMU", f"{_THESIS}, figure 4.9",
          equations.batch_noise),
    Entry("gold-errors", "errors of exact weights near zero", f"{_THESIS}, figure 5.12",
          published.gold_errors),
    Entry("moments", "the approximate mean of a NAC•", f"{_NMU}, figure 5", equations.moments),
    Entry("gate-histograms", "gates of NALU and of NAU and NMU", f"{_NMU}, figure 9",
          published.gate_histograms),
    Entry("identity-curves", "networks that repeat their input",
          "Kollanur, student report (undated), section 2", published.identity_curves),
    Entry("landscape", "loss over two weights", ANY, _landscape),
    Entry("starts", "where training ends from each start", ANY, _starts),
    Entry("surface", "what a trained model predicts", ANY, _surface),
    Entry("trajectories", "the way of two weights", ANY, _trajectories),
    Entry("gates", "the gates of runs", ANY, _gates),
    Entry("effective", "an effective weight over its parameters", ANY, _effective),
    Entry("penalty", "a penalty over a weight", ANY, _penalty),
    Entry("gold", "the error of exact weights near zero", ANY, _gold),
)  # fmt: skip
PICTURES: MappingProxyType[str, Entry] = MappingProxyType({e.name: e for e in ENTRIES})
"""The pictures by name."""


def picture(name: str, /, **numbers: Any) -> Picture:
    """Return a picture by its name.

    Parameters
    ----------
    name
        A key of `nalm.plots.PICTURES`.
    **numbers
        What differs from its defaults, which are the published numbers; texts are read, and where
        several numbers may be, there may be one.

    Returns
    -------
    Picture
        The picture: its arrays, `.chart()` and `.save(path)`.

    Examples
    --------
    >>> import nalm.plots
    >>> found = nalm.plots.picture("nmu-landscape", points=26)
    >>> found.loss.shape, len(found.marks)
    ((26, 26), 3)
    """
    if name not in PICTURES:
        raise unknown("picture", name, PICTURES)
    entry = PICTURES[name]
    for given in numbers:
        if given not in entry.numbers:
            raise unknown("option", given, entry.numbers, owner=f"The picture {name}")
    declared = inspect.signature(entry.make).parameters
    return entry.make(
        **{
            given: read(given, value, declared[given].annotation)
            for given, value in numbers.items()
        }
    )
