"""What there is: units, experiments, worked examples."""

import json
import sys

from nalm.cli.app import Json, app
from nalm.cli.tables import print_rows

MOST_LISTED, FEW = 64, 6
"""How many values of an option are printed, and how many of more than that."""


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
    print_rows(
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
    print_rows(
        columns,
        [
            [
                row["name"],
                row["title"],
                str(row["cells"]),
                str(row["seeds"]),
                f"{row['run_steps']:.0e}",
                duration(row["seconds"]),
                str(row["published"])
                + (f" + {row['published_means']}" if row["published_means"] else ""),
                row["source"],
            ]
            for row in found
        ],
    )
    print(f"Time: about, on all cores of this machine if they are like {MACHINE}.")
    print("Published: how many success rates are in print + how many steps and sparsity errors.")
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
    print_rows(
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
            print(f"--{part}: {_listed(found[part])}")
    steps = " or ".join(f"{n:,}" for n in found["steps"])
    print(f"Size: {found['cells']} cells, {found['seeds']} seeds, {steps} steps.")
    about = duration(found["seconds"])
    print(f"Time: about {about} on all cores of this machine if they are like {MACHINE}.")
    _print_published(found["rates"], "success rate", ".2f")
    for quantity, form in (
        ("solved_at", ",.0f"),
        ("median_solved_at", ",.0f"),
        ("sparsity", ".2g"),
    ):
        means = [mean for mean in found["means"] if mean["quantity"] == quantity]
        _print_published(means, quantity, form)
    for key, title in found["sources"].items():
        print(f"{key}: {title}")
    if found["rates"]:
        print(
            "An interval without a value is all that the text says. Numbers of figures were read "
            "off them or follow from the text; their intervals are as wide as that needs."
        )
    print(f"Run it: {found['command']}")


def _print_published(rows: list[dict], title: str, form: str) -> None:
    """Print what is in print of a quantity, if anything is."""
    if not rows:
        return
    from nalm.experiments.size import PLACE

    columns = dict.fromkeys(PLACE, "left")
    columns |= {title: "right", "interval": "left", "source": "left"}
    print_rows(
        columns,
        [
            [
                *(str(row[key]) for key in PLACE),
                "" if row["value"] is None else f"{row['value']:{form}}",
                _interval(row, form),
                row["source"],
            ]
            for row in rows
        ],
    )


def _interval(row: dict, form: str) -> str:
    low, high = ("" if row[end] is None else f"{row[end]:{form}}" for end in ("low", "high"))
    return f"{low} to {high}" if low or high else ""


def _listed(values: list) -> str:
    """Return the values of an option; of very many, the first."""
    shown = [str(value) or '""' for value in values]
    if len(shown) <= MOST_LISTED:
        return "; ".join(shown)
    return f"{'; '.join(shown[:FEW])}; … ({len(shown)} in all, with --json)"
