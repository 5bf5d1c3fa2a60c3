"""Run published experiments, and write pages about their results."""

import json
import sys

from nalm.cli import choices
from nalm.cli.app import Json, OutputFile, Whole, app
from nalm.cli.tables import print_rows


@app.command
def bench(
    experiment: str,
    /,
    *,
    units: str | None = None,
    ops: str | None = None,
    ranges: str | None = None,
    settings: str | None = None,
    inputs: str | None = None,
    seeds: Whole = None,
    steps: Whole = None,
    recipe: str = "published",
    out: str | None = None,
    workers: Whole = None,
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
    recipe
        published; lm for second-order steps; lm-warm for these from least-squares weights.
    out
        The folder for the results; results/EXPERIMENT if absent.
    workers
        How many processes; one per core if absent.
    as_json
        Print JSON instead of a table.
    """
    from nalm.benchmark import bench as run
    from nalm.errors import NalmError
    from nalm.experiments.size import resized
    from nalm.progress import Reporter

    folder = f"results/{experiment}" if out is None else out
    try:
        with Reporter(sys.stderr) as progress:
            table = run(
                experiment,
                units=choices.split(units),
                ops=choices.split(ops),
                ranges=choices.split(ranges),
                settings=choices.settings(settings, experiment),
                inputs=choices.numbers(inputs),
                seeds=seeds,
                steps=steps,
                recipe=recipe,
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
    sizes = resized(table.rows)
    for note in table.notes:
        if as_json or note not in sizes:
            print(note if note in sizes else f"Note: {note}", file=sys.stderr)
    if as_json:
        print(json.dumps(table.records(), indent=2))
        return
    _print_table(table.records())
    for note in sizes:
        print(note)
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
        for unit in choices.split(units) or ():
            load_unit(unit)
        path = write_report(folders, output, figures=figures)
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"Written to {path}." + (f" Figures in {figures}." if figures else ""))


def _print_table(rows: list[dict]) -> None:
    settings = any(row["setting"] for row in rows)
    columns = {"unit": "left", "op": "left", "range": "left"}
    several = len({row["inputs"] for row in rows}) > 1
    columns |= {"inputs": "right"} if several else {}
    columns |= {"setting": "left"} if settings else {}
    algebra = any(row["equal"] is not None for row in rows)
    equal = ("equal", "its interval") if algebra else ()
    for name in ("solved", "rate", "95 % interval", *equal, "published", "median step", "diverged"):
        columns[name] = "right"
    print_rows(columns, [_cells(row, settings, several, algebra) for row in rows])
    print("Median step: when the solved runs were first below the threshold.")
    if algebra:
        print(
            "Equal: runs whose formula is the target, by algebra; compared with what is in print."
        )


def _cells(row: dict, settings: bool, several: bool, algebra: bool) -> list[str]:
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
        *(_equal(row) if algebra else ()),
        published,
        "never" if solved_at is None else f"{solved_at:,.0f}",
        str(row["diverged"]),
    ]


def _equal(row: dict) -> tuple[str, str]:
    if row["equal"] is None:
        return "", ""
    return str(row["equal"]), f"{row['equal_low']:.2f} to {row['equal_high']:.2f}"
