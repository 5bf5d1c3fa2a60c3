"""The page about experiments: what its templates show, and the data that its script draws."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nalm.report.boards import Board, boards
from nalm.report.chart_rows import chart_rows, printable, vega_values
from nalm.report.charts import COLORS, PANELS, curves_chart, panel_chart
from nalm.report.compositions import Compositions, compositions, target_formula
from nalm.report.html import render
from nalm.report.pictures import Pictures, pictures
from nalm.report.results import ExperimentRuns, Reading
from nalm.report.settings import Settings, settings
from nalm.report.summary import MeanRow, mean_rows, summarize
from nalm.sweeps import CellKey, CellRuns, GroupSummary, RunResult

POINTS = 40
"""Points of a learning curve that the page keeps."""
DRAWN, READ = 10_000, 50_000
"""About how many runs of a page have their curves drawn, and their formulas read."""
FEW = 10
"""So many runs of each cell always have."""
RANKED = 40
"""The most models of all rankings that are open from the start."""
LINES = 60
"""The most lines of a chart at first; with more, the first operation alone is shown."""


@dataclass(frozen=True)
class Limits:
    """How many runs of a cell are shown one by one; statistics are those of all."""

    drawn: int
    """How many have their curves drawn."""
    read: int
    """How many have their formulas read."""


def limits(cells: int) -> Limits:
    """Return how many runs of each of so many cells are shown one by one.

    >>> limits(1), limits(5000)
    (Limits(drawn=10000, read=50000), Limits(drawn=10, read=10))
    """
    return Limits(max(FEW, DRAWN // max(1, cells)), max(FEW, READ // max(1, cells)))


@dataclass(frozen=True)
class Option:
    """A choice of a filter."""

    value: str
    """As the script compares it."""
    text: str
    selected: bool


@dataclass(frozen=True)
class Filter:
    """What can be chosen of one part of the keys of the cells."""

    field: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Section:
    """What the page shows about one experiment that has finished runs."""

    experiment: ExperimentRuns
    boards: tuple[Board, ...]
    settings: tuple[Settings, ...]
    compositions: Compositions | None
    groups: tuple[GroupSummary, ...]
    panels: tuple[str, ...]
    filters: tuple[Filter, ...]
    limits: Limits
    pictures: Pictures | None

    @property
    def most(self) -> int:
        """The most runs of a cell."""
        return max(len(cell.runs) for cell in self.cells)

    @property
    def cells(self) -> tuple[CellRuns, ...]:
        """The cells that have finished runs."""
        return tuple(cell for cell in self.experiment.cells if cell.runs)

    @property
    def published(self) -> bool:
        """Whether anything is published of these cells."""
        return any(cell.comparisons for cell in self.experiment.summaries)

    @property
    def error(self) -> str:
        """What the error of a run is."""
        counted = any(cell.accuracy.n for cell in self.experiment.summaries)
        return "the share of results that are wrong" if counted else "the mean squared error"

    @property
    def runs_per_cell(self) -> str:
        """How many runs the cells have."""
        numbers = sorted({cell.runs for cell in self.experiment.summaries})
        return " or ".join(f"{number:,}" for number in numbers)

    @property
    def colors(self) -> dict[str, int]:
        """The number of the color of each unit."""
        units = dict.fromkeys(printable(cell.key.unit) for cell in self.experiment.summaries)
        return {unit: i % len(COLORS) for i, unit in enumerate(units)}

    @property
    def shared(self) -> dict[str, str]:
        """The parts of the keys that all cells share, but for the unit: tables do not show them."""
        keys = [cell.key for cell in self.experiment.summaries]
        values = zip(CellKey._fields, zip(*keys, strict=True), strict=True)
        return {name: str(v[0]) for name, v in values if name != "unit" and len(set(v)) == 1}

    @property
    def dots(self) -> dict[str, int]:
        """The same by the names of units as they are, which may have characters not shown."""
        return {c.key.unit: self.colors[printable(c.key.unit)] for c in self.experiment.summaries}

    @property
    def ranked(self) -> bool:
        """Whether models are compared."""
        return any(board.ranking.pairs for board in self.boards)

    @property
    def short(self) -> bool:
        """Whether its rankings are open from the start."""
        return sum(len(board.rows) for board in self.boards) <= RANKED

    @property
    def means(self) -> list[MeanRow]:
        """The published steps and sparsity errors beside ours."""
        return mean_rows(self.experiment.summaries)

    @property
    def environments(self) -> list[tuple[str, int]]:
        """What the runs were made with, and how many with each."""
        return list(Counter(run.environment for run in self.experiment.runs).items())

    @property
    def first(self) -> str:
        """When the first run was finished."""
        return min(run.finished for run in self.experiment.runs)

    @property
    def last(self) -> str:
        """When the last run was finished."""
        return max(run.finished for run in self.experiment.runs)


def page(title: str, reading: Reading) -> str:
    """Return the whole page."""
    experiments = reading.experiments
    count = sum(bool(cell.runs) for experiment in experiments for cell in experiment.cells)
    sections = [_section(each, limits(count)) for each in experiments if each.runs]
    return render(
        "report.html",
        title=title,
        data={section.experiment.name: _data(section) for section in sections},
        script="page.js",
        summary=summarize(experiments),
        notes=reading.notes,
        sections=sections,
    )


def _section(experiment: ExperimentRuns, limits: Limits) -> Section:
    seen = pictures(experiment.cells, experiment.summaries)
    by_length = seen is not None and "lengths" in seen.charts
    targets = {cell.key: target_formula(cell) for cell in experiment.cells}
    return Section(
        experiment=experiment,
        boards=boards(experiment),
        settings=settings([cell for cell in experiment.cells if cell.runs]),
        compositions=compositions(experiment.summaries, targets),
        groups=experiment.groups,
        panels=() if by_length else tuple(quantity.value for quantity in PANELS),
        filters=_filters([cell.key for cell in experiment.summaries]),
        limits=limits,
        pictures=seen,
    )


def _filters(keys: Sequence[CellKey]) -> tuple[Filter, ...]:
    """Return a filter for each part that varies; of many lines, one operation is shown."""
    lines = {(key.unit, key.op, key.inputs, key.setting) for key in keys}
    first = keys[0].op if len(lines) > LINES else None
    choices = {
        "unit": dict.fromkeys(key.unit for key in keys),
        "op": dict.fromkeys(key.op for key in keys),
        "range": dict.fromkeys(key.range for key in keys),
        "setting": dict.fromkeys(key.setting for key in keys),
        "inputs": dict.fromkeys(str(key.inputs) for key in keys),
    }
    return tuple(
        Filter(
            field,
            tuple(Option(printable(v), v, field == "op" and v == first) for v in values),
        )
        for field, values in choices.items()
        if len(values) > 1
    )


def _data(section: Section) -> dict[str, Any]:
    """Return what the script draws, as JSON can hold it."""
    return {
        "values": vega_values(chart_rows(section.experiment.summaries)),
        "panels": {quantity.value: panel_chart(quantity, []) for quantity in PANELS},
        "colors": section.colors,
        "curves": curves_chart(),
        "pictures": section.pictures.charts if section.pictures else {},
        "cells": [
            _curves(cell.runs[: section.limits.drawn], cell.setup.threshold)
            for cell in section.cells
        ],
    }


def _curves(runs: Sequence[RunResult], threshold: float) -> dict[str, Any]:
    curves = [run.curves for run in runs]
    steps = max((found.steps for found in curves), key=len)
    every = max(1, len(steps) // POINTS)
    return {
        "steps": [int(step) for step in steps[::every]],
        "threshold": _drawable(threshold),
        "runs": [
            {
                "seed": run.seed,
                "solved": run.success,
                "test": [_drawable(error) for error in found.test[::every]],
                "validation": [_drawable(error) for error in found.validation[::every]],
            }
            for run, found in zip(runs, curves, strict=True)
        ],
    }


def _drawable(error: float) -> float | None:
    return float(f"{error:.3g}") if 0 < error < float("inf") else None
