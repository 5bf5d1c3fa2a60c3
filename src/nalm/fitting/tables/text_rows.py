"""The rows of a text file as numbers, some rows at a time."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from nalm.errors import InputError, TableError
from nalm.fitting.tables.fields import advice, is_missing, parsed
from nalm.fitting.tables.text_format import Format, split_lines

CELLS = 200_000
"""Fields that are held as text at once."""
UNITS_LINE = 2
"""The line under the names, which holds units in some files."""
GROWTH = 1.125
"""By how much the array of all rows grows, so that little of it is unused."""
CORRECT = (
    "Correct that field, or take its row out of the file; if its value is unknown, leave it empty."
)
TARGET = {"target": None}
"""What helps if the target cannot be used."""
TEXT = -np.inf
"""Stands for a field that is no number until it is refused, as infinities are."""


def fields(lines: Iterable[tuple[int, str]], form: Format) -> Iterator[tuple[int, list[str]]]:
    """Yield the columns of each row below the names with the number of the line it ends in."""
    number = 0
    above = form.header + form.units
    chosen = None if len(form.places) == form.fields else form.places

    def only_text() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007
            yield line

    for row in split_lines(only_text(), form.separator):
        if not row or row == [""]:
            continue
        if above:
            above -= 1
        elif len(row) != form.fields:
            raise InputError(
                f"Every row has {form.fields} fields, as the first; line {number} has "
                f"{len(row)}. Put fields that have the separator {form.separator!r} in quotes."
            )
        else:
            yield number, row if chosen is None else _chosen(row, number, chosen)


def _chosen(row: list[str], number: int, places: Sequence[int]) -> list[str]:
    """Return the fields that are columns; the others are empty."""
    other = next((c for i, c in enumerate(row) if c.strip() and i not in places), None)
    if other is not None:
        raise InputError(
            f"A column without a name is empty; line {number} has {other.strip()[:60]!r} in one. "
            "Name the column in the first line."
        )
    return [row[i] for i in places]


@dataclass(frozen=True)
class Chunk:
    """Some rows as numbers, with the lines they are from."""

    values: np.ndarray
    lines: list[int]
    place: str = "line"
    """What the file calls them."""


def numbers(
    rows: Iterator[tuple[int, list[str]]], columns: Sequence[int], form: Format
) -> Iterator[Chunk]:
    """Yield the chosen columns as float64, some rows at a time; missing values are NaN."""
    count = max(1, CELLS // len(form.names))
    while part := list(islice(rows, count)):
        written = cells = [row[i] for _, row in part for i in columns]
        if form.decimal == ",":
            cells = [cell.replace(",", ".") for cell in written]
        try:
            if "_" in "".join(cells):
                raise ValueError
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            values = np.array([_cell(cell) for cell in cells])
        values = values.reshape(len(part), len(columns))
        lines = [number for number, _ in part]
        _check(values, lines, written, [form.names[i] for i in columns], form)
        yield Chunk(values, lines)


def _cell(cell: str) -> float:
    if is_missing(cell):
        return np.nan
    value = parsed(cell)
    return TEXT if value is None else value


def _check(
    values: np.ndarray, lines: list[int], cells: list[str], names: Sequence[str], form: Format
) -> None:
    """Raise unless all values are numbers or missing; the last column is the target."""
    bad = np.isinf(values)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    received, name = cells[row * len(names) + column], names[column]
    problem = (
        f"Columns hold finite numbers; column {name!r} has {received.strip()[:60]!r} in line "
        f"{lines[row]}."
    )
    if lines[row] <= UNITS_LINE and not np.isinf(values[row + 1 :, column]).any():
        raise TableError(f"{problem} If that line holds units, put them into the names.")
    raise not_a_number(
        problem, received, name, names, values=values[:, column], numeric=form.numeric
    )


def not_a_number(
    problem: str,
    received: str,
    name: str,
    names: Sequence[str],
    *,
    values: np.ndarray,
    numeric: Collection[str],
) -> TableError:
    """Return the error that says which column has other values than numbers, and what helps.

    `values` are those of the column, infinite where they are no numbers.
    """
    fix = advice(received)
    problem = f"{problem} {fix}".rstrip()
    if np.isfinite(values).sum() > np.isinf(values).sum():
        return TableError(problem if fix else f"{problem} {CORRECT}")
    if name == names[-1]:
        return TableError(f"{problem} {'Or choose' if fix else 'Choose'} another target.", TARGET)
    others = [n for n in names[:-1] if n != name and n in numeric]
    if not others:
        return TableError(problem)
    leave = "Or leave" if fix else "Leave"
    return TableError(f"{problem} {leave} the column out.", {"features": tuple(others)})


@dataclass
class Missing:
    """Counts the rows with missing values."""

    count: int = 0
    first: str = ""
    seen: int = 0
    """How many rows there were, with missing values or without."""
    empty: tuple[str, ...] | None = None
    """The columns that have had no values so far; None before the first row."""

    def whole(self, chunk: Chunk, names: Sequence[str]) -> np.ndarray:
        """Return which rows have all values."""
        missing = np.isnan(chunk.values)
        rows = np.any(missing, axis=1)
        none = np.all(missing, axis=0).tolist()
        without = [name for name, empty in zip(names, none, strict=True) if empty]
        self.empty = tuple(n for n in without if self.empty is None or n in self.empty)
        self.seen += len(rows)
        if rows.any() and not self.count:
            row = int(np.argmax(rows))
            name = names[int(np.argmax(missing[row]))]
            self.first = f"the first in {chunk.place} {chunk.lines[row]}, column {name!r}"
        self.count += int(rows.sum())
        return ~rows

    def error(self, kept: int, names: Sequence[str]) -> TableError:
        """Return the error that says which values are missing; the target is the last column."""
        if self.empty and names[-1] in self.empty:
            problem = f"Column {names[-1]!r} has no values. Choose another target."
            return TableError(problem, TARGET)
        if self.empty:
            have, it = ("has", "it") if len(self.empty) == 1 else ("have", "them")
            listed = ", ".join(map(repr, self.empty))
            return TableError(
                f"{listed} {have} no values in any row. Leave {it} out.",
                {"features": tuple(n for n in names[:-1] if n not in self.empty) or None},
            )
        return TableError(
            f"{self.count} of {self.count + kept} rows have missing values, {self.first}. "
            "Leave out these rows, or the column.",
            {"drop_missing": True, "features": None},
        )


class GrowingArray:
    """Rows that are added in pieces to one array, which grows in place."""

    def __init__(self, columns: int) -> None:
        self.count = 0
        self._values = np.empty((0, columns))

    def add(self, piece: np.ndarray) -> None:
        """Add rows at the end."""
        end = self.count + len(piece)
        if end > len(self._values):
            self._resize(max(end, int(GROWTH * len(self._values))))
        self._values[self.count : end] = piece
        self.count = end

    def whole(self) -> np.ndarray:
        """Return all rows that were added."""
        self._resize(self.count)
        return self._values

    def _resize(self, rows: int) -> None:
        self._values.resize((rows, self._values.shape[1]), refcheck=False)
