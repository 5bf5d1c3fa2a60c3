"""Columns of text that fit a width: some are left out, others wrapped between words."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

GAP = 2
"""Spaces between two columns."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    title
        Its head.
    cells
        One text per row.
    right
        Whether it is aligned to the right, as numbers are.
    optional
        0 for a column that is always shown; of the others, the largest is left out first.
    wraps
        Whether its texts may go on in the next line.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    optional: int = 0
    wraps: bool = False

    @property
    def width(self) -> int:
        """The length of its longest text."""
        return max(map(len, (self.title, *self.cells)))

    @property
    def least(self) -> int:
        """The length of its longest word if it wraps."""
        texts = (self.title, *self.cells)
        return max(len(word) for text in texts for word in text.split() or [""])


def text_table(columns: Sequence[Column], width: int = 80) -> str:
    """Return rows of text under their heads.

    Parameters
    ----------
    columns
        The columns, each with as many cells.
    width
        The most characters of a line, which only very long words exceed.

    Examples
    --------
    >>> print(text_table([Column("unit", ["nmu", "nau"]), Column("runs", ["25", "3"], right=True)]))
    unit  runs
    ----  ----
    nmu     25
    nau      3
    """
    shown = list(columns)
    while _total(shown) > width and any(column.optional for column in shown):
        shown.remove(max(shown, key=lambda column: column.optional))
    widths = [column.width for column in shown]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        slack = [
            (w - column.least) if column.wraps else 0
            for w, column in zip(widths, shown, strict=True)
        ]
        if not any(slack):
            break
        widest = max((w, i) for i, w in enumerate(widths) if slack[i])[1]
        widths[widest] -= 1
    lines = _lines(shown, widths, [column.title for column in shown])
    lines.append((" " * GAP).join("-" * w for w in widths))
    for row in zip(*(column.cells for column in shown), strict=True):
        lines += _lines(shown, widths, row)
    return "\n".join(lines)


def without_empty(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that say something."""
    return [column for column in columns if any(column.cells)]


def _total(columns: Sequence[Column]) -> int:
    return sum(c.least if c.wraps else c.width for c in columns) + GAP * (len(columns) - 1)


def _lines(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str]) -> list[str]:
    """Return one row, which takes several lines if a text wraps."""
    parts = [
        wrap(text, w, break_long_words=False, break_on_hyphens=False) or [""]
        for text, w in zip(row, widths, strict=True)
    ]
    height = max(map(len, parts))
    lines = []
    for i in range(height):
        texts = [part[i] if i < len(part) else "" for part in parts]
        aligned = [
            text.rjust(w) if column.right else text.ljust(w)
            for text, w, column in zip(texts, widths, columns, strict=True)
        ]
        lines.append((" " * GAP).join(aligned).rstrip())
    return lines
