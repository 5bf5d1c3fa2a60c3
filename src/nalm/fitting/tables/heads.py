"""What stands above the numbers of a table: titles, names, units."""

import re
from collections.abc import Sequence

from nalm.fitting.tables.fields import is_missing, is_number

LONGEST_UNIT = 20
"""The most letters of a unit."""
BRACKETED = re.compile(r"(?:\[[^\]]*\]|\([^)]*\)|\S)+")
"""A word, or brackets with spaces inside them."""


def title_note(count: int, place: str) -> str:
    """Return what is said about lines or rows before the names.

    >>> title_note(1, "line")
    'The first line is a title and was skipped.'
    """
    if count == 1:
        return f"The first {place} is a title and was skipped."
    return f"The first {count} {place}s are a title and were skipped."


def title_lines(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows at the start are titles.

    These have one field only, while most rows have more; or they name groups of columns, so they
    have fewer fields than the names below them.

    >>> title_lines([["Run 7"], ["", ""], ["a", "b"], ["1", "2"], ["3", "4"]])
    2
    >>> title_lines([["in", "", "out"], ["a", "b", "c"], ["1", "2", "3"], ["4", "5", "6"]])
    1
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    if not filled or sorted(filled)[len(filled) // 2] < 2:
        return 0
    first = next(i for i, count in enumerate(filled) if count > 1)
    texts = first
    while texts < len(rows) and not any(is_number(cell) for cell in rows[texts]):
        texts += 1
    if texts == len(rows):
        return first
    return filled.index(max(filled[first:texts], default=filled[first]), first)


def has_units(body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row under the names holds units: text over numbers in every column.

    >>> has_units([["m", "m/s"], ["1", "2"], ["3", "4"]]), has_units([["1", "x"], ["2", "y"]])
    (True, False)
    """
    first, rest = (body[0], body[1:]) if len(body) > 1 else ([], [])
    texts = [i for i, cell in enumerate(first) if not is_missing(cell)]
    short = all(len(first[i].strip()) <= LONGEST_UNIT and not is_number(first[i]) for i in texts)
    return bool(texts) and short and all(_is_numeric([row[i] for row in rest]) for i in texts)


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether there are numbers among cells, and else only missing values."""
    numbers = [is_number(cell) for cell in cells if not is_missing(cell)]
    return bool(numbers) and all(numbers)


def with_units(names: Sequence[str], units: Sequence[str]) -> tuple[str, ...]:
    """Return names with the units of a row in brackets.

    >>> with_units(["mass", "n"], ["(kg)", "-"])
    ('mass [kg]', 'n')
    """
    pairs = zip(names, units, strict=True)
    return tuple(n if is_missing(u) else f"{n} [{u.strip().strip('()[]')}]" for n, u in pairs)


def words(line: str) -> list[str]:
    """Return the words of a line; brackets with spaces inside them are one word."""
    return BRACKETED.findall(line) if "[" in line or "(" in line else line.split()


def words_with_units(line: str) -> list[str]:
    """Return the names in a line of words, each with the unit in brackets after it.

    >>> words_with_units("t [s]  p [kg m/s] n")
    ['t [s]', 'p [kg m/s]', 'n']
    """
    names: list[str] = []
    for word in words(line):
        if names and word[0] in "[(":
            names[-1] += f" {word}"
        else:
            names.append(word)
    return names
