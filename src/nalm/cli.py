"""The command line: arguments in, a public function called, a table out."""

import json
import sys
from typing import Annotated

from cyclopts import App, Parameter

from nalm import __version__

OutputFile = Annotated[str | None, Parameter(name=["--output", "-o"])]
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
    _print(
        dict.fromkeys(("name", "operations", "parameters at 2 → 1", "class", "paper"), "left"),
        [
            [
                row["name"],
                " ".join(row["operations"]) or "none exactly",
                ", ".join(f"{n} {'×'.join(map(str, s))}" for n, s in row["parameters"].items()),
                row["class"],
                ", ".join(row["papers"]),
            ]
            for row in rows
        ],
    )


@app.command
def experiments(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List every published experiment, or say everything about one.

    Parameters
    ----------
    name
        The experiment to describe; all are listed if absent.
    as_json
        Print JSON instead of a table.
    """
    from nalm.catalogue import experiment_details, experiment_rows
    from nalm.errors import NalmError
    from nalm.progress import duration
    from nalm.sweep.estimate import MACHINE

    try:
        found = experiment_rows() if name is None else experiment_details(name)
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if as_json:
        print(json.dumps(found, indent=2))
        return
    if isinstance(found, dict):
        _print_details(found)
        return
    columns = {"name": "left", "what": "left", "cells": "right", "seeds": "right"}
    columns |= {"run-steps": "right", "time": "right", "published": "right", "source": "left"}
    _print(
        columns,
        [
            [
                row["name"],
                row["title"],
                str(row["cells"]),
                str(row["seeds"]),
                f"{row['run_steps']:.0e}",
                duration(row["seconds"]),
                str(row["published"]),
                row["source"],
            ]
            for row in found
        ],
    )
    print(f"Time: about, on all cores of this machine if they are like {MACHINE}.")
    print("Published: how many success rates of it are in print.")
    print("nalm experiments NAME says more about one, nalm bench NAME runs it.")
    print("nalm worked-examples computes the examples in print that need no training.")


@app.command
def worked_examples(*, as_json: Json = False) -> None:
    """Compute the worked examples in print: units with given weights, beside the printed numbers.

    Parameters
    ----------
    as_json
        Print JSON instead of a table.
    """
    from dataclasses import asdict

    from nalm.experiments.worked_examples import worked_examples as compute

    examples = compute()
    if as_json:
        rows = [{**asdict(example), "agrees": example.agrees} for example in examples]
        print(json.dumps(rows, indent=2))
        return
    columns = dict.fromkeys(("table", "case", "quantity"), "left")
    columns |= dict.fromkeys(("computed", "printed", "rounding"), "right") | {"": "left"}
    _print(
        columns,
        [
            [
                example.table,
                example.case,
                example.quantity,
                f"{example.computed:.6g}",
                f"{example.printed:.6g}",
                f"{example.rounding:.1g}",
                "agrees" if example.agrees else "differs",
            ]
            for example in examples
        ],
    )
    print("Rounding: how far the two may be apart, because all printed numbers are rounded.")


def _print_details(found: dict) -> None:
    from nalm.progress import duration
    from nalm.sweep.estimate import MACHINE

    print(f"{found['title']}\nSource: {found['source']}. {found['note']}".rstrip())
    for part in ("units", "ops", "ranges", "inputs", "settings"):
        if found[part]:
            print(f"--{part}: {'; '.join(map(str, found[part]))}")
    steps = " or ".join(f"{n:,}" for n in found["steps"])
    print(f"Size: {found['cells']} cells, {found['seeds']} seeds, {steps} steps.")
    about = duration(found["seconds"])
    print(f"Time: about {about} on all cores of this machine if they are like {MACHINE}.")
    if found["rates"]:
        columns = dict.fromkeys(("unit", "op", "range", "inputs", "setting"), "left")
        columns |= {"published": "right", "interval": "left", "source": "left"}
        keys = ("unit", "op", "range", "inputs", "setting")
        _print(
            columns,
            [
                [
                    *(str(rate[key]) for key in keys),
                    "" if rate["value"] is None else f"{rate['value']:.2f}",
                    " to ".join("" if rate[e] is None else f"{rate[e]:.2f}" for e in ENDS),
                    rate["source"],
                ]
                for rate in found["rates"]
            ],
        )
    print(f"Run it: {found['command']}")


ENDS = ("low", "high")


@app.command
def bench(
    experiment: str,
    *,
    units: str | None = None,
    ops: str | None = None,
    ranges: str | None = None,
    settings: str | None = None,
    inputs: str | None = None,
    seeds: int | None = None,
    steps: int | None = None,
    out: str | None = None,
    workers: int | None = None,
    as_json: Json = False,
) -> None:
    """Run a published experiment; the same command continues where it stopped.

    Parameters
    ----------
    experiment
        Its name, as nalm experiments lists it.
    units
        Units or models, separated by commas; all if absent. A unit of your own is FILE.py:CLASS.
    ops
        Operations, separated by commas.
    ranges
        Training ranges, such as U[1,2), separated by commas.
    settings
        Settings, as nalm experiments NAME lists them, separated by commas.
    inputs
        Numbers of inputs, separated by commas.
    seeds
        How many seeds, if not the published number.
    steps
        How many training steps, if not the published number; schedules keep their proportion.
    out
        The folder for the results; results/EXPERIMENT if absent.
    workers
        How many processes; one per core if absent.
    as_json
        Print JSON instead of a table.
    """
    from nalm.benchmark import bench as run
    from nalm.errors import NalmError
    from nalm.experiments.size import reduced
    from nalm.progress import Reporter

    folder = out or f"results/{experiment}"
    try:
        with Reporter(sys.stderr) as progress:
            table = run(
                experiment,
                units=_split(units),
                ops=_split(ops),
                ranges=_split(ranges),
                settings=_settings(settings, experiment),
                inputs=_numbers(inputs),
                seeds=seeds,
                steps=steps,
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
    small = () if as_json else reduced(table.rows)
    for note in table.notes:
        if note not in small:
            print(f"Note: {note}", file=sys.stderr)
    if as_json:
        print(json.dumps(table.records(), indent=2))
        return
    _print_table(table.records())
    for note in small:
        print(f"Reduced: {note}")
    print(f"Results in {folder}.")


@app.command
def report(
    *folders: str,
    output: OutputFile = None,
    figures: str | None = None,
    units: str | None = None,
) -> None:
    """Write one HTML page about results: charts, verdicts, curves, formulas.

    Parameters
    ----------
    folders
        Folders that nalm bench has written, or a folder with such folders in it.
    output
        The file to write; report.html in the folder if absent and there is one folder.
    figures
        A folder for the charts as SVG, PNG and PDF.
    units
        Units of your own, FILE.py:CLASS, separated by commas: their formulas are read with them.
    """
    from nalm.errors import NalmError
    from nalm.report import write_report
    from nalm.units.own import load_unit

    try:
        for unit in _split(units) or ():
            load_unit(unit)
        path = write_report(folders, output, figures=figures)
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"Written to {path}." + (f" Figures in {figures}." if figures else ""))


def _split(names: str | None) -> list[str] | None:
    """Return names separated by commas; those inside a range are part of it."""
    if names is None:
        return None
    found, depth = [""], 0
    for letter in names:
        depth += (letter in "[({") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [name.strip() for name in found]


def _settings(names: str | None, experiment: str) -> list[str] | None:
    """Return settings separated by commas; those that contain one are known by the experiment.

    >>> _settings("all, no l1,l2", "division-real-npu")
    ['all, no l1', 'l2']
    """
    from nalm.experiments import EXPERIMENTS

    parts = _split(names)
    if parts is None or experiment not in EXPERIMENTS:
        return parts
    known = {cell.setting for cell in EXPERIMENTS[experiment].cells()}
    found = []
    while parts:
        ends = [n for n in range(len(parts), 0, -1) if ", ".join(parts[:n]) in known]
        count = ends[0] if ends else 1
        found.append(", ".join(parts[:count]))
        parts = parts[count:]
    return found


def _numbers(names: str | None) -> list[int] | None:
    from nalm.errors import InputError

    parts = _split(names)
    if parts is None:
        return None
    for part in parts:
        if not part.isdecimal():
            raise InputError(f"--inputs takes whole numbers, such as 2,10; received {part!r}.")
    return [int(part) for part in parts]


def _print_table(rows: list[dict]) -> None:
    settings = any(row["setting"] for row in rows)
    columns = {"unit": "left", "op": "left", "range": "left"}
    several = len({row["inputs"] for row in rows}) > 1
    columns |= {"inputs": "right"} if several else {}
    columns |= {"setting": "left"} if settings else {}
    for name in ("solved", "rate", "95 % interval", "published", "solved at", "diverged"):
        columns[name] = "right"
    _print(columns, [_cells(row, settings, several) for row in rows])
    print("Solved at: the median step over the solved runs.")


def _cells(row: dict, settings: bool, several: bool) -> list[str]:
    solved_at, published = row["median_solved_at"], "" if row["verdict"] is None else row["verdict"]
    if row["published"] is not None:
        published = f"{row['published']:.2f} {published}"
    return [
        row["unit"],
        row["op"],
        row["range"],
        *([str(row["inputs"])] if several else []),
        *([row["setting"]] if settings else []),
        f"{row['successes']} of {row['runs']}",
        f"{row['rate']:.2f}",
        f"{row['low']:.2f} to {row['high']:.2f}",
        published,
        "never" if solved_at is None else f"{solved_at:,.0f}",
        str(row["diverged"]),
    ]


def _print(columns: dict[str, str], rows: list[list[str]]) -> None:
    """Print rows under columns, each with its side."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for column, side in columns.items():
        table.add_column(column, justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 160).print(table)
