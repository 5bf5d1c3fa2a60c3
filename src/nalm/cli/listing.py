"""What there is: units, experiments, worked examples."""

import json
import sys

from nalm.cli.app import Json, app
from nalm.cli.printing import complain, say
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
    from nalm.cli.catalogue import unit_rows

    rows = unit_rows()
    if as_json:
        say(json.dumps(rows, indent=2))
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
        optional=("paper", "class"),
    )


@app.command
def experiments(
    name: str | None = None, /, *, workers: int | None = None, as_json: Json = False
) -> None:
    """List every published experiment, or describe one.

    Parameters
    ----------
    name
        The experiment to describe; all are listed if absent.
    workers
        How many workers the times are for; all cores of this machine if absent.
    as_json
        Print JSON instead of a table.
    """
    from nalm._internal.progress import duration
    from nalm.errors import NalmError
    from nalm.experiments.listing import catalogue_seconds, experiment_details, experiment_rows
    from nalm.sweeps.duration import MACHINE

    try:
        found = experiment_rows(workers) if name is None else experiment_details(name, workers)
    except NalmError as error:
        complain(error)
        sys.exit(2)
    if as_json:
        say(json.dumps(found, indent=2))
        return
    if isinstance(found, dict):
        _print_details(found)
        return
    columns = {"name": "left", "what": "left", "cells": "right", "seeds": "right"}
    columns |= {"time": "right", "published": "right", "source": "left"}
    print_rows(
        columns,
        [
            [
                row["name"],
                row["title"],
                str(row["cells"]),
                str(row["seeds"]),
                duration(row["seconds"]),
                str(row["published"])
                + (f" + {row['published_means']}" if row["published_means"] else ""),
                row["source"],
            ]
            for row in found
        ],
        optional=("published", "source"),
    )
    where = "all cores of this machine" if workers is None else f"{workers} cores"
    say(f"Time: about, on {where} if they are like {MACHINE}.")
    if workers is not None:
        say(f"All experiments together: about {duration(catalogue_seconds(workers))}.")
    say("Published: how many success rates + how many steps and sparsity errors.")
    say("nalm experiments NAME describes one, nalm bench NAME runs it.")
    say("nalm worked-examples computes published examples that need no training.")


@app.command
def worked_examples(*, as_json: Json = False) -> None:
    """Compute the published worked examples: units with given weights, beside printed numbers.

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
        say(json.dumps(rows, indent=2))
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
    say("Rounding: how far the two may be apart, because all printed numbers are rounded.")


def _print_details(found: dict) -> None:
    from nalm._internal.progress import duration
    from nalm.sweeps.duration import MACHINE

    say(f"{found['title']}\nSource: {found['source']}. {found['note']}".rstrip())
    for part in ("units", "ops", "ranges", "inputs", "settings"):
        if found[part]:
            say(f"--{part}: {_listed(found[part])}")
    steps = " or ".join(f"{n:,}" for n in found["steps"])
    say(f"Size: {found['cells']} cells, {found['seeds']} seeds, {steps} steps.")
    about = duration(found["seconds"])
    say(f"Time: about {about} on all cores of this machine if they are like {MACHINE}.")
    _print_published(found["rates"], "success rate", ".2f")
    for quantity, form in (
        ("solved_at", ",.0f"),
        ("median_solved_at", ",.0f"),
        ("sparsity", ".2g"),
    ):
        means = [mean for mean in found["means"] if mean["quantity"] == quantity]
        _print_published(means, quantity, form)
    for key, title in found["sources"].items():
        say(f"{key}: {title}")
    if found["rates"]:
        say(
            "An interval without a value is all that the text gives. Values from figures have "
            "intervals that include the uncertainty of reading them."
        )
    say(f"Run it: {found['command']}")


def _print_published(rows: list[dict], title: str, form: str) -> None:
    """Print what is published of a quantity, if anything is."""
    if not rows:
        return
    from nalm.sweeps import CellKey

    fields = [name for name in CellKey._fields if len({row[name] for row in rows}) > 1]
    sources = list(dict.fromkeys(row["source"] for row in rows))
    columns = dict.fromkeys(fields, "left")
    columns |= {title: "right", "interval": "left", "source": "left"}
    print_rows(
        columns,
        [
            [
                *(str(row[name]) for name in fields),
                "" if row["value"] is None else f"{row['value']:{form}}",
                _interval(row, form),
                f"[{sources.index(row['source']) + 1}]",
            ]
            for row in rows
        ],
    )
    for number, source in enumerate(sources, start=1):
        say(f"[{number}] {source}")


def _interval(row: dict, form: str) -> str:
    low, high = ("" if row[end] is None else f"{row[end]:{form}}" for end in ("low", "high"))
    return f"{low} to {high}" if low or high else ""


def _listed(values: list) -> str:
    """Return the values of an option; of very many, the first."""
    shown = [str(value) or '""' for value in values]
    if len(shown) <= MOST_LISTED:
        return "; ".join(shown)
    return f"{'; '.join(shown[:FEW])}; … ({len(shown)} in all, with --json)"
