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


def format_of(lines: Sequence[str], comment: str = "") -> Format:
    """Return how a file is written, from its first lines and the comment before them."""
    separator = max(SEPARATORS, key=lambda s: _evenness(lines, s))
    rows = [row for row in split_lines(lines, separator) if row and row != [""]]
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
    numeric = {
        name
        for i, name in enumerate(names)
        if all(_isnumber(row[i]) or is_missing(row[i]) for row in body)
    }
    decimal = _decimal(body, separator)
    return Format(separator, decimal, names, header, named and not header, frozenset(numeric))


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
