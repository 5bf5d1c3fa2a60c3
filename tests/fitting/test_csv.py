"""Reading tables: what is understood, and what is refused with its place and its fix."""

import io

import numpy as np
import pytest

from nalm.errors import InputError, TableError, UnknownNameError
from nalm.fitting.tables import text_rows
from nalm.fitting.tables.reading import read_table
from nalm.fitting.tables.table import TableData, TableNote


def read(
    text: str | bytes,
    target: str | None = None,
    features: list[str] | None = None,
    drop_missing: bool = False,
) -> TableData:
    data = text if isinstance(text, bytes) else text.encode()
    return read_table(
        io.BufferedReader(io.BytesIO(data)),  # pyright: ignore[reportArgumentType]
        target,
        features,
        drop_missing=drop_missing,
    )


def notes(data: TableData) -> list[str]:
    return [note.text for note in data.notes]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", ", ", "   "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_are_found(separator, end):
    lines = [("a", "b", "y"), ("1", "2.5", "3"), ("4", "-5e2", "6"), ("7", "8", "9")]
    data = read(end.join(separator.join(line) for line in lines))
    assert (data.names, data.target) == (("a", "b"), "y")
    np.testing.assert_array_equal(data.x, [[1, 2.5], [4, -500], [7, 8]])
    np.testing.assert_array_equal(data.y, [3, 6, 9])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_with_a_mark(encoding):
    data = read("größe,b,y\n1,2,3\n4,5,6\n".encode(encoding))
    assert data.names == ("größe", "b")


def test_a_decimal_comma():
    data = read("a;b;y\n1,5;2;3,25\n-4,5e1;5;6\n")
    np.testing.assert_array_equal(data.x, [[1.5, 2], [-45, 5]])
    assert "Numbers are read with a decimal comma." in notes(data)
    assert read("a;b;y\n1.5;2;3.25\n4;5;6\n").x[0, 0] == 1.5


def test_quoted_fields_and_names_with_anything_in_them():
    data = read('"a, kg",note,"say ""y"""\n"1","x\n,y",3\n2,"z",4\n', None, ["a, kg"])
    assert (data.names, data.target) == (("a, kg",), 'say "y"')
    np.testing.assert_array_equal(data.x, [[1], [2]])


def test_without_a_header_columns_are_numbered():
    data = read("1 2 3\n4 5 6\n", "1")
    assert (data.names, data.target) == (("x2", "x3"), "x1")
    np.testing.assert_array_equal(data.y, [1, 4])


def test_comments_are_skipped_and_may_have_the_names():
    text = "# made by some program\n# a b y\n1 2 3\n# in between\n4 5 6\n"
    data = read(text)
    assert (data.names, data.target, len(data.y)) == (("a", "b"), "y", 2)
    assert "The names are those of a comment: a, b, y." in notes(data)
    assert read(text.replace("# a b y\n", "")).names == ("x1", "x2")


def test_the_target_by_name_by_number_or_the_last():
    text = "a,b,y\n1,2,3\n4,5,6\n"
    assert read(text, "a").names == ("b", "y")
    assert read(text, "2").target == "b"
    assert read(text).notes == (TableNote("The target is the last column, 'y'.", "target"),)
    assert read(text, "y").notes == ()
    assert read(text, "y", ["b"]).names == ("b",)


def test_missing_rows_are_counted_and_left_out_on_request():
    text = "a,b,other,y\n1,2,x,3\n4,NA,x,6\n7,8,x,\n7,8,x,nan\n7,8,,9\n"
    with pytest.raises(TableError, match=r"3 of 5 rows .* line 3, column 'b'") as raised:
        read(text, features=["a", "b"])
    assert raised.value.fixes == {"drop_missing": True, "features": None}
    data = read(text, features=["a", "b"], drop_missing=True)
    assert data.left_out == 3
    np.testing.assert_array_equal(data.y, [3, 9])
    with pytest.raises(InputError, match="Every row has a missing value"):
        read("a,b,y\n1,,2\n,3,4\n", drop_missing=True)


def test_notes_about_equal_and_constant_columns():
    data = read("a,b,c,y\n1,3,1,1\n2,3,5,2\n", "y")
    assert data.names == ("a", "b", "c")
    assert data.x.shape == (2, 3)
    assert notes(data)[0].endswith("the rows say nothing about them: 'b'.")
    assert data.notes[1] == TableNote("Column 'a' equals the target 'y' in every row.", "features")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n \n# nothing\n", "the file is empty"),
        ("a,b,y\n", "a header and no rows"),
        ("1\n2\n3\n", "at least two columns"),
        ("a,b,a\n1,2,3\n", r"'a' is there more than once"),
        ("a,b,y\n1,2,3\n4,5\n", r"Every row has 3 fields.*line 3 has 2"),
        ("a,b,y\n1,2,3\n\n4,blue,5\n", r"column 'b' has 'blue' in line 4.*Leave the column out"),
        ("a,b,y\n1,2,3\n4,5,blue\n", r"column 'y' has 'blue' in line 3.*Choose another target"),
        ("a,b,y\n1,2,3\n4,inf,5\n", r"column 'b' has 'inf' in line 3"),
        ("a,b,y\n1,2,3\n4,1_000,5\n", r"column 'b' has '1_000' in line 3"),
        (b"a,b\x81\x8d,y\n1,2,3\n", r"UTF-8; received a byte 0x81"),
        (b"PK\x03\x04\xff\xfe\x00\x00", "a zip archive that is damaged"),
        ("a,b,y\n" + "9" * 200_000 + ",2,3\n", "field larger"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        read(text)


def test_columns_that_do_not_exist_or_cannot_be_chosen():
    text = "mass,Speed,y\n1,2,3\n4,5,6\n"
    with pytest.raises(UnknownNameError, match="Did you mean 'mass'"):
        read(text, "mas")
    with pytest.raises(InputError, match="Did you mean 'Speed'"):
        read(text, "speed")
    with pytest.raises(InputError, match="not one of the features; received 'y'"):
        read(text, "y", ["mass", "y"])
    with pytest.raises(InputError, match="different columns"):
        read(text, "y", ["mass", "mass"])


def test_large_files_are_read_in_chunks(monkeypatch):
    """The text of a few rows is held at once, and chunks give what one piece gives."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(500, 4))
    text = "a,b,c,y\n" + "\n".join(",".join(map(repr, row)) for row in table.tolist())
    monkeypatch.setattr(text_rows, "CELLS", 28)
    seen = []
    fromiter = np.fromiter
    monkeypatch.setattr(
        text_rows.np, "fromiter", lambda *given: seen.append(given[2]) or fromiter(*given)
    )
    data = read(text)
    assert max(seen) == 28
    np.testing.assert_array_equal(np.column_stack([data.x, data.y]), table)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("a,b,c\nm,s,m/s\n1,2,3\n4,blue,6\n", "If that line holds units"),
        ("a;b;c\n1;2;3\n7,177.35;2;3\n", "without separators between thousands"),
    ],
)
def test_lines_of_units_and_separated_thousands_are_told_apart_from_text(text, fix):
    with pytest.raises(InputError, match=fix):
        read(text)


def test_a_first_line_of_numbers_is_said_to_be_a_row():
    assert any("so it is a row" in note for note in notes(read("1,2,3\n2,5,7\n")))
