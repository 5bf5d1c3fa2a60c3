"""Read the target and the features of a table in a text file."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nalm.errors import InputError, TableError, unknown
from nalm.fitting.tables.text_format import Format, format_of
from nalm.fitting.tables.text_rows import GrowingArray, Missing, fields, numbers

SAMPLE = 200
"""Lines from which the format is found."""


@dataclass(frozen=True)
class TableNote:
    """Something about a table that the user may not expect."""

    text: str
    argument: str | None = None
    """The argument of `read_table` that changes it."""


@dataclass(frozen=True)
class TableData:
    """The columns of a file that a fit uses."""

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    target: str
    left_out: int
    """How many rows with missing values are not in `x` and `y`."""
    notes: tuple[TableNote, ...]


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file to read bytes."""
    if "\0" in path:
        raise InputError(f"The table is a file; no file is called {path!r}.")
    try:
        if Path(path).is_dir():
            raise InputError(f"The table is a file; {path!r} is a folder.")
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
) -> TableData:
    """Return the target and the features of a table; the last column and all others if absent."""
    text = _text(stream)
    try:
        return _read(text, target, features, drop_missing)
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):
            raise InputError(f"The table is text in UTF-8; received {error}.") from None
        raise InputError(
            f"The table is text in UTF-8; received a byte 0x{error.object[error.start]:02x}, which "
            "is not. Save it as UTF-8, or convert it: iconv -f LATIN1 -t UTF-8 FILE."
        ) from None
    except csv.Error as error:
        raise InputError(f"The table is text in lines and fields; {error}.") from None
    finally:
        text.detach()  # the stream is the caller's to close


def _text(stream: BinaryIO) -> TextIOWrapper:
    """Return the stream as text; a mark at its start says which encoding it is in."""
    peek = getattr(stream, "peek", None)
    start = peek(2)[:2] if peek else b""
    wide = start in (b"\xff\xfe", b"\xfe\xff")
    return TextIOWrapper(stream, encoding="utf-16" if wide else "utf-8-sig", newline="")


def _read(
    text: Iterable[str], target: str | None, features: Sequence[str] | None, drop_missing: bool
) -> TableData:
    comments: list[str] = []
    lines = _content(text, comments)
    sample = list(islice(lines, SAMPLE))
    if not sample:
        raise InputError("A table has a header and rows; the file is empty.")
    form = format_of([line for _, line in sample], comments[-1] if comments else "")
    rows = fields(chain(sample, lines), form)
    if form.header:
        next(rows)
    result, notes = _target(target, form)
    chosen = _features(features, result, form)
    place = {name: i for i, name in enumerate(form.names)}
    columns = [place[name] for name in (*chosen, result)]
    kept, missing = GrowingArray(len(columns)), Missing()
    for chunk in numbers(rows, columns, form):
        kept.add(missing.without(chunk, (*chosen, result)))
    _check_count(kept.count, missing, drop_missing)
    values = kept.whole()
    x, y = values[:, :-1], values[:, -1]
    x, chosen, constant = _varying(x, chosen)
    notes += [*_format_notes(form), *constant, *_equal_columns(x, y, chosen, result)]
    return TableData(x, y, tuple(chosen), result, missing.count, tuple(notes))


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


def _check_count(kept: int, missing: Missing, drop_missing: bool) -> None:
    if not kept and not missing.count:
        raise InputError("A table has a header and rows; the file has a header and no rows.")
    if missing.count and not drop_missing:
        raise missing.error(kept)
    if not kept:
        raise InputError(f"Every row has a missing value, {missing.first}; none is left.")


def _target(asked: str | None, form: Format) -> tuple[str, list[TableNote]]:
    """Return the target column: by name, by number, or the last; and a note on the choice."""
    last = form.names[-1]
    if asked is None:
        return last, [TableNote(f"The target is the last column, {last!r}.", "target")]
    return _column(asked, form.names), []


def _column(asked: str, names: Sequence[str]) -> str:
    if asked in names:
        return asked
    if asked.isdecimal() and len(asked) < 10 and 1 <= int(asked) <= len(names):
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
        raise TableError(
            f"The target is not one of the features; received {target!r} as both.",
            {"target": None, "features": None},
        )
    if len(set(chosen)) < len(chosen) or not chosen:
        raise InputError(f"Features are different columns, at least one; received {list(asked)}.")
    return chosen


def _varying(x: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str], list[TableNote]]:
    """Return the columns that are not constant, unless all are, and a note on the others.

    How the target depends on a constant column cannot be seen in the rows.
    """
    constant = [int(i) for i in np.flatnonzero(np.all(x == x[0], axis=0))]
    if len(x) < 2 or not constant or len(constant) == len(names):
        return x, names, []
    listed = ", ".join(repr(names[i]) for i in constant)
    left_out = set(constant)
    kept = [name for i, name in enumerate(names) if i not in left_out]
    note = f"Left out, because they are constant and so the rows say nothing about them: {listed}."
    return np.delete(x, constant, axis=1), kept, [TableNote(note)]


def _format_notes(form: Format) -> list[TableNote]:
    notes = []
    if form.commented:
        notes.append(TableNote(f"The names are those of a comment: {', '.join(form.names)}."))
    elif not form.header:
        notes.append(
            TableNote("The first line is numbers, so it is a row; the columns are x1, x2, …")
        )
    if form.decimal == ",":
        notes.append(TableNote("Numbers are read with a decimal comma."))
    return notes


def _equal_columns(
    x: np.ndarray, y: np.ndarray, names: Sequence[str], target: str
) -> list[TableNote]:
    same = [name for i, name in enumerate(names) if np.array_equal(x[:, i], y)]
    return [
        TableNote(f"Column {name!r} equals the target {target!r} in every row.", "features")
        for name in same
    ]
