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

SEPARATORS = ("\t", ";", "|", ",", " ")
"""The last is any white space."""
LONGEST_UNIT = 20
"""The most letters of a unit."""
MISSING = frozenset(["", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "?", "-", "."])
WITH_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


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
    header = not all(_isnumber(cell) or is_missing(cell) for cell in rows[0])
    names = rows[0] if header else next(split_lines([comment], separator), [])
    named = len(names) == len(rows[0])
    names = names if named else [""] * len(rows[0])
    names = tuple(name.strip() or f"x{i + 1}" for i, name in enumerate(names))
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Columns have different names; {', '.join(twice)} is there more than once. "
            "Rename one in the first line."
        )
    body = [row for row in rows[header:] if len(row) == len(names)]
    units = header and has_units(body)
    if units:
        names, body = with_units(names, body[0]), body[1:]
    numeric = {
        name
        for i, name in enumerate(names)
        if all(_isnumber(row[i]) or is_missing(row[i]) for row in body)
    }
    decimal = _decimal(body, separator)
    commented = named and not header
    return Format(separator, decimal, names, header, commented, frozenset(numeric), titles, units)


def title_note(count: int, place: str) -> str:
    """Return what is said about lines or rows before the names.

    >>> title_note(1, "line")
    'The first line is a title and was skipped.'
    """
    if count == 1:
        return f"The first {place} is a title and was skipped."
    return f"The first {count} {place}s are a title and were skipped."


def title_lines(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows at the start have one field only, while most rows have more.

    >>> title_lines([["Run 7"], ["", ""], ["a", "b"], ["1", "2"], ["3", "4"]])
    2
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    if not filled or sorted(filled)[len(filled) // 2] < 2:
        return 0
    return next(i for i, count in enumerate(filled) if count > 1)


def has_units(body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row under the names holds units: text over numbers in every column.

    >>> has_units([["m", "m/s"], ["1", "2"], ["3", "4"]]), has_units([["1", "x"], ["2", "y"]])
    (True, False)
    """
    first, rest = (body[0], body[1:]) if len(body) > 1 else ([], [])
    texts = [i for i, cell in enumerate(first) if not is_missing(cell)]
    short = all(len(first[i].strip()) <= LONGEST_UNIT and not _isnumber(first[i]) for i in texts)
    return bool(texts) and short and all(_is_numeric([row[i] for row in rest]) for i in texts)


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether there are numbers among cells, and else only missing values."""
    numbers = [_isnumber(cell) for cell in cells if not is_missing(cell)]
    return bool(numbers) and all(numbers)


def with_units(names: Sequence[str], units: Sequence[str]) -> tuple[str, ...]:
    """Return names with the units of a row in brackets.

    >>> with_units(["mass", "n"], ["(kg)", "-"])
    ('mass [kg]', 'n')
    """
    pairs = zip(names, units, strict=True)
    return tuple(n if is_missing(u) else f"{n} [{u.strip().strip('()[]')}]" for n, u in pairs)


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
    """Yield the fields of each line; quoted ones may have the separator in them."""
    if separator == " ":
        return (line.split() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    commas = separator != "," and any(WITH_COMMA.fullmatch(cell) for cell in cells)
    return "," if commas and not any(WITH_POINT.fullmatch(cell) for cell in cells) else "."


def is_missing(cell: str) -> bool:
    """Whether a field says that there is no value."""
    return cell.strip().lower() in MISSING


def _isnumber(cell: str) -> bool:
    return parsed(cell.replace(",", ".")) is not None


def parsed(cell: str) -> float | None:
    """Return a number, or None: Python's 1_000 is none."""
    if is_missing(cell):
        return None
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None
