"""Tables in other files than CSV, with headers as people write them, and what is no table."""

import gzip
import io
import json
import zipfile
from contextlib import suppress

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

from nalm.errors import InputError, NalmError, TableError
from nalm.fitting.tables.reading import opened, read_table
from nalm.fitting.tables.table import TableData

ROWS = np.random.default_rng(0).uniform(1, 3, (12, 3)).round(3)
NAMES = ["mass [kg]", " Größe\n(m) ", "y %"]
CLEAN = ("mass [kg]", "Größe (m)")


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=NAMES)


def sheet(cells: list[list[object]]) -> bytes:
    stream = io.BytesIO()
    pd.DataFrame(cells).to_excel(stream, header=False, index=False)
    return stream.getvalue()


def bytes_of(write: str, *arguments: object, **options: object) -> bytes:
    stream = io.BytesIO()
    getattr(frame(), write)(stream, *arguments, **options)
    return stream.getvalue()


def read(data: bytes, target: str | None = None, **options) -> TableData:
    return read_table(io.BytesIO(data), target, **options)


RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS.tolist()]
CSV = '"mass [kg]","Größe (m)","y %"\n' + "\n".join(",".join(map(str, r)) for r in ROWS.tolist())
FILES = {
    "xlsx": lambda: bytes_of("to_excel", index=False),
    "parquet": lambda: bytes_of("to_parquet"),
    "feather": lambda: bytes_of("to_feather"),
    "json of rows": lambda: json.dumps(RECORDS).encode(),
    "json of columns": lambda: str(frame().to_json()).encode(),
    "json of lists": lambda: json.dumps([NAMES, *ROWS.tolist()]).encode(),
    "json of pandas": lambda: str(frame().to_json(orient="split")).encode(),
    "json lines": lambda: "\n".join(map(json.dumps, RECORDS)).encode(),
    "csv in gzip": lambda: gzip.compress(CSV.encode()),
    "parquet in gzip": lambda: gzip.compress(bytes_of("to_parquet")),
    "csv of Windows": lambda: CSV.encode("cp1252"),
}


@pytest.mark.parametrize("kind", FILES)
def test_the_same_table_in_every_format(kind, tmp_path):
    path = tmp_path / "table"
    path.write_bytes(FILES[kind]())
    with opened(str(path)) as stream:
        data = read_table(stream)
    assert (data.names, data.target) == (CLEAN, "y %")
    np.testing.assert_array_equal(np.column_stack([data.x, data.y]), ROWS)


def test_windows_text_is_said():
    notes = [note.text for note in read(FILES["csv of Windows"]()).notes]
    assert "The text is no UTF-8 and was read as cp1252, as Windows writes it." in notes


def test_a_pipe_is_read_too():
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: object) -> int:
            raise OSError("a pipe")

    np.testing.assert_array_equal(read_table(Pipe(FILES["parquet"]())).y, ROWS[:, 2])


MESSY = [
    ["Spring balance, run 7", None, None, None],
    [None, None, None, None],
    ["force", "extension", None, "note"],
    ["(N)", "mm", None, None],
    [1.5, 3, None, "ok"],
    ["2.5", 5, None, None],
    [3.5, None, None, None],
    [None, None, None, None],
]


def test_titles_units_and_empty_columns_of_a_sheet():
    data = read(sheet(MESSY), "force", features=["extension"], drop_missing=True)
    assert (data.names, data.target, data.left_out) == (("extension [mm]",), "force [N]", 1)
    np.testing.assert_array_equal(data.y, [1.5, 2.5])
    notes = [note.text for note in data.notes]
    assert "The first 2 rows are a title and were skipped." in notes
    with pytest.raises(TableError, match=r"1 of 3 rows .* row 7, column 'extension \[mm\]'"):
        read(sheet(MESSY), "force", features=["extension"])
    with pytest.raises(TableError, match=r"column 'note' has 'ok' in row 5.*Leave the column out"):
        read(sheet(MESSY), "force")


def test_titles_and_units_of_a_text():
    text = "Spring balance\n\nforce;extension\nN;mm\n1,5;3\n2,5;5\n"
    data = read(text.encode(), "extension")
    assert (data.names, data.target) == (("force [N]",), "extension [mm]")
    np.testing.assert_array_equal(data.x, [[1.5], [2.5]])
    notes = [note.text for note in data.notes]
    assert notes[:2] == [
        "The first line is a title and was skipped.",
        "The line under the names holds units: force [N], extension [mm].",
    ]


