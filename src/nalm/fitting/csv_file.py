"""Read the columns of a text file as numbers, some rows at a time."""

import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nalm.errors import InputError, unknown
from nalm.fitting.csv_format import Format, format_of, is_missing, parsed, split_lines

SAMPLE = 200
"""Lines from which the format is found."""
CELLS = 200_000
"""Fields that are held as text at once."""
UNITS_LINE = 2
"""The line under the names, which holds units in some files."""
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([.,' ][0-9]{3})+([.,][0-9]+)?")
GROWTH = 1.125
"""By how much the array of all rows grows, so that little of it is unused."""


@dataclass(frozen=True)
class Data:
    """The columns of a file that a fit uses."""

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    target: str
    left_out: int
    """Rows with missing values, which are not in `x` and `y`."""
    notes: tuple[str, ...]
    """What was chosen that the user may not expect."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file to read bytes; `-` is the standard input."""
    if path == "-":
        yield sys.stdin.buffer
        return
    if Path(path).is_dir():
        raise InputError(f"The table is a file; {path!r} is a folder.")
    try:
        with Path(path).open("rb") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"The table cannot be read: {error.strerror}: {path!r}.") from None


def read_table(
    stream: BinaryIO,
    target: str | None = None,
    features: Sequence[str] | None = None,
    *,
    drop_missing: bool = False,
) -> Data:
    """Return the target and the features of a table; the last column and all others if absent."""
    try:
        return _read(_text(stream), target, features, drop_missing)
    except UnicodeDecodeError as error:
        raise InputError(
            f"The table is text in UTF-8; received a byte 0x{error.object[error.start]:02x}, which "
            "is not. Save it as UTF-8, or convert it: iconv -f LATIN1 -t UTF-8 FILE."
        ) from None
    except csv.Error as error:
        raise InputError(f"The table is text in lines and fields; {error}.") from None


def _text(stream: BinaryIO) -> TextIOWrapper:
    """Return the stream as text; a mark at its start says which encoding it is in."""
    peek = getattr(stream, "peek", None)
    start = peek(2)[:2] if peek else b""
    wide = start in (b"\xff\xfe", b"\xfe\xff")
    return TextIOWrapper(stream, encoding="utf-16" if wide else "utf-8-sig", newline="")


def _read(
    text: Iterable[str], target: str | None, features: Sequence[str] | None, drop_missing: bool
) -> Data:
    comments: list[str] = []
    lines = _content(text, comments)
    sample = list(islice(lines, SAMPLE))
    if not sample:
        raise InputError("A table has a header and rows; the file is empty.")
    form = format_of([line for _, line in sample], comments[-1] if comments else "")
    rows = _fields(chain(sample, lines), form)
    if form.header:
        next(rows)
    result, notes = _target(target, form)
    chosen = _features(features, result, form)
    columns = [form.names.index(name) for name in (*chosen, result)]
    kept, left_out = _Rows(len(columns)), _LeftOut()
    for chunk in _numbers(rows, columns, form):
        kept.add(left_out.without_missing(chunk, (*chosen, result)))
    if not kept.count and not left_out.count:
        raise InputError("A table has a header and rows; the file has a header and no rows.")
    if left_out.count and not drop_missing:
        raise left_out.error(kept.count)
    if not kept.count:
        raise InputError(f"Every row has a missing value, {left_out.first}; none is left.")
    values = kept.whole()
    x, y = values[:, :-1], values[:, -1]
    if form.commented:
        notes.append(f"The names are those of a comment: {', '.join(form.names)}.")
    elif not form.header:
        notes.append("The first line is numbers, so it is a row, and columns have our names.")
    if form.decimal == ",":
        notes.append("Numbers are read with a decimal comma.")
    x, chosen, said = _varying(x, chosen)
    notes += [*said, *_equal_columns(x, y, chosen, result)]
    return Data(x, y, tuple(chosen), result, left_out.count, tuple(notes))


def _content(text: Iterable[str], comments: list[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, and put comments at the start aside."""
    begun = False
    for number, line in enumerate(text, 1):
        if line.lstrip().startswith("#"):
            if not begun:
                comments.append(line.lstrip().lstrip("#").strip())
        elif begun or line.strip():
            begun = True
            yield number, line


# --- the columns ---------------------------------------------------------------------------------


def _target(asked: str | None, form: Format) -> tuple[str, list[str]]:
    """Return the target column: by name, by number, or the last; and what is to be said of it."""
    names = form.names
    if asked is None:
        return names[-1], [f"The target is the last column, {names[-1]!r}; --target names another."]
    return _column(asked, names), []


def _column(asked: str, names: Sequence[str]) -> str:
    if asked in names:
        return asked
    if asked.isdecimal() and 1 <= int(asked) <= len(names):
        return names[int(asked) - 1]
    alike = [name for name in names if name.lower() == asked.lower()]
    if alike:
        raise InputError(f"There is no column {asked!r}. Did you mean {alike[0]!r}?")
    raise unknown("column", asked, names)


def _features(asked: Sequence[str] | None, target: str, form: Format) -> list[str]:
    if asked is None:
        return [name for name in form.names if name != target]
    chosen = [_column(name, form.names) for name in asked]
    if target in chosen:
        raise InputError(f"The target is no feature of itself; --features has {target!r}.")
    if len(set(chosen)) < len(chosen) or not chosen:
        raise InputError(f"Features are different columns, at least one; received {list(asked)}.")
    return chosen


def _varying(x: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str], list[str]]:
    """Return the columns that are not constant, unless all are, and what is to be said of it.

    How the target depends on a constant column cannot be seen in the rows.
    """
    constant = [i for i in range(x.shape[1]) if np.all(x[:, i] == x[0, i])]
    if len(x) < 2 or not constant or len(constant) == len(names):
        return x, names, []
    listed = ", ".join(repr(names[i]) for i in constant)
    kept = [name for i, name in enumerate(names) if i not in constant]
    note = f"Left out, because the rows say nothing about a column that is constant: {listed}."
    return np.delete(x, constant, axis=1), kept, [note]


def _equal_columns(x: np.ndarray, y: np.ndarray, names: Sequence[str], target: str) -> list[str]:
    same = [name for i, name in enumerate(names) if np.array_equal(x[:, i], y)]
    return [
        f"Column {name!r} equals the target {target!r} in every row; --features leaves it out."
        for name in same
    ]


# --- the rows ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chunk:
    values: np.ndarray
    lines: list[int]


def _fields(lines: Iterable[tuple[int, str]], form: Format) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each row with the number of the line it ends in."""
    number = 0

    def only_text() -> Iterator[str]:
        nonlocal number
        for number, line in lines:  # noqa: B007
            yield line

    for row in split_lines(only_text(), form.separator):
        if not row or row == [""]:
            continue
        if len(row) != len(form.names):
            raise InputError(
                f"Every row has {len(form.names)} fields, as the first; line {number} has "
                f"{len(row)}. Put fields that have the separator {form.separator!r} in quotes."
            )
        yield number, row


def _numbers(
    rows: Iterator[tuple[int, list[str]]], columns: Sequence[int], form: Format
) -> Iterator[_Chunk]:
    """Yield the chosen columns as float64, some rows at a time; missing values are NaN."""
    count = max(1, CELLS // len(form.names))
    while part := list(islice(rows, count)):
        cells = [row[i] for _, row in part for i in columns]
        if form.decimal == ",":
            cells = [cell.replace(",", ".") for cell in cells]
        try:
            if "_" in "".join(cells):
                raise ValueError
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            values = np.array([_cell(cell) for cell in cells])
        values = values.reshape(len(part), len(columns))
        lines = [number for number, _ in part]
        _check(values, lines, cells, [form.names[i] for i in columns], form)
        yield _Chunk(values, lines)


TEXT = -np.inf
"""Stands for a field that is no number until it is refused, as infinities are."""


def _cell(cell: str) -> float:
    if is_missing(cell):
        return np.nan
    value = parsed(cell)
    return TEXT if value is None else value


def _check(
    values: np.ndarray, lines: list[int], cells: list[str], names: Sequence[str], form: Format
) -> None:
    bad = np.isinf(values)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    received, name = cells[row * len(names) + column], names[column]
    if THOUSANDS.fullmatch(received.strip()):
        fix = "Write numbers without separators between thousands."
    elif lines[row] <= UNITS_LINE and not np.isinf(values[row + 1 :, column]).any():
        fix = "If that line holds units, put them into the names and remove it."
    elif name == names[-1]:
        fix = "Choose another column with --target."
    else:
        others = [n for n in names[:-1] if n != name and n in form.numeric]
        fix = f"Leave the column out with --features {_quoted(others)}." if others else ""
    raise InputError(
        f"Columns hold finite numbers; column {name!r} has {received.strip()[:60]!r} in line "
        f"{lines[row]}. {fix}".rstrip()
    )


def _quoted(names: Sequence[str]) -> str:
    """Return names as --features takes them in a shell.

    >>> print(_quoted(["a", "mass, kg"]))
    'a,"mass, kg"'
    """
    text = ",".join(f'"{name}"' if "," in name else name for name in names)
    return text if re.fullmatch(r"[\w.,-]+", text) else "'" + text.replace("'", "'\\''") + "'"


@dataclass
class _LeftOut:
    count: int = 0
    first: str = ""

    def without_missing(self, chunk: _Chunk, names: Sequence[str]) -> np.ndarray:
        missing = np.isnan(chunk.values)
        rows = missing.any(axis=1)
        if not rows.any():
            return chunk.values
        if not self.count:
            row = int(np.argmax(rows))
            name = names[int(np.argmax(missing[row]))]
            self.first = f"the first in line {chunk.lines[row]}, column {name!r}"
        self.count += int(rows.sum())
        return chunk.values[~rows]

    def error(self, kept: int) -> InputError:
        return InputError(
            f"{self.count} of {self.count + kept} rows have missing values, {self.first}. Leave "
            "these rows out with --drop-missing, or the column with --features."
        )


class _Rows:
    """Rows that are added in pieces to one array, which grows in place."""

    def __init__(self, columns: int) -> None:
        self.count = 0
        self._values = np.empty((0, columns))

    def add(self, piece: np.ndarray) -> None:
        end = self.count + len(piece)
        if end > len(self._values):
            self._resize(max(end, int(GROWTH * len(self._values))))
        self._values[self.count : end] = piece
        self.count = end

    def whole(self) -> np.ndarray:
        self._resize(self.count)
        return self._values

    def _resize(self, rows: int) -> None:
        self._values.resize((rows, self._values.shape[1]), refcheck=False)
