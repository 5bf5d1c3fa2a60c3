"""Rows of text as a table on the terminal."""

import sys


def print_rows(columns: dict[str, str], rows: list[list[str]]) -> None:
    """Print rows under columns, each with its side."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD)
    for column, side in columns.items():
        table.add_column(column, justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
