"""How a text file of numbers is written: found, not asked.

Rules: fields are separated by tabs, `;`, `|`, commas or white space, whichever divides the first
lines most evenly. Empty lines and lines that start with `#` are skipped. The first line has the
names, unless all of it is numbers; then the last comment before it has them if it has as many
fields, and columns are x1, x2, … otherwise. Numbers have a decimal comma if the separator is not a
comma and the first lines have such numbers and none with a point.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nalm.errors import InputError
from nalm.fitting.tables.fields import is_missing, is_number
from nalm.fitting.tables.heads import has_units, title_lines, with_units, words, words_with_units

SEPARATORS = ("\t", ";", "|", ",", " ")
"""The last is any white space."""
WITH_COMMA = re.compile(r"[+\-−]?\d*,\d+([eE][+-]?\d+)?")
WITH_POINT = re.compile(r"[+\-−]?\d*\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Format:
    """How a file is written."""

    separator: str
    decimal: str
    names: tuple[str, ...]
    header: bool
    """Whether the first line that is no comment has the names."""
    commented: bool
    """Whether a comment has the names."""
    numeric: frozenset[str]
    """The columns whose first values are all numbers or missing."""
    fields: int
    """How many fields a row has."""
    places: tuple[int, ...]
    """Which fields are columns; those without a name that are always empty are none."""
    titles: int = 0
    """How many lines before the names are a title."""
    units: bool = False
    """Whether the line under the names has their units."""


def format_of(lines: Sequence[str], comment: str = "") -> Format:
    """Return how a file is written, from its first lines and the comment before them."""
    separator = max(SEPARATORS, key=lambda s: _evenness(lines, s))
    rows = [row for row in split_lines(lines, separator) if row and row != [""]]
    titles = title_lines(rows) if "\n" not in "".join(c for row in rows for c in row) else 0
    rows = rows[titles:]
    if not rows or len(rows[0]) < 2:
        raise InputError(
            "A table has at least two columns, separated by commas, semicolons, tabs, | or spaces; "
            f"its first line has one: {lines[0].strip()[:60]!r}."
        )
    header = not all(is_number(cell) or is_missing(cell) for cell in rows[0])
    given = rows[0] if header else next(split_lines([comment], separator), [])
    body = rows[header:]
    fields = Counter(map(len, body)).most_common(1)[0][0] if body else len(given)
    given = _names(given, body, fields, separator)
    commented = not header and len(given) == fields
    if not header and not commented:
        given = [""] * fields
    fields = len(given)
    body = [row for row in body if len(row) == fields]
    units = header and has_units(body)
    if units:
        given, body = with_units(given, body[0]), body[1:]
    columns = [[row[i] for row in body] for i in range(fields)]
    places = [i for i, name in enumerate(given) if name.strip() or any(map(str.strip, columns[i]))]
    names = [given[i].strip() or f"x{i + 1}" for i in places]
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Columns have different names; {', '.join(twice)} is there more than once. "
            "Rename one in the first line."
        )
    numeric = {
        name
        for name, i in zip(names, places, strict=True)
        if all(is_number(cell) or is_missing(cell) for cell in columns[i])
    }
    return Format(
        separator,
        _decimal(body, separator),
        tuple(names),
        header,
        commented,
        frozenset(numeric),
        fields,
        tuple(places),
        titles,
        units,
    )


def _names(
    given: list[str], body: Sequence[Sequence[str]], fields: int, separator: str
) -> list[str]:
    """Return the names that a line gives to rows of so many fields.

    Names of words may have units in brackets after them, and a separator may end each row only, or
    the names only.
    """
    if separator == " " and len(given) != fields:
        return words_with_units(" ".join(given))
    if len(given) == fields + 1 and not given[-1].strip():
        return given[:-1]
    if len(given) == fields - 1 and not any(row[-1].strip() for row in body if len(row) == fields):
        return [*given, ""]
    return given


def _evenness(lines: Sequence[str], separator: str) -> float:
    """Return which share of the lines has the most common number of fields, if that is above 1."""
    try:
        counts = Counter(len(row) for row in split_lines(lines, separator) if row)
    except csv.Error:  # such as a whole long line as one field
        return 0.0
    if not counts:
        return 0.0
    fields, often = counts.most_common(1)[0]
    return often / counts.total() if fields > 1 else 0.0


def split_lines(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Yield the fields of each line; quoted ones, or brackets, may have the separator in them."""
    if separator == " ":
        return map(words, lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    commas = separator != "," and any(WITH_COMMA.fullmatch(cell) for cell in cells)
    return "," if commas and not any(WITH_POINT.fullmatch(cell) for cell in cells) else "."
