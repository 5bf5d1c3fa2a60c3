"""The door to tables in files: text, Excel, parquet, feather or JSON, perhaps in gzip."""

import csv
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, TypeVar, cast

from nalm.errors import InputError
from nalm.fitting.tables.file_kinds import other_table, unpacked
from nalm.fitting.tables.table import Choice, TableData, TableNote, TableSource
from nalm.fitting.tables.text_table import TextTable

T = TypeVar("T")
IN_MEMORY = 64 * 2**20
"""The most bytes of the standard input that are held in memory."""
WINDOWS = "cp1252"
"""The encoding that is tried if a text is not UTF-8."""
SAMPLE = 4096
"""The bytes that tell text from other data."""


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file to read bytes."""
    if "\0" in path:
        raise InputError(f"The table is a file; no file is called {path!r}.")
    try:
        if Path(path).is_dir():
            raise InputError(f"The table is a file; {path!r} is a folder.")
        stream = Path(path).open("rb")  # noqa: SIM115
    except OSError as error:
        raise InputError(f"The table cannot be read: {error.strerror}: {path!r}.") from None
    with stream:
        yield stream


Used = Callable[[TableSource], T]
"""What is done with a table while its file is open."""


def read_table(
    stream: BinaryIO,
    target: str | None = None,
    features: Sequence[str] | None = None,
    *,
    sigma: str | None = None,
    drop_missing: bool = False,
    others: Sequence[str] = (),
) -> TableData:
    """Return the target and the features of a table; the last column and all others if absent.

    `others` are columns that are no features unless they are named as such.
    """
    choice = Choice(target, features, sigma, drop_missing, others)
    data, notes = _used(stream, choice.of)
    return replace(data, notes=(*notes, *data.notes))


def column_names(stream: BinaryIO) -> list[str]:
    """Return the names of the columns of a table."""
    return _used(stream, lambda table: list(table.names))[0]


@contextmanager
def seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Yield a stream that can be read from its start again: a copy of a pipe."""
    if stream.seekable():
        yield stream
        return
    with SpooledTemporaryFile(IN_MEMORY) as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield cast("BinaryIO", copy)


def _used(stream: BinaryIO, use: Used[T]) -> tuple[T, list[TableNote]]:
    """Return what is made of the table of a file, and notes on how it was read."""
    with seekable(stream) as source:
        source.seek(0)
        inside = unpacked(source)
        table = other_table(inside)
        return _of_text(inside, use) if table is None else (use(table), [])


def _of_text(stream: BinaryIO, use: Used[T]) -> tuple[T, list[TableNote]]:
    start = stream.read(SAMPLE)
    stream.seek(0)
    wide = start[:2] in (b"\xff\xfe", b"\xfe\xff")
    if b"\0" in start and not wide:
        raise InputError(
            "The table is text in UTF-8 or a sheet; the file is neither, for it has bytes of 0. "
            "Save the table as CSV or xlsx."
        )
    try:
        return _decoded(stream, "utf-16" if wide else "utf-8-sig", use), []
    except UnicodeDecodeError as error:
        if wide:
            raise InputError(f"The table is text in UTF-16, but {error.reason}.") from None
        return _of_windows(stream, use, error)
    except UnicodeError as error:
        raise InputError(f"The table is text in UTF-8; received {error}.") from None


def _of_windows(
    stream: BinaryIO, use: Used[T], wrong: UnicodeDecodeError
) -> tuple[T, list[TableNote]]:
    """Read a text again that is not UTF-8, as Windows writes it."""
    stream.seek(0)
    received = f"received a byte 0x{wrong.object[wrong.start]:02x}, which is not"
    try:
        found = _decoded(stream, WINDOWS, use)
    except UnicodeDecodeError:
        raise InputError(f"The table is text in UTF-8; {received}. Save it as UTF-8.") from None
    note = f"The text is no UTF-8 and was read as {WINDOWS}, as Windows writes it."
    return found, [TableNote(note)]


def _decoded(stream: BinaryIO, encoding: str, use: Used[T]) -> T:
    text = TextIOWrapper(stream, encoding=encoding, newline="")
    try:
        return use(TextTable(text))
    except csv.Error as error:
        raise InputError(f"The table is text in lines and fields; {error}.") from None
    finally:
        text.detach()  # the stream is the caller's to close
