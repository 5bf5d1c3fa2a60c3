"""Write docs/results.md from docs/results/*.csv, after taking in new results.

python benchmarks/catalogue.py [FOLDER]    # FOLDER/EXPERIMENT*.json of nalm bench EXPERIMENT --json

The CSV files are the record: a cell in a JSON file replaces that of the record, unless the record
was trained longer or has more runs of the same length. What the record has and the files have not,
stays. Cells of two experiments that are the same runs (model, task, recipe) have the same results.
"""

import csv
import json
import sys
from collections import Counter
from math import isnan
from pathlib import Path

from nalm.experiments import EXPERIMENTS
from nalm.experiments.compare import QUANTITIES, compared, groups, means
from nalm.experiments.size import PLACE, place_of, published_steps
from nalm.report.tables import QUANTITIES as QUANTITY_NAMES
from nalm.report.tables import with_interval

DOCS = Path(__file__).parents[1] / "docs"
IN_PRINT = ("published", "published_low", "published_high", "verdict")
COLUMNS = [
    *PLACE, "runs", "steps", "successes", "rate", "low", "high",
    "equal", "equal_low", "equal_high",
    "diverged", "median_solved_at", "median_solved_at_low", "median_solved_at_high",
    "solved_at", "solved_at_low", "solved_at_high",
    "median_sparsity", "sparsity", "sparsity_low", "sparsity_high", "sparsity_interval",
    *IN_PRINT, *(f"{quantity}_verdict" for quantity in QUANTITIES),
    "solved_at_each", "sparsity_each",
]  # fmt: skip
TEXTS = {"unit", "op", "range", "setting", "sparsity_interval"}
WHOLE = {"inputs", "runs", "steps", "successes", "equal", "diverged"}
LISTS = {"solved_at_each", "sparsity_each"}
HEAD = """# Our results

Every number here was measured by the command above it, and `python benchmarks/catalogue.py` turned
the output of `nalm bench EXPERIMENT --json` into this page. The tables show how many runs
succeeded, and of how many where that varies; their 95 % intervals, medians and means of solved-at,
sparsity errors and published values are in the CSV files in `docs/results/`. A tick means that our
interval overlaps the published one, a cross that it does not, a tilde that nothing can be said,
because other steps were trained or an interval is missing; cells without a mark have no published
value. What is in print is compared under our reading of it, and ours are other random numbers.
"Published size" means the seeds and steps of the source, or, where it names none, those of our
catalogue. With 25 runs a 95 % interval is [0.87, 1.00] for 25, [0.61, 0.91] for 20, [0.27, 0.63]
for 11, [0.00, 0.13] for 0.
Runs that belong to several experiments, such as the middle of a sweep, are counted in each.

The last column is about steps and sparsity errors of solved runs: how many means and medians in
print agree with ours, differ, or cannot be compared: of a median there must be six runs, and an
interval in print; some of our older results have too little left of each run.

"""
MARKS = {"agrees": " ✓", "differs": " ✗", "not comparable": " ~", None: ""}


def main(folder=None):
    for name, rows in results_in(folder).items() if folder else ():
        record(name, merged(recorded(name), rows))
    rows = {name: recorded(name) for name in EXPERIMENTS}
    found = {name: judged(name, merged(twins(name, rows), rows[name])) for name in EXPERIMENTS}
    kept = {name: rows for name, rows in found.items() if rows}
    for name, rows in kept.items():
        record(name, rows)
    text = HEAD + summary(kept) + "".join(section(name, rows) for name, rows in kept.items())
    notes = DOCS / "results" / "notes.md"
    (DOCS / "results.md").write_text(text + notes.read_text() if notes.exists() else text)


