"""What a reader asks first: a table of models by ranges with rates, for every operation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nalm.report.chart_rows import Part, layout, line_name, printable
from nalm.report.ranking import Entry, Ranking, rank
from nalm.report.results import ExperimentRuns
from nalm.sweeps import CellKey, CellRuns, CellSummary, RunResult
from nalm.sweeps.statistics import Estimate

WIDE = 30
"""The most columns of a table that is open from the start."""


class Measure(StrEnum):
    """What counts as having learned the task."""

    SOLVED = "share of solved runs"
    EQUAL = "share of runs whose formula is the target"
    ACCURACY = "mean accuracy"

    def estimate(self, cell: CellSummary) -> Estimate:
        """Return the number of a cell with its interval."""
        found = {Measure.EQUAL: cell.equal_rate, Measure.ACCURACY: cell.accuracy}
        return found.get(self) or cell.rate

    def counted(self, cell: CellSummary) -> int | None:
        """Return how many runs count; None for means."""
        counts = {Measure.SOLVED: cell.successes, Measure.EQUAL: cell.equal}
        return counts.get(self)

    def of_run(self, run: RunResult) -> float:
        """Return the same for one run, between 0 and 1."""
        if self is Measure.ACCURACY:
            return run.setup.task.accuracy(run.curves) if run.setup.task else 0.0
        return float(bool(run.outcome.equal if self is Measure.EQUAL else run.success))


@dataclass(frozen=True)
class BoardCell:
    """One cell of a table, None for what was not run."""

    summary: CellSummary
    measure: Measure

    @property
    def estimate(self) -> Estimate:
        """Its rate or mean accuracy."""
        return self.measure.estimate(self.summary)

    @property
    def count(self) -> int | None:
        """How many of its runs count."""
        return self.measure.counted(self.summary)


@dataclass(frozen=True)
class BoardRow:
    """One model."""

    name: str
    key: CellKey
    """The key of one of its cells: its unit, inputs and setting."""
    cells: tuple[BoardCell | None, ...]


@dataclass(frozen=True)
class Board:
    """The table of one operation, or of all where there is one range only."""

    op: str
    """The operation; empty where the columns are operations."""
    columns: tuple[str, ...]
    by: str
    """What the columns are: the name of a filter, or empty."""
    rows: tuple[BoardRow, ...]
    ranking: Ranking
    measure: Measure

    @property
    def wide(self) -> bool:
        """Whether it is too wide to be open from the start."""
        return len(self.columns) > WIDE

    @property
    def runs(self) -> tuple[int, ...]:
        """The numbers of runs of its cells, each once."""
        found = {cell.summary.runs for row in self.rows for cell in row.cells if cell}
        return tuple(sorted(found))

    @property
    def colors(self) -> dict[str, str]:
        """The units of its models, by their names."""
        return {row.name: row.key.unit for row in self.rows}


def boards(experiment: ExperimentRuns) -> tuple[Board, ...]:
    """Return the tables of an experiment, one for each operation.

    Where every operation has one column only, as compositions have, one table has them all.
    """
    runs = {cell.key: cell for cell in experiment.cells if cell.runs}
    summaries = experiment.summaries
    column, *line = layout([cell.key for cell in summaries])
    ops = list(dict.fromkeys(cell.key.op for cell in summaries))
    measure = _measure(summaries)
    if len(ops) > 1 and len({column(cell.key) for cell in summaries}) == 1:
        return (_board("", (_operation, *line), summaries, runs, measure),)
    found = []
    for op in ops:
        mine = [cell for cell in summaries if cell.key.op == op]
        found.append(_board(op, (column, *line), mine, runs, measure))
    return tuple(found)


def _operation(key: CellKey) -> str:
    return key.op


def _measure(cells: Sequence[CellSummary]) -> Measure:
    if any(cell.accuracy.known for cell in cells):
        return Measure.ACCURACY
    return Measure.EQUAL if all(cell.equal is not None for cell in cells) else Measure.SOLVED


def _board(
    op: str,
    parts: Sequence[Part],
    cells: Sequence[CellSummary],
    runs: dict[CellKey, CellRuns],
    measure: Measure,
) -> Board:
    column, *line = parts
    columns = tuple(dict.fromkeys(column(cell.key) for cell in cells))
    rows: dict[str, dict[str, CellSummary]] = {}
    for cell in cells:
        rows.setdefault(printable(line_name(cell.key, line)), {})[column(cell.key)] = cell
    entries = [
        Entry(
            title,
            {c: _by_seed(runs[cell.key], measure.of_run) for c, cell in found.items()},
        )
        for title, found in rows.items()
    ]
    return Board(
        op=op,
        columns=columns,
        by=_filter(column),
        rows=tuple(
            BoardRow(
                title,
                next(iter(found.values())).key,
                tuple(BoardCell(found[c], measure) if c in found else None for c in columns),
            )
            for title, found in rows.items()
        ),
        ranking=rank(entries, len(columns), means=measure is Measure.ACCURACY),
        measure=measure,
    )


def _by_seed(cell: CellRuns, of_run: Callable[[RunResult], float]) -> dict[int, float]:
    return {run.seed: of_run(run) for run in cell.runs}


def _filter(column: Part) -> str:
    """Return the filter that chooses columns."""
    names: dict[Any, str] = {"range_name": "range", "setting": "setting", "_operation": "op"}
    return names.get(column.__name__, "")  # pyright: ignore[reportFunctionMemberAccess]
