"""What training gives back: runs, statistics of cells, curves and formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from nalm.errors import unknown
from nalm.sweeps.flat import Row, flatten, flatten_point, flatten_run
from nalm.sweeps.runs import CellRuns, RunResult
from nalm.sweeps.types import CellKey, CellSummary, CurvePoint, Note
from nalm.sweeps.writing import csv_text, html_table, latex_table, results_table

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

Kind = Literal["cells", "runs", "curves"]


@dataclass(frozen=True, eq=False)
class Results:
    """The runs of one or more cells, judged, with their statistics.

    `nalm.train` and `nalm.bench` return it. Printing it shows a table with one line per cell: how
    many runs were solved, and the success rate with its 95 % interval.

    Parameters
    ----------
    runs_of_cells
        The cells with their runs.
    summaries
        The statistics of each cell, with published values where there are any.
    notes
        What a reader should know.
    folder
        Where the results are kept; None if only in memory.

    Examples
    --------
    >>> import nalm
    >>> from nalm.tasks import single_module
    >>> results = nalm.train("nau", single_module("add"), seeds=3)
    >>> print(results)
    unit  op   range   solved  rate               median step
    ----  ---  ------  ------  -----------------  -----------
    nau   add  U[1,2)  3 of 3  1.00 [0.44, 1.00]        6,000
    >>> results.formulas()[results.cells()[0].key]
    [('x1 + x2', 3)]
    """

    runs_of_cells: tuple[CellRuns, ...]
    summaries: tuple[CellSummary, ...]
    notes: tuple[Note, ...] = ()
    folder: Path | None = None

    def runs(self) -> list[RunResult]:
        """Return every run: seed, success, step of success, errors, weights, formula, curves.

        Examples
        --------
        >>> import nalm
        >>> from nalm.tasks import single_module
        >>> run = nalm.train("nau", single_module("add"), seeds=[7]).runs()[0]
        >>> run.seed, run.success, run.formula
        (7, True, 'x1 + x2')
        """
        return [run for cell in self.runs_of_cells for run in cell.runs]

    def cells(self) -> list[CellSummary]:
        """Return the statistics of every cell."""
        return list(self.summaries)

    def curves(self) -> list[CurvePoint]:
        """Return what was measured at each evaluation of each run, one record each."""
        return [point for run in self.runs() for point in _points(run)]

    def formulas(self) -> dict[CellKey, list[tuple[str, int]]]:
        """Return the formulas of each cell with the number of runs, the most frequent first.

        `expression` of a run is its formula as a sympy expression.
        """
        return {cell.key: cell.formulas() for cell in self.runs_of_cells}

    @property
    def weights(self) -> dict[CellKey, dict[int, Any]]:
        """The weights of every run, by cell and seed, as the model takes them."""
        return {
            cell.key: {run.seed: run.weights for run in cell.runs} for cell in self.runs_of_cells
        }

    def records(self, kind: Kind = "cells") -> list[Row]:
        """Return plain rows: one per cell, per run, or per evaluation of a run.

        Parameters
        ----------
        kind
            "cells", "runs" or "curves".
        """
        match kind:
            case "cells":
                return [flatten(cell) for cell in self.summaries]
            case "runs":
                return [flatten_run(run) for run in self.runs()]
            case "curves":
                return [flatten_point(point) for point in self.curves()]
            case _:
                raise unknown("kind", kind, ("cells", "runs", "curves"))

    def to_pandas(self, kind: Kind = "cells") -> "pd.DataFrame":
        """Return a pandas DataFrame; it needs the extra `tables`.

        Parameters
        ----------
        kind
            One row per cell ("cells"), per run ("runs"), or per evaluation ("curves").
        """
        from nalm.sweeps.plotting import needed

        return needed("pandas", "to_pandas", "tables").DataFrame(self.records(kind))

    def to_csv(self, path: str | PathLike[str] | None = None, kind: Kind = "cells") -> str:
        """Return the rows as CSV, and write them to a file if a path is given.

        Parameters
        ----------
        path
            The file to write.
        kind
            "cells", "runs" or "curves".
        """
        text = csv_text(self.records(kind))
        if path is not None:
            from nalm._internal.files import write_whole

            write_whole(path, text.encode())
        return text

    def to_latex(self, path: str | PathLike[str] | None = None) -> str:
        r"""Return a table for a paper (booktabs), and write it to a file if a path is given.

        Rates come with the number of runs and their 95 % interval, steps with the number of failed
        runs they leave out.

        Parameters
        ----------
        path
            The file to write.

        Examples
        --------
        >>> import nalm
        >>> from nalm.tasks import single_module
        >>> text = nalm.train("nau", single_module("add"), seeds=3).to_latex()
        >>> print(text.splitlines()[3])
        nau & add & U[1,2) & 3/3 & 1.00 [0.44, 1.00] & 6,000 & 0 \\
        """
        text = latex_table(self.summaries)
        if path is not None:
            from nalm._internal.files import write_whole

            write_whole(path, text.encode())
        return text

    def plot(self, kind: Literal["rates", "curves"] = "rates") -> "alt.FacetChart | alt.LayerChart":
        """Return an altair chart; it needs the extra `report`.

        Parameters
        ----------
        kind
            "rates" for success rates with intervals, "curves" for the test error of each run.
        """
        from nalm.sweeps.plotting import curves_chart, rates_chart

        match kind:
            case "rates":
                return rates_chart(self.records())
            case "curves":
                return curves_chart(self.runs_of_cells)
            case _:
                raise unknown("plot", kind, ("rates", "curves"))

    def table(self, width: int = 80) -> str:
        """Return the table that printing shows, without notes.

        Parameters
        ----------
        width
            The most characters of a line; a wide table has more columns.
        """
        return results_table(self.summaries, width)

    def __str__(self) -> str:
        return "\n".join([self.table(), *(fill(note.text, 80) for note in self.notes)])

    def _repr_html_(self) -> str:
        return html_table(self.summaries, self.notes)

    def __repr__(self) -> str:
        runs, cells = len(self.runs()), len(self.summaries)
        return f"Results({runs} runs of {cells} cell{'' if cells == 1 else 's'})"


def _points(run: RunResult) -> list[CurvePoint]:
    curves = run.curves
    series = (curves.steps, curves.validation, curves.test, curves.loss, curves.sparsity)
    rows = zip(*(values.tolist() for values in series), strict=True)
    return [CurvePoint(run.key, run.seed, *row) for row in rows]


def results_of(
    cells: Sequence[CellRuns], notes: Sequence[Note] = (), folder: Path | None = None
) -> Results:
    """Return results without published values."""
    said = (*notes, *damage_notes(cells))
    return Results(tuple(cells), tuple(cell.summary for cell in cells), said, folder)


def damage_notes(cells: Sequence[CellRuns]) -> tuple[Note, ...]:
    """Return what was damaged of the cells in their results file."""
    return tuple(note for cell in cells for note in cell.notes)
