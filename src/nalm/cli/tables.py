"""Rows of text as a table on the terminal."""

from collections.abc import Sequence
from shutil import get_terminal_size

from nalm._internal.text_table import Column, text_table
from nalm.cli.printing import say


def print_rows(
    columns: dict[str, str], rows: list[list[str]], optional: Sequence[str] = ()
) -> None:
    """Print rows under columns, each with its side, as wide as the terminal.

    Columns that are `optional` are left out of a narrow one, the last first; texts wrap between
    words.
    """
    order = {title: i + 1 for i, title in enumerate(optional)}
    made = [
        Column(
            title,
            [row[i] for row in rows],
            right=side == "right",
            optional=order.get(title, 0),
            wraps=side != "right",
        )
        for i, (title, side) in enumerate(columns.items())
    ]
    say(text_table(made, get_terminal_size().columns))