def test_the_first_of_several_sheets():
    stream = io.BytesIO()
    with pd.ExcelWriter(stream) as book:
        frame().to_excel(book, sheet_name="data", index=False)
        frame().to_excel(book, sheet_name="more", index=False)
    note = "The file has 2 sheets; the first, 'data', is read."
    assert note in [n.text for n in read(stream.getvalue()).notes]


def archive(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name in names:
            made.writestr(name, "x")
    return stream.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (OLE + "EncryptedPackage".encode("utf-16-le"), "protected with a password.*remove"),
        (OLE + "Workbook".encode("utf-16-le"), r"an old Excel or Word.*Save it as xlsx"),
        (b"%PDF-1.7\n%\xe2\xe3", "the file is a PDF.*Save the table as CSV"),
        (archive("a.csv", "b.csv"), "a zip archive of 2 files. Unpack it first"),
        (archive("word/document.xml"), "a Word document"),
        (archive("mimetype", "content.xml"), "an OpenDocument file"),
        (archive("xl/workbook.xml"), "The Excel file is damaged"),
        (b"PAR1" + b"\x07" * 40, "The parquet file is damaged"),
        (b"ARROW1\0\0" + b"\x07" * 40, "The feather file is damaged"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "The gzip file is damaged"),
        (b"\x80\x04\x95\x10", "a pickle, which could run code"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"\x93NUMPY\x01\0", "numpy.load"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\x00\x01\x02,\x00", "bytes of 0"),
        (b'[{"a": 1, "b": ', "is JSON, but it does not parse"),
        (b'{"a": [1, 2], "b": [1]}', "one value per row"),
        (b"[[1, 2], [3]]", "the same number of fields"),
        (b"[" * 100_000, "JSON"),
        (b'{"a": 1, "b": 2}\n' + b"[" * 100_000, "no lists inside each other"),
        (b'{"a": 1, "b": 2}\n{"a": 1, "b"', "is JSON, but it does not parse"),
        (b'[\n {"a": 1, "b": 2},\n {"a": 2\n', "is JSON, but it does not parse"),
        (b"[[1, 2],\n[3, 4],\n", "is JSON, but it does not parse"),
        (b"FEA1\0\0\0\0", "The feather file is damaged"),
        (b"BZh91AY&SY\0", "a bzip2 archive"),
        (b"{}", "A table in JSON is a list of objects"),
        (b'[{"a": 1}, {"a": 2}]', "at least two columns"),
        (b'[{"a": 1, "b": "2026-01-01"}]', "column 'b' has '2026-01-01' in row 1"),
        (b"[]", "A table in JSON is"),
    ],
)
def test_what_is_no_table_is_named(data, message):
    with pytest.raises(InputError, match=message) as raised:
        read(data)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    "name", ["[Fe/H]", "{n}", "[3He/4He]", "PAR1", "FEA1", "ARROW1", "GIF8", "BZh", "Rar!"]
)
def test_names_that_look_like_another_file(name):
    data = read(f"{name},b,y\n1,2,3\n2,3,5\n".encode())
    assert (data.names, data.y.tolist()) == ((name, "b"), [3.0, 5.0])


@pytest.mark.parametrize("precision", ["us", "ns"])
def test_dates_and_texts_of_a_typed_file(precision):
    stream = io.BytesIO()
    dates = pd.date_range("2026-01-01", periods=3).astype(f"datetime64[{precision}]")
    pd.DataFrame({"day": dates, "a": [1, 2, 3], "y": [2.0, None, 4.0]}).to_parquet(stream)
    with pytest.raises(TableError, match="column 'day' has '2026-01-01"):
        read(stream.getvalue())
    with pytest.raises(TableError, match="1 of 3 rows have missing values"):
        read(stream.getvalue(), features=["a"])


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_an_index_with_a_name_is_a_column(kind):
    stream = io.BytesIO()
    given = frame().set_index(NAMES[0])
    if kind == "parquet":
        given.to_parquet(stream)
    else:  # pandas refuses to write it, pyarrow does not
        feather.write_feather(pa.Table.from_pandas(given), stream)
    data = read(stream.getvalue())
    assert (data.names, data.target) == (CLEAN, "y %")
    np.testing.assert_array_equal(np.column_stack([data.x, data.y]), ROWS)


