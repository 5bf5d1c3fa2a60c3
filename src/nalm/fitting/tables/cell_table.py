"""Tables of cells: sheets, JSON, and the typed columns of parquet and feather files."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from nalm.errors import InputError
from nalm.fitting.inputs import check_names
from nalm.fitting.tables.fields import is_missing, is_number, parsed
from nalm.fitting.tables.heads import has_units, title_lines, title_note, with_units
from nalm.fitting.tables.table import TableNote
from nalm.fitting.tables.text_rows import Chunk, not_a_number

SAMPLE = 200
"""Rows from which the names and the units are found."""


class ColumnTable:
    """Columns with names; `first` is the number of the first row in the file."""

    def __init__(
        self,
        names: Sequence[str],
        columns: Sequence[Any],
        notes: Sequence[TableNote] = (),
        first: int = 1,
    ) -> None:
        self.names = tuple(" ".join(name.split()) or f"x{i + 1}" for i, name in enumerate(names))
        check_names(self.names, len(self.names))
        if len(self.names) < 2:
            raise InputError(
                f"A table has at least two columns; the file has {len(self.names)}: "
                f"{', '.join(map(repr, self.names))}."
            )
        self.columns, self.first = columns, first
        self.notes = [*notes, *self._durations()]

    def chunks(self, columns: Sequence[int]) -> Iterator[Chunk]:
        """Yield all rows of these columns as numbers."""
        read = [self.names[i] for i in columns]
        values = [self._numbers(i, read) for i in columns]
        if len(values[0]):
            lines = list(range(self.first, self.first + len(values[0])))
            yield Chunk(np.column_stack(values), lines, "row")

    def _durations(self) -> list[TableNote]:
        pairs = zip(self.names, self.columns, strict=True)
        found = [repr(name) for name, column in pairs if _has_durations(column)]
        return [TableNote(f"Durations are read in seconds: {', '.join(found)}.")] if found else []

    def _numbers(self, column: int, read: Sequence[str]) -> np.ndarray:
        found = self.columns[column]
        kind = getattr(getattr(found, "dtype", None), "kind", "O")
        if kind in "biuf":
            values = np.asarray(found, np.float64)
        else:
            values = np.array([_number(cell) for cell in found], np.float64)
        bad = np.flatnonzero(np.isinf(values))
        if len(bad):
            cell = str(list(found)[bad[0]])[:60]
            name = self.names[column]
            problem = (
                f"Columns hold finite numbers; column {name!r} has {cell!r} in row "
                f"{self.first + int(bad[0])}."
            )
            numeric = self._numeric()
            raise not_a_number(problem, cell, name, read, values=values, numeric=numeric)
        return values

    def _numeric(self) -> set[str]:
        """Return the columns whose first cells are all numbers or missing."""
        pairs = zip(self.names, self.columns, strict=True)
        return {n for n, c in pairs if not any(np.isinf(_number(v)) for v in list(c)[:SAMPLE])}


def _has_durations(column: Any) -> bool:
    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    return kind == "m" or (kind == "O" and any(isinstance(cell, timedelta) for cell in column))


def _number(cell: Any) -> float:
    """Return a cell as a number: NaN if it is missing, infinite if it is none.

    >>> _number("1e3"), _number(timedelta(minutes=1)), _number(np.timedelta64(5, "ms"))
    (1000.0, 60.0, 0.005)
    """
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return np.nan
    if isinstance(cell, str):
        found = np.nan if is_missing(cell) else parsed(cell.strip())
        return np.inf if found is None else found
    if isinstance(cell, np.datetime64):  # float() takes those in nanoseconds
        return np.nan if np.isnat(cell) else np.inf
    if isinstance(cell, timedelta | np.timedelta64):
        return float(cell / np.timedelta64(1, "s"))
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.inf


def table_of_cells(cells: Sequence[Sequence[Any]], first: int = 1) -> ColumnTable:
    """Return the table among cells, whose names are the first row of texts.

    Empty rows at the start, titles and empty columns are skipped. `first` is the number of the
    first row.
    """
    if not cells:
        raise InputError("A table has a header and rows; the file is empty.")
    full = [i for i in range(len(cells[0])) if any(not _empty(row[i]) for row in cells)]
    texts = [[_text(row[i]) for i in full] for row in cells[:SAMPLE]]
    skipped = title_lines(texts) if texts else 0
    texts = texts[skipped:]
    if not full or not texts:
        raise InputError("A table has a header and rows; the file is empty.")
    header = not all(is_missing(cell) or is_number(cell) for cell in texts[0])
    names = texts[0] if header else [f"x{i + 1}" for i in range(len(full))]
    units = header and has_units(texts[1:])
    notes = [TableNote(title_note(skipped, "row"))] if skipped else []
    if units:
        names = with_units(names, texts[1])
        notes.append(TableNote(f"The row under the names holds units: {', '.join(names)}."))
    if not header:
        notes.append(TableNote("The first row is numbers; the columns are x1, x2, …"))
    start = skipped + header + units
    body = list(cells[start:])
    remarks = _without_remarks(body)
    if remarks:
        notes.append(TableNote(f"Remarks below the table were skipped: {', '.join(remarks)}."))
    columns = [[row[i] for row in body] for i in full]
    return ColumnTable(names, columns, notes, first + start)


def _without_remarks(body: list[Sequence[Any]]) -> list[str]:
    """Drop empty rows at the end, and those that are a single text; return these texts."""
    remarks: list[str] = []
    while body:
        filled = [cell for cell in body[-1] if not _empty(cell)]
        if len(filled) > 1 or (filled and (_is_value(filled[0]) or len(body) == 1)):
            break
        remarks += [repr(cell[:60]) for cell in filled]
        body.pop()
    return remarks[::-1]


def _is_value(cell: Any) -> bool:
    return not isinstance(cell, str) or is_missing(cell) or parsed(cell) is not None


def _empty(cell: Any) -> bool:
    missing = isinstance(cell, float) and np.isnan(cell)
    return cell is None or bool(missing) or (isinstance(cell, str) and not cell.strip())


def _text(cell: Any) -> str:
    return "" if _empty(cell) else str(cell)
