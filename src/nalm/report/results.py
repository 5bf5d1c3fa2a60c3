"""What results folders hold, ready to be shown: experiments with their cells."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nalm.errors import StoreError
from nalm.experiments import EXPERIMENTS
from nalm.experiments.comparison import compare, groups
from nalm.sweeps import CellKey, CellRuns, CellSummary, RunResult, Store, read_cells
from nalm.sweeps.store.database import FILE
from nalm.sweeps.store.planning import with_generator
from nalm.sweeps.types import GroupSummary, Note, Size, size_notes

VERSION_DIGITS = 6
"""How many digits of the hash of its source distinguish two versions of a custom unit."""


@dataclass(frozen=True)
class ExperimentRuns:
    """The cells of one experiment, with what is published of it."""

    name: str
    cells: tuple[CellRuns, ...]

    @property
    def title(self) -> str:
        """Its title; its name where it is not a known experiment."""
        known = EXPERIMENTS.get(self.name)
        return known.title if known else self.name or "Own runs"

    @property
    def source(self) -> str:
        """Where it is published; empty where it is not a known experiment."""
        known = EXPERIMENTS.get(self.name)
        return known.source if known else ""

    @property
    def note(self) -> str:
        """What a reader should know about a known experiment."""
        known = EXPERIMENTS.get(self.name)
        return known.note if known else ""

    def cell(self, key: CellKey) -> CellRuns:
        """Return the cell with this key."""
        return next(cell for cell in self.cells if cell.key == key)

    @cached_property
    def runs(self) -> tuple[RunResult, ...]:
        """The runs that are finished."""
        return tuple(run for cell in self.cells for run in cell.runs)

    @property
    def missing(self) -> int:
        """The number of planned runs that are not finished."""
        return sum(cell.missing for cell in self.cells)

    @cached_property
    def summaries(self) -> tuple[CellSummary, ...]:
        """The statistics of every cell that has runs, with published values."""
        cells = [cell.summary for cell in self.cells if cell.runs]
        return compare(self.name, _sizes(self.name), cells)

    @cached_property
    def groups(self) -> tuple[GroupSummary, ...]:
        """The published rates over groups of ranges beside ours."""
        return tuple(groups(self.name, self.summaries))

    @property
    def size_notes(self) -> tuple[Note, ...]:
        """How what was planned differs in size from what is published."""
        planned = {cell.key: len(cell.planned) for cell in self.cells}
        return size_notes([replace(c, runs=planned[c.key]) for c in self.summaries])


def _sizes(experiment: str) -> Mapping[CellKey, Size]:
    return EXPERIMENTS[experiment].sizes if experiment in EXPERIMENTS else {}


@dataclass(frozen=True)
class Reading:
    """What some folders hold."""

    experiments: tuple[ExperimentRuns, ...]
    notes: tuple[Note, ...]
    """What is damaged and left out."""


def read_results(*folders: str | Path) -> list[ExperimentRuns]:
    """Read every experiment of some folders, in the order of the list of experiments."""
    return list(read_folders(*folders).experiments)


def read_folders(*folders: str | Path) -> Reading:
    """Read every experiment of some folders, in the order of the list of experiments.

    If a cell was run with several numbers of steps, the longest that has a finished run counts. A
    run that is in several folders counts once.
    """
    paths = [path for folder in folders for path in result_files(folder)]
    stored: list[CellRuns] = []
    notes: list[Note] = []
    for path in paths:
        with Store.read(path) as store:
            stored += read_cells(store, notes=notes)
    notes += [note for cell in stored for note in cell.notes]
    if not any(cell.runs for cell in stored):
        listed = ", ".join(repr(str(path)) for path in paths)
        said = "".join(f" {note}" for note in notes[:3])
        raise StoreError(f"{listed} has no finished run yet; nothing can be shown.{said}")
    experiments: dict[str, dict[CellKey, list[CellRuns]]] = {}
    for cell in _with_generators(_with_versions(stored)):
        cells = experiments.setdefault(cell.setup.experiment, {})
        cells.setdefault(cell.key, []).append(cell)
    order = {name: i for i, name in enumerate(EXPERIMENTS)}
    found = tuple(
        ExperimentRuns(name, _in_order(name, map(_merged, cells.values())))
        for name, cells in sorted(experiments.items(), key=lambda e: order.get(e[0], len(order)))
    )
    return Reading(found, tuple(notes))


def result_files(folder: str | Path) -> list[Path]:
    """Return the results file of a folder, or else those of the folders in it."""
    path = Path(folder) / FILE
    found = [path] if path.exists() else sorted(Path(folder).glob(f"*/{FILE}"))
    if not found:
        raise StoreError(
            f"A report is made from a folder with results; {str(folder)!r} has no {FILE}, nor has "
            "a folder in it. Run nalm bench EXPERIMENT --out FOLDER first."
        )
    return found


def _in_order(experiment: str, cells: Iterable[CellRuns]) -> tuple[CellRuns, ...]:
    """Return cells in the order in which the experiment lists them."""
    order = {key: i for i, key in enumerate(_sizes(experiment))}
    return tuple(sorted(cells, key=lambda cell: order.get(cell.key, len(order))))


def _merged(cells: Sequence[CellRuns]) -> CellRuns:
    """Return one cell of several with the same key: that with the most steps of those with runs."""
    if len(cells) == 1:
        return cells[0]
    first = max(cells, key=lambda cell: (bool(cell.runs), cell.setup.steps))
    same = [cell for cell in cells if cell.setup.steps == first.setup.steps]
    runs: dict[int, RunResult] = {}
    for run in (run for cell in same for run in cell.runs):
        runs.setdefault(run.seed, run)
    return CellRuns(
        first.setup,
        tuple(sorted({seed for cell in same for seed in cell.planned})),
        tuple(runs[seed] for seed in sorted(runs)),
    )


def _with_versions(cells: Sequence[CellRuns]) -> list[CellRuns]:
    """Return the cells, with the version of a custom unit in its name if there are several.

    A custom unit is another one when its source has changed.
    """
    versions: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        if cell.runs:
            model = cell.setup.described.model
            names = versions.setdefault((cell.setup.experiment, cell.key.unit), {})
            names[model] = "".join(_digests(json.loads(model)))
    return [_with_version(cell, versions) for cell in cells]


def _with_version(
    cell: CellRuns, versions: Mapping[tuple[str, str], Mapping[str, str]]
) -> CellRuns:
    digests = versions.get((cell.setup.experiment, cell.key.unit), {})
    if not cell.runs or len(set(digests.values())) < 2:
        return cell
    digest = digests[cell.setup.described.model][:VERSION_DIGITS]
    key = cell.key._replace(unit=f"{cell.key.unit} {digest}".strip())
    return replace(cell, setup=replace(cell.setup, key=key))


def _with_generators(cells: Sequence[CellRuns]) -> list[CellRuns]:
    """Return the cells; one whose runs draw from another generator than most of its kind says so.

    Runs that draw from different generators are never in one cell.
    """
    counts: dict[tuple[str, CellKey], Counter[str]] = {}
    for cell in cells:
        found = counts.setdefault((cell.setup.experiment, cell.key), Counter())
        found[_generator(cell)] += len(cell.runs)
    shown = []
    for cell in cells:
        (most, _), *others = counts[cell.setup.experiment, cell.key].most_common()
        if others and _generator(cell) != most:
            key = with_generator(cell.key, cell.setup.described)
            shown.append(replace(cell, setup=replace(cell.setup, key=key)))
        else:
            shown.append(cell)
    return shown


def _generator(cell: CellRuns) -> str:
    return json.loads(cell.setup.described.recipe).get("generator", "")


def _digests(described: Any) -> Iterator[str]:
    """Yield the hashes of the sources of all custom units in the JSON of a model."""
    if isinstance(described, dict):
        yield described.get("source", "")
        described = list(described.values())
    if isinstance(described, list):
        for part in described:
            yield from _digests(part)