def results_in(folder):
    """Return the rows of each experiment: EXPERIMENT.json and EXPERIMENT.ANYTHING.json."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        name = path.name.split(".")[0]
        if name in EXPERIMENTS and path.stat().st_size:
            found.setdefault(name, []).extend(json.loads(path.read_text()))
    return found


def merged(old, new):
    """Return the cells of both; of one in both the longer, or else the one with as many runs."""
    cells = {}
    for row in [*old, *new]:
        mine = cells.get(place_of(row))
        if mine is None or (row["steps"], row["runs"]) >= (mine["steps"], mine["runs"]):
            cells[place_of(row)] = row
    return list(cells.values())


def twins(name, rows):
    """Return the rows of other experiments whose runs are those of a cell of this one."""
    mine = {}
    for cell in EXPERIMENTS[name].cells():
        mine.setdefault(runs_as(cell), []).append(cell)
    found = []
    for other in EXPERIMENTS.values():
        places = {place_of(row): row for row in rows[other.id]} if other.id != name else {}
        for cell in other.cells() if places else ():
            row = places.get(cell.place)
            if row and row["steps"] == cell.recipe.steps:
                same = [dict(zip(PLACE, t.place, strict=True)) for t in mine.get(runs_as(cell), ())]
                found += [row | place for place in same]
    return found


def runs_as(cell):
    """Return what the runs of a cell are, and how they are judged."""
    return cell.model, cell.task, cell.recipe, cell.threshold


def recorded(name):
    """Return the rows of the record, as `nalm bench --json` has them; none if there is no file."""
    path = DOCS / "results" / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            {name: read(name, row.get(name)) for name in COLUMNS} for row in csv.DictReader(file)
        ]


def record(name, rows):
    with (DOCS / "results" / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: short(row.get(name)) for name in COLUMNS})


def read(name, text):
    """Return a value of the record; None where there is none."""
    if name in TEXTS:
        return text
    if not text:
        return None
    if name in LISTS:
        return [float(number) for number in text.split()]
    if name.endswith("verdict"):
        return text
    return int(text) if name in WHOLE else float(text)


def short(value):
    """Return a value as the record has it."""
    if isinstance(value, list):
        return " ".join(f"{number:.6g}" for number in value)
    return f"{value:.6g}" if isinstance(value, float) and not isnan(value) else value


def judged(name, rows):
    """Return the rows with their verdicts, in the order of the experiment."""
    in_print = published_steps(EXPERIMENTS[name].cells())
    order = {place: i for i, place in enumerate(in_print)}
    known = [row for row in rows if place_of(row) in in_print]
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


def summary(experiments):
    lines = [
        "| experiment | seeds | steps | runs | diverged | agrees | differs | not comparable "
        "| steps and sparsity |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    total, total_means = Counter(), Counter()
    for name, rows in experiments.items():
        verdicts = Counter(row["verdict"] for row in [*rows, *grouped(name, rows)])
        of_means = Counter(mean["verdict"] for mean in means(rows))
        total += verdicts
        total_means += of_means
        runs, diverged = (sum(row[key] for row in rows) for key in ("runs", "diverged"))
        lines.append(
            f"| [{name}](#{name}) | {numbers(row['runs'] for row in rows)} "
            f"| {numbers(row['steps'] for row in rows)} | {runs:,} | {diverged} "
            f"| {verdicts['agrees']} | {verdicts['differs']} | {verdicts['not comparable']} "
            f"| {of_three(of_means)} |"
        )
    lines.append(
        f"| all | | | | | {total['agrees']} | {total['differs']} | {total['not comparable']} "
        f"| {of_three(total_means)} |"
    )
    absent = [f"`{name}`" for name in EXPERIMENTS if name not in experiments]
    text = "\n".join(lines) + "\n"
    return text + (f"\nNot run for this page: {', '.join(absent)}.\n" if absent else "")


def of_three(verdicts):
    """Return how many agree, differ and cannot be compared, if any are in print."""
    if not verdicts:
        return ""
    return " / ".join(str(verdicts[v]) for v in ("agrees", "differs", "not comparable"))


def section(name, rows):
    experiment = EXPERIMENTS[name]
    about = f"{experiment.title}. Source: {experiment.source}. {experiment.note}".strip()
    text = f"\n## {name}\n\n{about}\n`nalm bench {name}`: {size(name, rows)}\n"
    ops = list(dict.fromkeys(row["op"] for row in rows))
    if any(row.get("equal") is not None for row in rows):
        text += "\n" + by_operation(rows, ops)
    else:
        alike = len({row["runs"] for row in rows}) == 1
        for op in ops:
            text += "\n" + pivot([row for row in rows if row["op"] == op], op, alike)
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
    of_means = means(rows)
    return text + (table_of_means(of_means) if of_means else "")


def table_of_means(rows):
    """Return the steps and sparsity errors in print beside ours, and what is to be said of them."""
    text = "\nSteps and sparsity errors of solved runs that are in print, with 95 % intervals:\n\n"
    text += "| unit | op | range | what | solved | ours | published |\n" + "|---" * 7 + "|\n"
    for mean in rows:
        what = QUANTITY_NAMES[mean["quantity"]]
        what += ", their estimate" if mean["by_authors"] else ""
        kept = mean["ours"] is not None
        ours = with_interval(mean["ours"], mean["low"], mean["high"]) if kept else "not kept"
        theirs = with_interval(mean["published"], mean["published_low"], mean["published_high"])
        text += (
            f"| `{mean['unit']}` | {mean['op']} | {mean['range']} | {what} | {mean['solved']} "
            f"| {ours} | {theirs}{MARKS[mean['verdict']]} |\n"
        )
    return text


def pivot(rows, op, alike):
    """Return a table with a line per model and setting and a column per range.

    Where cells of the experiment have other numbers of runs (not `alike`), each says its own.
    """
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
            values.append("" if row is None else counted(row, alike))
        text += f"| `{line[0]}` | {line[1]} | {line[2]} | {' | '.join(values)} |\n"
    return text


def counted(row, alike):
    """Return how many runs of a cell succeeded, and what that says of a published rate."""
    of = "" if alike else f" of {row['runs']}"
    return f"{row['successes']}{of}{MARKS[row['verdict']]}"


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
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
