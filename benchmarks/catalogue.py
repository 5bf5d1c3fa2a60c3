"""Write docs/results.md and docs/results/*.csv from the JSON of `nalm bench EXPERIMENT --json`.

python benchmarks/catalogue.py FOLDER    # FOLDER/EXPERIMENT.json, one file an experiment
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

from nalm.experiments import EXPERIMENTS
from nalm.experiments.compare import compared, groups
from nalm.experiments.size import place_of, published_steps

DOCS = Path(__file__).parents[1] / "docs"
COLUMNS = [
    "unit", "op", "range", "inputs", "setting", "runs", "steps", "successes", "rate", "low", "high",
    "equal", "equal_low", "equal_high",
    "diverged", "median_solved_at", "solved_at", "solved_at_low", "solved_at_high",
    "median_sparsity", "sparsity_interval", "published", "published_low", "published_high",
    "verdict",
]  # fmt: skip
HEAD = """# Our results

Every number here was measured by the command above it, and `python benchmarks/catalogue.py` turned
the output of `nalm bench EXPERIMENT --json` into this page. The tables show how many runs
succeeded; their 95 % intervals, medians of solved-at, sparsity errors and published values are in
the CSV files in `docs/results/`. A tick means that our interval overlaps the published one, a cross
that it does not, a tilde that fewer steps were trained than published, so that nothing is said;
cells without a mark have no published value. What is in print is compared under our reading of it,
and ours are other random numbers. "Published size" means the seeds and steps of the source, or,
where it names none, those of our catalogue. With 25 runs a 95 % interval is
[0.87, 1.00] for 25, [0.61, 0.91] for 20, [0.27, 0.63] for 11, [0.00, 0.13] for 0.