def test_an_index_without_a_name_is_no_column():
    stream = io.BytesIO()
    frame()[frame()["y %"] > 1.5].to_parquet(stream)
    assert read(stream.getvalue()).names == CLEAN


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_durations_are_seconds_and_it_is_said(kind):
    stream = io.BytesIO()
    times = pd.to_timedelta([30, 90, None, 86400], "s")
    table = pd.DataFrame({"t": times, "y": [1.0, 2.0, 3.0, 4.0]})
    if kind == "parquet":
        table.to_parquet(stream)
    else:
        cells = [["t", "y"], *([None if pd.isna(t) else t, y] for t, y in table.to_numpy())]
        book = openpyxl.Workbook()
        for row in cells:
            book.worksheets[0].append(row)
        book.save(stream)
    data = read(stream.getvalue(), "y", drop_missing=True)
    assert data.x[:, 0].tolist() == [30.0, 90.0, 86400.0]
    assert data.numbers.tolist() == [1, 2, 4]
    assert "Durations are read in seconds: 't'." in [note.text for note in data.notes]


def test_columns_of_json_are_aligned_by_their_keys():
    data = read(b'{"a": {"0": 1, "1": 2}, "y": {"1": 3, "0": 4}}')
    assert (data.x[:, 0].tolist(), data.y.tolist()) == ([1.0, 2.0], [4.0, 3.0])
    with pytest.raises(InputError, match=r"have the same keys, .* 'a' has '1' and 'y' does not"):
        read(b'{"a": {"0": 1, "1": 2}, "y": {"0": 3}}')
    with pytest.raises(InputError, match="'y' has '2' and 'a' does not"):
        read(b'{"a": {"0": 1}, "y": {"0": 3, "2": 3}}')


@pytest.mark.parametrize("kind", [*FILES, "messy"])
def test_damaged_files_are_read_or_refused(kind):
    """Bytes changed, cut out and put in: an error of ours, or a table, and nothing else."""
    rng = np.random.default_rng(len(kind))
    whole = sheet(MESSY) if kind == "messy" else FILES[kind]()
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(int(rng.integers(1, 6))):
            place = int(rng.integers(len(data)))
            change = int(rng.integers(3))
            new = rng.bytes(int(rng.integers(1, 6)))
            data[place : place + (0, 1, 40)[change]] = new if change < 2 else b""
        with suppress(NalmError):
            assert len(read(bytes(data)).y) > 0


def test_damaged_archives_of_other_versions():
    data = bytearray(FILES["xlsx"]())
    place = data.rindex(b"PK\x01\x02")
    data[place + 6] = 0xC0
    with pytest.raises(InputError, match="a zip archive that is damaged"):
        read(bytes(data))


def test_a_table_inside_json_is_refused_for_what_it_is():
    with pytest.raises(
        InputError,
        match=r"^A table in JSON is .*; received an object of 'meta' \(object\) and 'data' "
        r"\(list\)\. Save the table alone\.$",
    ):
        read(b'{"meta": {"who": "me"}, "data": [{"a": 1, "y": 2}]}')


def test_one_wrong_field_is_not_the_fault_of_its_column():
    advice = "Correct that field, or take its row out of the file"
    with pytest.raises(TableError, match=rf"'a' has 'Mean' in line 4. {advice}"):
        read(b"a,b,y\n1,2,3\n2,3,4\nMean,2.5,3.5\n")
    with pytest.raises(TableError, match=rf"'y' has 'Mean' in row 3. {advice}"):
        read(b'{"a": [1, 2, 3], "y": [1, 2, "Mean"]}')
    with pytest.raises(TableError, match=r"'y' has '3.480,89' in line 3.*between thousands"):
        read(b"a;y\n1,5;2,5\n1,5;3.480,89\n")


def test_a_number_that_stands_for_a_missing_value_is_said():
    told = [note.text for note in read(b"T,c,y\n290,-40,1\n-999,-98,2\n310,-99,3\n").notes]
    (note,) = [text for text in told if "missing" in text]
    assert note.startswith("Column 'T' has -999 in 1 row, which may stand for a missing value")
