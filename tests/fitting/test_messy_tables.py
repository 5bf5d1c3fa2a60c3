"""Tables as people have them: odd spellings, titles over groups, remarks, Markdown, formulas."""

import io

import numpy as np
import openpyxl
import pytest

import nalm
from nalm.errors import InputError, TableError
from nalm.fitting.rows import multiples
from nalm.fitting.tables.reading import read_table
from nalm.fitting.tables.table import TableData


def read(text: str, **options) -> TableData:
    return read_table(io.BytesIO(text.encode()), **options)


def sheet(*rows: list[object]) -> io.BytesIO:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(stream)
    return stream


def notes(data: TableData) -> list[str]:
    return [note.text for note in data.notes]


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\ty\t\n1\t2\t3\t\n4\t5\t6\t\n",
        "a,b,y\n1,2,3,\n4,5,6,\n",
        "a,b,y,\n1,2,3\n4,5,6\n",
        "| a | b | y |\n|---|:--|--:|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n",
        "a  b  y\n== == ==\n1  2  3\n4  5  6\n",
    ],
)
def test_separators_at_the_ends_and_rulers_are_no_columns_and_rows(text):
    data = read(text)
    assert (data.names, data.target) == (("a", "b"), "y")
    assert (data.x.tolist(), data.y.tolist()) == ([[1, 2], [4, 5]], [3, 6])


def test_a_column_without_a_name_is_named_or_empty():
    assert read(",a,y\n7,1,2\n8,3,4\n").names == ("x1", "a")
    rows = "".join("1,2,\n" for _ in range(300))
    with pytest.raises(InputError, match=r"line 302 has '9' in one\. Name the column"):
        read(f"a,y,\n{rows}3,4,9\n")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# run 3\n# t [s]  x [m]  v\n1 2 3\n4 5 6\n", ("t [s]", "x [m]")),
        ("t [s]  x [m]  v\n1 2 3\n4 5 6\n", ("t [s]", "x [m]")),
        ("p  q  v\n[kg m/s] [m]  [1]\n1 2 3\n4 5 6\n", ("p [kg m/s]", "q [m]")),
    ],
)
def test_units_in_brackets_belong_to_the_word_before_them(text, names):
    data = read(text)
    assert data.names == names
    assert data.y.tolist() == [3, 6]


@pytest.mark.parametrize(
    ("field", "value"), [("−2.5", -2.5), ("1.5D+02", 150.0), ("TRUE", 1.0), ("false", 0.0)]
)
def test_other_spellings_of_numbers(field, value):
    assert read(f"a;y\n{field};1\n2.5;3\n").x[0, 0] == value


def test_a_decimal_comma_after_a_long_minus():
    assert read("a;y\n−2,5;−1\n2,5;3\n").x.tolist() == [[-2.5], [2.5]]


@pytest.mark.parametrize(
    ("field", "advice"),
    [
        ("12.5%", "Write the number without its sign, as 12.5 or 0.125 for 12.5%."),
        ("€3.55", "without the sign of the currency"),
        ("2024-01-31", "as the time since a start, such as a number of days"),
        ("31.1.2024", "as the time since a start"),
        ("01:30", "as one number, such as seconds"),
        ("<0.5", "Where only a limit is known, leave the field empty."),
        ("1,234,567", "without separators between thousands"),
    ],
)
def test_a_field_that_is_nearly_a_number_gets_advice(field, advice):
    text = f"a;b;y\n{field};1;2\n{field};2.5;3\n"
    with pytest.raises(TableError, match="column 'a' has") as raised:
        read(text)
    assert advice in str(raised.value)
    assert raised.value.fixes == {"features": ("b",)}
    with pytest.raises(TableError, match="Or choose another target") as raised:
        read(text, target="a")
    assert advice in str(raised.value)


def test_formula_errors_of_a_sheet_are_missing_values():
    text = "a,y\n1,2\n0,#DIV/0!\n2,4\n"
    assert read(text, drop_missing=True).left_out == 1
    with pytest.raises(TableError, match="1 of 3 rows have missing values, the first in line 3"):
        read(text)


def test_an_empty_column_is_named():
    with pytest.raises(TableError, match=r"^'b' has no values in any row") as raised:
        read("a,b,y\n1,,2\n3,,4\n", drop_missing=True)
    assert raised.value.fixes == {"features": ("a",)}
    with pytest.raises(TableError, match=r"^Column 'y' has no values"):
        read("a,b,y\n1,2,\n3,4,NA\n")


def test_names_of_groups_and_remarks_of_a_sheet():
    data = read_table(
        sheet(
            ["Ohmic heating", None, None],
            ["Inputs", None, "Output"],
            ["I (A)", "R (Ω)", "P (W)"],
            [1, 2, 2],
            [2, 3, 12],
            [None, None, None],
            ["operator: JS", None, None],
        )
    )
    assert (data.names, data.y.tolist()) == (("I (A)", "R (Ω)"), [2, 12])
    assert "The first 2 rows are a title and were skipped." in notes(data)
    assert "Remarks below the table were skipped: 'operator: JS'." in notes(data)


def test_names_of_groups_of_a_text():
    data = read("in,,out\na,b,y\n1,2,3\n2,3,5\n")
    assert (data.names, data.target, data.y.tolist()) == (("a", "b"), "y", [3, 5])


def test_formulas_without_values_are_said():
    with pytest.raises(InputError, match=r"formulas without their values, the first in C2\. Open"):
        read_table(sheet(["a", "b", "y"], [1, 2, "=A2*B2"], [2, 3, "=A3*B3"]))


def test_a_multiple_of_another_column_is_left_out_and_it_is_said():
    rows = np.random.default_rng(0).uniform(1, 3, (40, 2))
    table = {"m": rows[:, 0], "m [g]": 1000 * rows[:, 0], "v": rows[:, 1]}
    assert nalm.fit(table, rows[:, 0] * rows[:, 1] ** 2).text() == "m*v**2"
    table = {"m": rows[:, 0], "copy": rows[:, 0].copy(), "v": rows[:, 1]}
    assert nalm.fit(table, rows[:, 0] * rows[:, 1] ** 2).text() == "m*v**2"
    data = read("m,g,c,y\n1,1000,3,5\n2,2000,3,6\n4,4000,3,9\n")
    text = "The search leaves out columns that are a multiple of another: 'g' (of 'm')."
    assert text in notes(data)


def test_columns_that_are_nearly_multiples_stay():
    x = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [3.0, 6.0 + 1e-10, 0.0]])
    assert multiples(x) == {}
    assert multiples(np.array([[1.0, -2.0], [2.0, -4.0]])) == {1: 0}