"""
MARKS = {"agrees": " ✓", "differs": " ✗", "not comparable": " ~", None: ""}


def main(folder):
    found = {
        path.stem: json.loads(path.read_text())
        for path in sorted(folder.glob("*.json"))
        if path.stat().st_size
    }
    chosen = {name: judged(name, rows) for name, rows in found.items() if name in EXPERIMENTS}
    ordered = {name: chosen[name] for name in EXPERIMENTS if name in chosen}
    text = HEAD + summary(ordered) + "".join(section(name, rows) for name, rows in ordered.items())
    notes = DOCS / "results" / "notes.md"
    (DOCS / "results.md").write_text(text + notes.read_text() if notes.exists() else text)
    for name, rows in ordered.items():
        with (DOCS / "results" / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow({name: short(row.get(name)) for name in COLUMNS})


def judged(name, rows):
    """Return the rows with their steps and verdicts, in the order of the experiment."""
    in_print = published_steps(EXPERIMENTS[name].cells())
    order = {place: i for i, place in enumerate(in_print)}
    known = [
        {"sparsity_interval": None, **row, "steps": row.get("steps", in_print[place_of(row)])}
        for row in rows
        if place_of(row) in in_print
    ]
    other = {place_of(row) for row in known if row["steps"] != in_print[place_of(row)]}
    return sorted(compared(name, known, other), key=lambda row: order[place_of(row)])


def shortened(name, rows):
    in_print = published_steps(EXPERIMENTS[name].cells())
    return any(row["steps"] != in_print[place_of(row)] for row in rows)


def grouped(name, rows):
    return [] if shortened(name, rows) else groups(name, rows)


def size(name, rows):
    """Return the seeds and steps of an experiment, and what of it was not run."""
    experiment = EXPERIMENTS[name]
    in_print = published_steps(experiment.cells())
    seeds = numbers(row["runs"] for row in rows)
    steps = numbers(row["steps"] for row in rows)
    said = f"{seeds} runs a cell, {steps} steps: "
    reduced = [
        f"{ours} of {theirs} {unit}"
        for ours, theirs, unit in (
            (seeds, numbers([experiment.seeds]), "seeds"),
            (steps, numbers(in_print[place_of(row)] for row in rows), "steps"),
        )
        if ours != theirs
    ]
    said += f"reduced, {' and '.join(reduced)}." if reduced else "the published size."
    missing = set(in_print) - {place_of(row) for row in rows}
    if not missing:
        return said
    lines = dict.fromkeys(
        f"{unit} {setting}".strip() + f" with {inputs} inputs"
        for unit, _, _, inputs, setting in in_print
        if any(place[0] == unit and place[3:] == (inputs, setting) for place in missing)
    )
    return f"{said} Not run: {'; '.join(lines)} ({len(missing)} of {len(in_print)} cells)."


def numbers(values):
    return " or ".join(f"{value:,}" for value in sorted(set(values)))


def short(value):
    return f"{value:.4g}" if isinstance(value, float) else value


def summary(experiments):
    lines = [
        "| experiment | seeds | steps | runs | diverged | agrees | differs | not comparable |",
        "|---|---|---|---|---|---|---|---|",
    ]
    total = Counter()
    for name, rows in experiments.items():
        verdicts = Counter(row["verdict"] for row in [*rows, *grouped(name, rows)])
        total += verdicts
        runs, diverged = (sum(row[key] for row in rows) for key in ("runs", "diverged"))
        lines.append(
            f"| [{name}](#{name}) | {numbers(row['runs'] for row in rows)} "
            f"| {numbers(row['steps'] for row in rows)} | {runs:,} | {diverged} "
            f"| {verdicts['agrees']} | {verdicts['differs']} | {verdicts['not comparable']} |"
        )
    lines.append(
        f"| all | | | | | {total['agrees']} | {total['differs']} | {total['not comparable']} |"
    )
    absent = [f"`{name}`" for name in EXPERIMENTS if name not in experiments]
    text = "\n".join(lines) + "\n"
    return text + (f"\nNot run for this page: {', '.join(absent)}.\n" if absent else "")


def section(name, rows):
    experiment = EXPERIMENTS[name]
    about = f"{experiment.title}. Source: {experiment.source}. {experiment.note}".strip()
    text = f"\n## {name}\n\n{about}\n`nalm bench {name}`: {size(name, rows)}\n"
    ops = list(dict.fromkeys(row["op"] for row in rows))
    if any(row.get("equal") is not None for row in rows):
        text += "\n" + by_operation(rows, ops)
    else:
        for op in ops:
            text += "\n" + pivot([row for row in rows if row["op"] == op], op)
    found = grouped(name, rows)
    if found:
        text += "\nPublished means over groups of ranges:\n\n"
        text += "| unit | inputs | ranges | ours | published |\n|---|---|---|---|---|\n"
        for g in found:
            text += (
                f"| {g['unit']} | {g['inputs']} | {', '.join(g['ranges'])} | {g['successes']} of "
                f"{g['runs']} = {g['rate']:.2f} [{g['low']:.2f}, {g['high']:.2f}] "
                f"| {g['published']:.2f}{MARKS[g['verdict']]} |\n"
            )
    return text


def pivot(rows, op):
    """Return a table with a line per model and setting and a column per range."""
    ranges = list(dict.fromkeys(row["range"] for row in rows))
    lines = list(dict.fromkeys((row["unit"], row["inputs"], row["setting"]) for row in rows))
    cells = {(r["unit"], r["inputs"], r["setting"], r["range"]): r for r in rows}
    text = (
        f"| {op} | inputs | setting | {' | '.join(ranges)} |\n" + "|---" * (3 + len(ranges)) + "|\n"
    )
    for line in lines:
        values = []
        for r in ranges:
            row = cells.get((*line, r))
            values.append("" if row is None else f"{row['successes']}{MARKS[row['verdict']]}")
        text += f"| `{line[0]}` | {line[1]} | {line[2]} | {' | '.join(values)} |\n"
    return text


def by_operation(rows, ops):
    """Return a table with a line per composition and a column per model and setting."""
    models = list(dict.fromkeys((row["unit"], row["setting"]) for row in rows))
    cells = {(row["op"], row["unit"], row["setting"]): row for row in rows}
    heads = " | ".join(f"{unit} {setting}".strip() for unit, setting in models)
    text = "Runs whose formula is the target by algebra, with the 95 % interval of their share; in "
    text += "brackets, runs that pass the test.\n\n"
    text += f"| composition | {heads} |\n" + "|---" * (1 + len(models)) + "|\n"
    for op in ops:
        values = [composed(cells.get((op, *model))) for model in models]
        text += f"| {op} | {' | '.join(values)} |\n"
    return text


def composed(row):
    """Return a cell of a table of compositions."""
    if row is None:
        return ""
    interval = f"{row['equal_low']:.2f} to {row['equal_high']:.2f}"
    share = f"{row['equal']} of {row['runs']}, {interval} ({row['successes']})"
    return share + MARKS[row["verdict"]]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
