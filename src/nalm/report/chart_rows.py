"""The rows that the charts draw: one for each cell and panel, flattened for Vega here only."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from typing import Any

from nalm.sweeps.statistics import Method
from nalm.sweeps.types import CellKey, CellSummary, Quantity

PANELS = (Quantity.ACCURACY, Quantity.RATE, Quantity.SOLVED_AT, Quantity.SPARSITY)
"""The quantities that are drawn."""
LEAST = {
    Quantity.ACCURACY: 0.0,
    Quantity.RATE: 0.0,
    Quantity.SOLVED_AT: 1.0,
    Quantity.SPARSITY: 1e-10,
}
"""The smallest number of each scale; what is smaller is drawn there."""


@dataclass(frozen=True)
class ChartRow:
    """What one panel shows of one cell; None where there is no number, "" where no text."""

    panel: str
    line: str
    """The name of its line in the chart."""
    full: str
    """The same with its operation, for charts of several."""
    column: str
    """The name of its column of charts."""
    unit: str
    op: str
    range: str
    inputs: int
    setting: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    published: float | None
    published_low: float | None
    published_high: float | None
    as_published: float | None
    """Our mean by the estimate of the authors, where that is what is compared."""
    verdict: str
    reason: str
    source: str
    solved: int
    runs: int
    diverged: int


def chart_rows(cells: Sequence[CellSummary]) -> list[ChartRow]:
    """Return what every panel draws of the cells, in their order."""
    drawn = [replace(cell, key=_printable_key(cell.key)) for cell in cells]
    column, *line = layout([cell.key for cell in drawn])
    return [
        _row(panel, cell, column, line)
        for cell in drawn
        for panel in PANELS
        if panel is not Quantity.ACCURACY or cell.accuracy.known
    ]


def vega_values(rows: Sequence[ChartRow]) -> list[dict[str, Any]]:
    """Return rows as data of a Vega chart."""
    return [asdict(row) for row in rows]


def printable(text: str) -> str:
    """Return a text without line separators and control characters, which Vega cannot parse."""
    return "".join(c if c.isprintable() else " " for c in text)


def _printable_key(key: CellKey) -> CellKey:
    return CellKey(
        printable(key.unit),
        printable(key.op),
        printable(key.range),
        key.inputs,
        printable(key.setting),
    )


def _row(panel: Quantity, cell: CellSummary, column: "Part", line: Sequence["Part"]) -> ChartRow:
    ours = cell.rate if panel is Quantity.RATE else cell.estimate(panel)
    found = cell.comparison(panel)
    theirs = found.published if found else None
    by_authors = found is not None and found.ours.method is Method.AUTHORS
    ends = (theirs.low, theirs.high) if theirs else (None, None)
    if panel is Quantity.RATE and theirs and not (isnan(theirs.low) and isnan(theirs.high)):
        ends = (
            0.0 if isnan(theirs.low) else theirs.low,
            1.0 if isnan(theirs.high) else theirs.high,
        )
    least = LEAST[panel]
    key = cell.key
    return ChartRow(
        panel=panel.value,
        line=(name := line_name(key, line)),
        full=f"{key.op} · {name}",
        column=column(key),
        unit=key.unit,
        op=key.op,
        range=key.range,
        inputs=key.inputs,
        setting=key.setting,
        value=_drawn(ours.value, least),
        low=_drawn(ours.low, least),
        high=_drawn(ours.high, least),
        method=ours.method.value,
        published=_drawn(theirs.value if theirs else None, least),
        published_low=_drawn(ends[0], least),
        published_high=_drawn(ends[1], least),
        as_published=_drawn(found.ours.value, least) if found and by_authors else None,
        verdict=found.verdict.value if found else "",
        reason=found.reason.value if found and found.reason else "",
        source=found.source if found else "",
        solved=cell.successes,
        runs=cell.runs,
        diverged=cell.diverged,
    )


def line_name(key: CellKey, line: Sequence["Part"]) -> str:
    """Return the name of the line of a cell."""
    return " · ".join(name for part in line if (name := part(key))) or key.unit


def _drawn(value: float | None, least: float) -> float | None:
    return None if value is None or isnan(value) else max(value, least)


Part = Callable[[CellKey], str]
"""Reads the part of a key that names a line or a column."""


def unit(key: CellKey) -> str:
    """Return the unit of a cell."""
    return key.unit


def range_name(key: CellKey) -> str:
    """Return the training range of a cell."""
    return key.range


def setting(key: CellKey) -> str:
    """Return the setting of a cell."""
    return key.setting


def inputs(key: CellKey) -> str:
    """Return the number of inputs of a cell.

    >>> inputs(CellKey("nmu", "mul", "U[1,2)", 2))
    '2 inputs'
    """
    return f"{key.inputs} input{'' if key.inputs == 1 else 's'}"


def layout(keys: Sequence[CellKey]) -> tuple[Part, ...]:
    """Return what names the columns, and then what together names the lines.

    The columns are ranges, or else settings or inputs that several units share. The lines differ in
    unit, setting, inputs and range; what all cells share, or follows from the rest, is left out.
    """
    column = _column(keys)
    lines: list[Part] = []
    for part in (setting, inputs, range_name):
        if part is not column and _varies(part, keys, (_operation, unit, column, *lines)):
            lines.append(part)
    several = len({key.unit for key in keys}) > 1
    return (column, unit, *lines) if several or not lines else (column, *lines)


def _operation(key: CellKey) -> str:
    return key.op


def _column(keys: Sequence[CellKey]) -> Part:
    if len({key.range for key in keys}) > 1:
        return range_name
    return next((part for part in (setting, inputs) if _is_shared(part, keys)), range_name)


def _is_shared(part: Part, keys: Sequence[CellKey]) -> bool:
    """Tell whether a part has several values, each of which several units have."""
    units: dict[str, set[str]] = {}
    for key in keys:
        units.setdefault(part(key), set()).add(key.unit)
    return len(units) > 1 and all(len(names) > 1 for names in units.values())


def _varies(part: Part, keys: Sequence[CellKey], within: Sequence[Part]) -> bool:
    """Tell whether a part has several values among cells that are otherwise the same."""
    groups: dict[tuple[str, ...], set[str]] = {}
    for key in keys:
        groups.setdefault(tuple(other(key) for other in within), set()).add(part(key))
    return any(len(values) > 1 for values in groups.values())
