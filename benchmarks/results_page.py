"""Write docs/results.md from the record, after adding new results to it.

python -m benchmarks.results_page [FOLDER]

FOLDER has the output of `nalm bench EXPERIMENT --json` in files EXPERIMENT.json or
EXPERIMENT.ANYTHING.json. Cells of two experiments with the same runs (model, task, recipe) have the
same results.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.record import FOLDER, Record, read_json, read_record, updated, write_record

from nalm.experiments import EXPERIMENTS
from nalm.experiments.comparison import groups
from nalm.report.numbers import bounds, rate, with_interval
from nalm.report.summary import Verdicts, count_verdicts, mean_rows, means, rates
from nalm.sweeps.statistics import Verdict
from nalm.sweeps.types import CellSummary, Comparison, GroupSummary

HEAD = """# Results

Our runs of the published experiments, beside the published values: what each experiment is, how
many published values agree, and notes. The numbers are data: each section links its CSV file, which
has every cell with 95 % intervals, medians and means. The site (`make docs`) shows them as tables,
with these marks:

- ✓ our 95 % interval overlaps the published one: they agree
- ✓ wide: they agree, but one of the intervals is wider than 0.5, which is weak evidence
- ✗ the intervals do not overlap: they differ
- ~ not comparable: another number of steps was trained, or there is no interval
- no mark: nothing is published for this cell

With 25 runs the 95 % interval of a success rate is [0.87, 1.00] for 25 successes, [0.61, 0.91] for
20, [0.27, 0.63] for 11, and [0.00, 0.13] for 0. "Published size" means the seeds and steps of the
source, or those of our definition of the experiment where the source states none. We read the
sources as the notes of each experiment explain, and train with other random numbers than the
authors. Runs that belong to several experiments are counted in each of them.

To repeat an experiment, run `nalm bench EXPERIMENT`. To update this page, run
`nalm bench EXPERIMENT --json > FOLDER/EXPERIMENT.json` and then
`python -m benchmarks.results_page FOLDER` and `python -m benchmarks.papers_page`. What holds of
each paper, statements included, is in [papers.md](papers.md).

Where to find published tables: table 5.6 of the thesis (mistry2023) is in `division`,
`division-mixed-signs` and `division-distributions` (means over groups of ranges). Of the NAU and
NMU paper (madsen2020), table 1 is in `ten-parameters`, tables 2 and 6 are in `arithmetic-dataset`,
table 5 is in `gating`. The command `nalm experiments` lists all sources.

## Summary

The verdicts "agrees", "differs" and "not comparable" are about success rates. The last column
counts the same three verdicts for the published steps and sparsity errors of solved runs. A median
is comparable if we have at least six runs and its interval is published. For some of our older
results too little of each run was stored to compare it.

