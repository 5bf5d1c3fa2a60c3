"""Tables in text files: lines and fields."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from nalm.errors import InputError
from nalm.fitting.tables.heads import title_note
from nalm.fitting.tables.table import TableNote
from nalm.fitting.tables.text_format import Format, format_of
from nalm.fitting.tables.text_rows import Chunk, fields, numbers

RULER = re.compile(r"[\s|+:=-]*(--|==)[\s|+:=-]*")
"""A line that only divides a table, as in Markdown."""
SAMPLE = 200
"""Lines from which the format is found."""


class TextTable:
    """The columns of a text, read a few rows at a time, once."""

    def __init__(self, text: Iterable[str]) -> None:
        comments: list[str] = []
        lines = _content(text, comments)
        sample = list(islice(lines, SAMPLE))
        if not sample:
            raise InputError("A table has a header and rows; the file is empty.")
        comment = comments[-1] if comments else ""
        self.form = format_of([line for _, line in sample], comment)
        self._lines = chain(sample[self.form.titles :], lines)

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""
        return self.form.names

    @property
    def notes(self) -> Sequence[TableNote]:
        """What the user may not expect of the format."""
        return _format_notes(self.form)

    def chunks(self, columns: Sequence[int]) -> Iterator[Chunk]:
        """Yield these columns as numbers, some rows at a time."""
        return numbers(fields(self._lines, self.form), columns, self.form)


def _content(text: Iterable[str], comments: list[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, and put comments at the start aside."""
    begun = False
    for number, line in enumerate(text, 1):
        if line.lstrip().startswith("#"):
            if not begun:
                comments.append(line.lstrip().lstrip("#").strip())
        elif (begun or line.strip()) and not RULER.fullmatch(line):
            begun = True
            yield number, line


def _format_notes(form: Format) -> list[TableNote]:
    notes = []
    if form.titles:
        notes.append(TableNote(title_note(form.titles, "line")))
    if form.commented:
        notes.append(TableNote(f"The names are those of a comment: {', '.join(form.names)}."))
    elif not form.header:
        notes.append(
            TableNote("The first line is numbers, so it is a row; the columns are x1, x2, …")
        )
    if form.units:
        notes.append(TableNote(f"The line under the names holds units: {', '.join(form.names)}."))
    if form.decimal == ",":
        notes.append(TableNote("Numbers are read with a decimal comma."))
    return notes
