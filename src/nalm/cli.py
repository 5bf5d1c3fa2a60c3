"""The command line: arguments in, a public function called, a table out."""

import json
import sys
from typing import Annotated

from cyclopts import App, Parameter

from nalm import __version__

app = App(
    name="nalm",
    help="Neural arithmetic: units that learn exact, readable formulas.",
    version=__version__,
    help_format="plaintext",
)


@app.command
def units(*, as_json: Annotated[bool, Parameter(name="--json", negative="")] = False) -> None:
    """List every unit: its name, operations, parameters and paper.

    Parameters
    ----------
    as_json
        Print JSON instead of a table.
    """
    from nalm.catalogue import unit_rows

    rows = unit_rows()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for column in ("name", "operations", "parameters at 2 → 1", "class", "paper"):
        table.add_column(column, overflow="fold")
    for row in rows:
        parameters = ", ".join(
            f"{name} {'×'.join(map(str, shape))}" for name, shape in row["parameters"].items()
        )
        operations = " ".join(row["operations"]) or "none exactly"
        papers = ", ".join(row["papers"])
        table.add_row(row["name"], operations, parameters, row["class"], papers)
    Console(width=None if sys.stdout.isatty() else 160).print(table)