"""
IMAGES = "[images.md](images.md#our-results)"
MARKS = {Verdict.AGREES: " ✓", Verdict.DIFFERS: " ✗", Verdict.INCOMPARABLE: " ~"}


def main(folder: Path | None = None) -> None:
    record = updated(read_record(), read_json(folder) if folder else {})
    write_record(record)
    remarks = notes((FOLDER / "notes.md").read_text(encoding="utf-8"))
    (FOLDER.parent / "results.md").write_text(page(record, remarks), encoding="utf-8")


def page(record: Record, remarks: dict[str, str]) -> str:
    """Return the page: a summary, and a section for each experiment that was run."""
    run = {name: cells for name, cells in record.items() if cells}
    sections = [section(name, cells, remarks.get(name, "")) for name, cells in run.items()]
    return (
        HEAD + summary(run) + others(name for name in record if name not in run) + "".join(sections)
    )


def others(names: Iterable[str]) -> str:
    """Return which experiments were run on the small digits only, and which were not."""
    groups: dict[bool, list[str]] = {True: [], False: []}
    for name in names:
        groups[(FOLDER / "digits" / f"{name}.csv").exists()].append(f"`{name}`")
    small, absent = (", ".join(groups[on_digits]) for on_digits in (True, False))
    text = (
        f"\nRun on the 8×8 digits only, at a reduced size ({IMAGES}): {small}.\n" if small else ""
    )
    return text + (f"\nNot run: {absent}.\n" if absent else "")


def notes(text: str) -> dict[str, str]:
    """Return the notes on each experiment, by its name."""
    parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
    for name, _, _ in parts:
        if name not in EXPERIMENTS:
            raise SystemExit(f"docs/results/notes.md has notes on {name!r}, no known experiment.")
    return {name: body.strip() for name, _, body in parts}


def table(heads: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    head, *rows = (f"| {' | '.join(map(str, row))} |\n" for row in (heads, *lines))
    return "".join([head, "|---" * len(heads) + "|\n", *rows])


def numbers(values: Iterable[int]) -> str:
    return " or ".join(f"{value:,}" for value in sorted(set(values)))


def summary(record: Record) -> str:
    """Return a table with a line for each experiment, and one for all."""
    lines = [
        (
            f"[{name}](#{name})",
            numbers(cell.runs for cell in cells),
            numbers(cell.steps for cell in cells),
            f"{sum(cell.runs for cell in cells):,}",
            sum(cell.diverged for cell in cells),
            *verdict_columns(rates(cells, groups(name, cells)), means(cells)),
        )
        for name, cells in record.items()
    ]
    all_rates = [c for name, cells in record.items() for c in rates(cells, groups(name, cells))]
    all_means = [c for cells in record.values() for c in means(cells)]
    total = ("all", "", "", "", "", *verdict_columns(all_rates, all_means))
    heads = ("experiment", "seeds", "steps", "runs", "diverged")
    heads += ("agrees", "differs", "not comparable", "steps and sparsity")
    return table(heads, [*lines, total])


def verdict_columns(
    of_rates: Sequence[Comparison], of_means: Sequence[Comparison]
) -> tuple[object, ...]:
    """Return the three counts for rates, and those for steps and sparsity errors as one text."""
    mine, others = count_verdicts(of_rates), count_verdicts(of_means)
    three = f"{others.agree} / {others.differ} / {others.incomparable}" if others.total else ""
    return mine.agree, mine.differ, mine.incomparable, three


def section(name: str, cells: Sequence[CellSummary], remarks: str) -> str:
    """Return what is said about one experiment; its numbers are in its file."""
    experiment = EXPERIMENTS[name]
    about = f"{experiment.title}. Source: {experiment.source}. {experiment.note}".rstrip()
    text = f"\n## {name}\n\n{about}\n\nCommand: `nalm bench {name}`. Size: {size(name, cells)}"
    text += f"{verdict_sentence(count_verdicts(rates(cells, groups(name, cells))))} "
    text += f"Data: [{name}.csv](results/{name}.csv).\n"
    return text + (f"\nNotes:\n\n{remarks}\n" if remarks else "")


def tables(name: str, cells: Sequence[CellSummary]) -> str:
    """Return the numbers of one experiment as tables, for a page of the site."""
    grouped = groups(name, cells)
    text = ""
    if any(cell.equal is not None for cell in cells):
        text += "\n" + compositions(cells)
    else:
        alike = len({cell.runs for cell in cells}) == 1
        for op in dict.fromkeys(cell.key.op for cell in cells):
            text += "\n" + operation([cell for cell in cells if cell.key.op == op], op, alike)
    text += groups_table(grouped) if grouped else ""
    return text + (means_table(cells) if means(cells) else "")


def size(name: str, cells: Sequence[CellSummary]) -> str:
    """Return the seeds and steps of an experiment, and what of it was not run."""
    published = EXPERIMENTS[name].sizes
    seeds, steps = numbers(cell.runs for cell in cells), numbers(cell.steps for cell in cells)
    reduced = [
        f"{ours} of {theirs} {what}"
        for ours, theirs, what in (
            (seeds, numbers([EXPERIMENTS[name].seeds]), "seeds"),
            (steps, numbers(published[cell.key].steps for cell in cells), "steps"),
        )
        if ours != theirs
    ]
    text = f"{seeds} runs per cell, {steps} steps, "
    text += f"reduced to {' and '.join(reduced)}." if reduced else "the published size."
    missing = set(published) - {cell.key for cell in cells}
    if not missing:
        return text
    models = {(key.unit, key.inputs, key.setting) for key in missing}
    lines = dict.fromkeys(
        f"{key.unit} {key.setting}".strip() + f" with {key.inputs} inputs"
        for key in published
        if (key.unit, key.inputs, key.setting) in models
    )
    return f"{text} Not run: {'; '.join(lines)} ({len(missing)} of {len(published)} cells)."


def verdict_sentence(verdicts: Verdicts) -> str:
    """Return how many published success rates agree, as a sentence; none without any."""
    counts = (
        (verdicts.agree, "agree"),
        (verdicts.differ, "differ"),
        (verdicts.incomparable, "are not comparable"),
    )
    listed = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f" Published success rates: {listed}." if listed else ""


def mark(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    return MARKS[comparison.verdict] + (" wide" if comparison.wide else "")


def operation(cells: Sequence[CellSummary], op: str, alike: bool) -> str:
    """Return a table with a line per model and setting and a column per range.

    Unless all cells of the experiment have the same number of runs (`alike`), each shows its own.
    """
    ranges = list(dict.fromkeys(cell.key.range for cell in cells))
    lines: dict[tuple[str, int, str], dict[str, CellSummary]] = {}
    for cell in cells:
        line = (cell.key.unit, cell.key.inputs, cell.key.setting)
        lines.setdefault(line, {})[cell.key.range] = cell
    settings = any(setting for _, _, setting in lines)
    return table(
        (f"`{op}`", "inputs", *(("setting",) if settings else ()), *ranges),
        (
            (
                f"`{unit}`",
                inputs,
                *((setting,) if settings else ()),
                *(solved(found[r], alike) if r in found else "" for r in ranges),
            )
            for (unit, inputs, setting), found in lines.items()
        ),
    )


def solved(cell: CellSummary, alike: bool) -> str:
    """Return how many runs of a cell succeeded, with the mark of its verdict."""
    return f"{cell.successes}{'' if alike else f' of {cell.runs}'}{mark(cell.comparison())}"


def compositions(cells: Sequence[CellSummary]) -> str:
    """Return a table with a line per composition and a column per model and setting."""
    models = list(dict.fromkeys((cell.key.unit, cell.key.setting) for cell in cells))
    found = {(cell.key.op, cell.key.unit, cell.key.setting): cell for cell in cells}
    text = "Runs whose formula equals the target by algebra, with the 95 % interval of their rate. "
    text += "In brackets: runs whose test error is below the threshold.\n\n"
    return text + table(
        ("composition", *(f"{unit} {setting}".strip() for unit, setting in models)),
        (
            (op, *(learned(found.get((op, *model))) for model in models))
            for op in dict.fromkeys(cell.key.op for cell in cells)
        ),
    )


def learned(cell: CellSummary | None) -> str:
    """Return a cell of a table of compositions."""
    if cell is None or cell.equal_rate is None:
        return ""
    share = f"{cell.equal} of {cell.runs}, {bounds(cell.equal_rate)} ({cell.successes})"
    return share + mark(cell.comparison())


def groups_table(found: Sequence[GroupSummary]) -> str:
    """Return the published rates over groups of ranges beside ours."""
    return "\nPublished means over groups of ranges:\n\n" + table(
        ("unit", "inputs", "ranges", "ours", "published"),
        (
            (
                f"`{group.unit}`",
                group.inputs,
                ", ".join(group.ranges),
                f"{group.successes} of {group.runs} = {rate(group.comparison.ours.value)} "
                f"[{rate(group.comparison.ours.low)}, {rate(group.comparison.ours.high)}]",
                rate(group.comparison.published.value) + mark(group.comparison),
            )
            for group in found
        ),
    )


def means_table(cells: Sequence[CellSummary]) -> str:
    """Return the published steps and sparsity errors beside ours, with their verdicts."""
    text = "\nPublished steps and sparsity errors of solved runs, with 95 % intervals:\n\n"
    return text + table(
        ("unit", "op", "range", "what", "solved", "ours", "published"),
        (
            (
                f"`{row.key.unit}`",
                row.key.op,
                row.key.range,
                row.quantity,
                row.solved,
                with_interval(row.ours) if row.ours.known else "not stored",
                with_interval(row.comparison.published) + mark(row.comparison),
            )
            for row in mean_rows(cells)
        ),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
