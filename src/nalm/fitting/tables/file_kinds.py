"""What a file is, by its first bytes: a table that is read, or something else with a name."""

import gzip
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO

from nalm.errors import InputError
from nalm.fitting.tables.cell_table import ColumnTable, table_of_cells
from nalm.fitting.tables.json_table import json_table
from nalm.fitting.tables.table import TableNote

LARGEST = 2 * 2**30
"""The most bytes of a compressed file that is unpacked."""
SAMPLE = 4096
"""The first bytes, which tell what a file is."""
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text has."""
SEVERAL = "The file has {count} sheets; the first, {first!r}, is read."


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise InputError(
            "Excel, parquet and feather files are read with pandas; it is not installed. "
            "Install it: pip install 'nalm[tables]'."
        ) from None
    return pd


def _missing(error: ImportError) -> InputError:
    return InputError(f"The file needs a package: {error}. Install it: pip install 'nalm[tables]'.")


def _sheet(stream: BinaryIO) -> ColumnTable:
    pandas = _pandas()
    try:
        with pandas.ExcelFile(stream, engine="openpyxl") as book:
            sheets = [str(name) for name in book.sheet_names]
            frame = pandas.read_excel(book, header=None, dtype=object)
    except ImportError as error:
        raise _missing(error) from None
    except Exception as error:  # openpyxl raises whatever damaged parts of the file cause
        raise InputError(f"The Excel file is damaged: {str(error)[:100]}.") from None
    cells = frame.astype(object).where(frame.notna(), None).to_numpy(dtype=object).tolist()
    table = table_of_cells(cells)
    if any(all(cell is None for cell in column) for column in table.columns):
        _check_formulas(stream)
    if len(sheets) > 1:
        note = SEVERAL.format(count=len(sheets), first=sheets[0])
        table.notes = [TableNote(note), *table.notes]
    return table


def _check_formulas(stream: BinaryIO) -> None:
    """Raise if the first sheet has formulas, which were read without values."""
    import openpyxl

    stream.seek(0)
    sheet = openpyxl.load_workbook(stream, read_only=True).worksheets[0]
    cells = (cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f")
    first = next(cells, None)
    if first is not None:
        raise InputError(
            f"The Excel file has formulas without their values, the first in {first.coordinate}. "
            "Open it in Excel or LibreOffice and save it, which writes the values."
        )


def _typed(kind: str) -> Callable[[BinaryIO], ColumnTable]:
    def read(stream: BinaryIO) -> ColumnTable:
        pandas = _pandas()
        try:
            frame = getattr(pandas, f"read_{kind}")(stream)
        except ImportError as error:
            raise _missing(error) from None
        except Exception as error:  # pyarrow raises whatever damaged parts of the file cause
            raise InputError(f"The {kind} file is damaged: {str(error)[:100]}.") from None
        levels = [i for i, name in enumerate(frame.index.names) if name is not None]
        names = [*(frame.index.names[i] for i in levels), *frame.columns]
        columns = [frame.index.get_level_values(i).to_numpy() for i in levels]
        columns += [frame.iloc[:, i].to_numpy() for i in range(frame.shape[1])]
        return ColumnTable([str(name) for name in names], columns)

    return read


@dataclass(frozen=True)
class Kind:
    """A kind of file that is no text."""

    start: bytes
    name: str
    read: Callable[[BinaryIO], ColumnTable] | None = None
    fix: str = "Save the table as CSV or xlsx."
    word: bool = False
    """Whether a text may start so; the file has control bytes, too, which a text has not."""

    def matches(self, start: bytes) -> bool:
        """Whether a file with this start is of this kind."""
        return start.startswith(self.start) and (CONTROL.search(start) is not None or not self.word)


KINDS = (
    Kind(b"PAR1", "a parquet file", _typed("parquet"), word=True),
    Kind(b"ARROW1", "a feather file", _typed("feather"), word=True),
    Kind(b"FEA1", "a feather file", _typed("feather"), word=True),
    Kind(b"%PDF-", "a PDF"),
    Kind(b"\x89PNG", "a picture (PNG)"),
    Kind(b"\xff\xd8\xff", "a picture (JPEG)"),
    Kind(b"GIF8", "a picture (GIF)", word=True),
    Kind(b"BZh", "a bzip2 archive", None, "Unpack it first: bunzip2 FILE.", word=True),
    Kind(b"\xfd7zXZ", "an xz archive", None, "Unpack it first: unxz FILE."),
    Kind(b"(\xb5/\xfd", "a zstd archive", None, "Unpack it first: unzstd FILE."),
    Kind(b"7z\xbc\xaf", "a 7z archive", None, "Unpack it first."),
    Kind(b"Rar!", "a RAR archive", None, "Unpack it first.", word=True),
    Kind(b"\x89HDF", "an HDF5 file", None, "Read it with pandas and call nalm.fit in Python."),
    Kind(b"\x93NUMPY", "a NumPy array", None, "Read it with numpy.load and call nalm.fit."),
    Kind(b"SQLite format 3", "an SQLite database", None, "Export its table as CSV."),
    Kind(b"MATLAB 5.0", "a MATLAB file", None, "Export its table as CSV."),
    Kind(b"\x80\x04", "a pickle, which could run code", None, "Save the table as CSV or parquet."),
    Kind(b"\x80\x05", "a pickle, which could run code", None, "Save the table as CSV or parquet."),
)
"""Kinds of files by their first bytes; zip and OLE files are looked into."""
ZIP, OLE, GZIP = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b"
PAGES = (b"<!doctype html", b"<html", b"<?xml")


def unpacked(stream: BinaryIO) -> BinaryIO:
    """Return the stream, or what a gzip file has in it."""
    if _start(stream)[:2] != GZIP:
        return stream
    try:
        with gzip.open(stream) as packed:
            data = packed.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"The gzip file is damaged: {error}.") from None
    if len(data) > LARGEST:
        raise InputError(f"A gzip file has at most {LARGEST // 2**30} GB in it; unpack it first.")
    return BytesIO(data)


def other_table(stream: BinaryIO) -> ColumnTable | None:
    """Return the table of a file that is no text in lines; None if it may be such a text.

    Whatever is no table is refused by name.
    """
    start = _start(stream)
    if start.startswith(ZIP):
        return _of_zip(stream)
    if start.startswith(OLE):
        raise _of_ole(stream)
    for kind in KINDS:
        if kind.matches(start):
            if kind.read is None:
                raise InputError(
                    f"The table is text or a sheet; the file is {kind.name}. {kind.fix}"
                )
            return kind.read(stream)
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.lower().startswith(PAGES):
        raise InputError(
            "The table is text or a sheet; the file is a web page or XML. "
            "Download the table itself, as CSV or xlsx."
        )
    if text[:1] in (b"[", b"{"):
        return _of_json(stream)
    return None


def _of_json(stream: BinaryIO) -> ColumnTable | None:
    try:
        text = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        stream.seek(0)
        return None
    stream.seek(0)
    return json_table(text)


def _of_zip(stream: BinaryIO) -> ColumnTable:
    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(f"The file is a zip archive that is damaged: {error}.") from None
    stream.seek(0)
    if any(name.startswith("xl/") for name in names):
        return _sheet(stream)
    if any(name.startswith("word/") for name in names):
        what = "a Word document. Copy its table into a sheet"
    elif "mimetype" in names:
        what = "an OpenDocument file. Save it as xlsx or CSV"
    else:
        what = f"a zip archive of {len(names)} files. Unpack it first"
    raise InputError(f"The table is text or a sheet; the file is {what}.")


def _of_ole(stream: BinaryIO) -> InputError:
    """Return why an old Office file is not read: new ones are such files if they are encrypted."""
    if "EncryptedPackage".encode("utf-16-le") in stream.read():
        return InputError(
            "The Excel file is protected with a password. Open it in Excel, remove the password "
            "(File, Info), and save it again."
        )
    return InputError(
        "The table is text or a sheet; the file is one of an old Excel or Word (.xls, .doc). "
        "Save it as xlsx or CSV."
    )


def _start(stream: BinaryIO) -> bytes:
    start = stream.read(SAMPLE)
    stream.seek(0)
    return start
