"""Cells as text: a table for a terminal, a notebook, a paper, a file."""

import csv
from collections.abc import Callable, Sequence
from html import escape
from io import StringIO
from math import isnan
from typing import NamedTuple

from nalm._internal.text_table import Column, text_table, without_empty
from nalm.sweeps.flat import Row
from nalm.sweeps.statistics import Estimate
from nalm.sweeps.types import CellSummary, Note, Quantity

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "λ": r"$\lambda$",
    "η": r"$\eta$",
    "…": r"\dots{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "−": "$-$",
    "×": r"$\times$",
    "÷": r"$\div$",
}
"""What LaTeX reads as something else."""

NONE = "–"
"""What stands where a cell has no such value."""


class Field(NamedTuple):
    """A column of results: its head, how a cell is written, how it is aligned and left out."""

    title: str
    text: Callable[[CellSummary], str]
    right: bool = False
    optional: int = 0
    wraps: bool = False


def rate_text(estimate: Estimate | None) -> str:
    """Return a rate with its interval."""
    if estimate is None:
        return ""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def share_text(estimate: Estimate) -> str:
    """Return a mean share with its interval, if there is one."""
    if not estimate.known:
        return ""
    ends = "" if isnan(estimate.low) else f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{estimate.value:.3f}{ends}"


def _published(cell: CellSummary) -> str:
    found = cell.comparison(Quantity.ACCURACY) or cell.comparison()
    if found is None:
        return ""
    value = f"{found.published.value:.2f} " if found.published.known else ""
    return f"{value}{found.said}"


def _step(cell: CellSummary) -> str:
    return f"{cell.median_solved_at.value:,.0f}" if cell.median_solved_at.known else "never"


def _share(cell: CellSummary) -> str:
    return f"{cell.successes} of {cell.runs}"


def _equal(cell: CellSummary) -> str:
    if cell.equal is None:
        return ""
    compared = cell.has_formula or cell.comparison() is not None
    return f"{cell.equal} of {cell.runs}" if compared else NONE


def _diverged(cell: CellSummary) -> str:
    return str(cell.diverged) if cell.diverged else ""


def _sparsity(cell: CellSummary) -> str:
    return f"{cell.sparsity.value:.1e}" if cell.sparsity.known else ""


KEY = (
    Field("unit", lambda cell: cell.key.unit, wraps=True),
    Field("op", lambda cell: cell.key.op, wraps=True),
    Field("range", lambda cell: cell.key.range, wraps=True),
)
INPUTS = Field("inputs", lambda cell: str(cell.key.inputs), right=True)
SETTING = Field("setting", lambda cell: cell.key.setting, wraps=True)
MEASURED = (
    Field("solved", _share, right=True),
    Field("rate", lambda cell: rate_text(cell.rate)),
    Field("equal", _equal, right=True),
    Field("rate of equal", lambda cell: rate_text(cell.equal_rate), optional=3),
    Field("accuracy", lambda cell: share_text(cell.accuracy)),
    Field("published", _published, wraps=True),
    Field("median step", _step, right=True, optional=2),
    Field("diverged", _diverged, right=True, optional=1),
    Field("sparsity error", _sparsity, right=True, optional=4),
)


def _fields(cells: Sequence[CellSummary]) -> list[Field]:
    """Return the columns that tell cells apart, and what was measured."""
    several = len({cell.key.inputs for cell in cells}) > 1
    return [*KEY, *([INPUTS] if several else []), SETTING, *MEASURED]


def results_table(cells: Sequence[CellSummary], width: int = 80) -> str:
    """Return one line per cell, in lines of at most a width where words allow."""
    columns = [
        Column(
            field.title,
            [field.text(cell) for cell in cells],
            field.right,
            field.optional,
            field.wraps,
        )
        for field in _fields(cells)
        if width > 80 or field.title != "sparsity error"
    ]
    return text_table(without_empty(columns), width)


def html_table(cells: Sequence[CellSummary], notes: Sequence[Note] = ()) -> str:
    """Return the table for a notebook."""
    columns = without_empty(
        [Column(f.title, [f.text(cell) for cell in cells], f.right) for f in _fields(cells)]
    )
    heads = "".join(f"<th>{escape(column.title)}</th>" for column in columns)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>"
        for row in zip(*(column.cells for column in columns), strict=True)
    )
    said = "".join(f"<p>{escape(note.text)}</p>" for note in notes)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>{said}"


def latex_table(cells: Sequence[CellSummary]) -> str:
    """Return a table for a paper, with the commands of booktabs."""
    several = len({cell.key.inputs for cell in cells}) > 1
    fields = [*KEY, *([INPUTS] if several else [])]
    if any(cell.key.setting for cell in cells):
        fields.append(SETTING)
    fields += [
        Field("solved", lambda cell: f"{cell.successes}/{cell.runs}", right=True),
        Field("rate [95 % interval]", lambda cell: rate_text(cell.rate), right=True),
        Field("median step", _step, right=True),
        Field("failed", lambda cell: str(cell.failed), right=True),
    ]
    if any(cell.accuracy.known for cell in cells):
        fields.append(Field("accuracy", lambda cell: share_text(cell.accuracy), right=True))
    if any(cell.comparisons for cell in cells):
        fields.append(Field("published", _published))
    aligned = "".join("r" if field.right else "l" for field in fields)
    rows = [[field.title for field in fields]]
    rows += [[field.text(cell) for field in fields] for cell in cells]
    head, *body = (" & ".join(map(escaped, row)) + r" \\" for row in rows)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{aligned}}} \toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "% Median steps are those of the solved runs; failed runs are left out of them.",
            "",
        ]
    )


def escaped(text: str) -> str:
    r"""Return a text as LaTeX shows it.

    >>> escaped("real_npu, λ = 10 %")
    'real\\_npu, $\\lambda$ = 10 \\%'
    >>> escaped("U[1,2)->U[2,6)")
    'U[1,2)$\\to$U[2,6)'
    """
    parts = text.split("->")
    return r"$\to$".join("".join(SPECIAL.get(c, c) for c in part) for part in parts)


def csv_text(rows: Sequence[Row]) -> str:
    """Return rows as CSV; a list of numbers is one text, separated by spaces."""
    out = StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _plain(value) for name, value in row.items()})
    return out.getvalue()


def _plain(value: object) -> object:
    return " ".join(map(repr, value)) if isinstance(value, list) else value
