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

DOCS = Path(__file__).parents[1] / "docs"
COLUMNS = [
    "unit", "op", "range", "inputs", "setting", "runs", "successes", "rate", "low", "high",
    "diverged", "median_solved_at", "solved_at", "solved_at_low", "solved_at_high",
    "median_sparsity", "published", "published_low", "published_high", "verdict",
]  # fmt: skip
HEAD = """# Our results

Every number here was measured by the command above it, and `python benchmarks/catalogue.py` turned
the output of `nalm bench EXPERIMENT --json` into this page. The tables show how many runs
succeeded; their 95 % intervals, medians of solved-at, sparsity errors and published values are in
the CSV files in `docs/results/`. A tick means that our interval overlaps the published one, a cross
that it does not; cells without a mark have no published value. With 25 runs a 95 % interval is
[0.87, 1.00] for 25, [0.61, 0.91] for 20, [0.27, 0.63] for 11, [0.00, 0.13] for 0.

"""
MARKS = {"agrees": " ✓", "differs": " ✗", "not comparable": "", None: ""}


def main(folder):
    found = {
        path.stem: json.loads(path.read_text())
        for path in sorted(folder.glob("*.json"))
        if path.stat().st_size
    }
    chosen = {name: compared(name, rows) for name, rows in found.items() if name in EXPERIMENTS}
    ordered = {name: chosen[name] for name in EXPERIMENTS if name in chosen}
    text = HEAD + summary(ordered) + "".join(section(name, rows) for name, rows in ordered.items())
    notes = DOCS / "results" / "notes.md"
    (DOCS / "results.md").write_text(text + notes.read_text() if notes.exists() else text)
    for name, rows in ordered.items():
        with (DOCS / "results" / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow({name: short(row[name]) for name in COLUMNS})


def short(value):
    return f"{value:.4g}" if isinstance(value, float) else value


def summary(experiments):
    lines = ["| experiment | runs | diverged | agrees | differs |", "|---|---|---|---|---|"]
    for name, rows in experiments.items():
        verdicts = Counter(row["verdict"] for row in [*rows, *groups(name, rows)])
        runs, diverged = (sum(row[key] for row in rows) for key in ("runs", "diverged"))
        lines.append(
            f"| [{name}](#{name}) | {runs:,} | {diverged} | {verdicts['agrees']} "
            f"| {verdicts['differs']} |"
        )
    return "\n".join(lines) + "\n"


def section(name, rows):
    experiment = EXPERIMENTS[name]
    seeds = sorted({row["runs"] for row in rows})
    text = f"\n## {name}\n\n{experiment.title}. Source: {experiment.source}. {experiment.note}\n"
    text += f"`nalm bench {name}`: {', '.join(map(str, seeds))} runs a cell.\n"
    for op in dict.fromkeys(row["op"] for row in rows):
        text += "\n" + pivot([row for row in rows if row["op"] == op], op)
    found = groups(name, rows)
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
