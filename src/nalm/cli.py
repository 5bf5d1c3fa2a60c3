"""The command line: arguments in, a public function called, a table out."""

import json
import re
import sys
from typing import Annotated

from cyclopts import App, Parameter

from nalm import __version__

Json = Annotated[bool, Parameter(name="--json", negative="")]

app = App(
    name="nalm",
    help="Neural arithmetic: units that learn exact, readable formulas.",
    version=__version__,
    help_format="plaintext",
)


@app.command
def units(*, as_json: Json = False) -> None:
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


@app.command
def bench(
    experiment: str,
    *,
    units: str | None = None,
    ops: str | None = None,
    ranges: str | None = None,
    seeds: int = 25,
    steps: int | None = None,
    inputs: int = 2,
    out: str | None = None,
    workers: int | None = None,
    as_json: Json = False,
) -> None:
    """Run a published experiment; the same command continues where it stopped.

    Parameters
    ----------
    experiment
        Its name: single-module.
    units
        Units, separated by commas; all that can do the operation if absent.
    ops
        Operations, separated by commas.
    ranges
        Training ranges, such as U[1,2), separated by commas.
    seeds
        How many seeds.
    steps
        How many training steps, if not the published number.
    inputs
        How many inputs the unit has.
    out
        The folder for the results; results/EXPERIMENT if absent.
    workers
        How many processes; one per core if absent.
    as_json
        Print JSON instead of a table.
    """
    from nalm.benchmark import bench as run
    from nalm.errors import NalmError
    from nalm.progress import Reporter

    folder = out or f"results/{experiment}"
    try:
        with Reporter(sys.stderr) as progress:
            table = run(
                experiment,
                units=_split(units),
                ops=_split(ops),
                ranges=_split(ranges),
                seeds=seeds,
                steps=steps,
                inputs=inputs,
                out=folder,
                workers=workers,
                progress=progress,
            )
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print(f"Interrupted. The same command goes on from {folder}.", file=sys.stderr)
        sys.exit(130)
    for note in table.notes:
        print(f"Note: {note}", file=sys.stderr)
    if as_json:
        print(json.dumps(table.records(), indent=2))
    else:
        _print_table(table.records())
        print(f"Results in {folder}.")


def _split(names: str | None) -> list[str] | None:
    """Return names separated by commas; those inside a range are part of it."""
    return None if names is None else re.split(r",(?![^\[]*\))", names)


def _print_table(rows: list[dict]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    columns = ("unit", "op", "range", "solved", "rate", "95 % interval", "solved at", "diverged")
    for column in columns:
        table.add_column(column, justify="left" if column in columns[:3] else "right")
    for row in rows:
        solved_at = row["median_solved_at"]
        table.add_row(
            row["unit"],
            row["op"],
            row["range"],
            f"{row['successes']} of {row['runs']}",
            f"{row['rate']:.2f}",
            f"{row['low']:.2f} to {row['high']:.2f}",
            "never" if solved_at is None else f"{solved_at:,.0f}",
            str(row["diverged"]),
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    print("Solved at: the median step over the solved runs.")
