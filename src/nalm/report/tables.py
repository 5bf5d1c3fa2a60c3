"""The tables of a page: all numbers behind its charts, every text escaped."""

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from nalm.experiments.compare import means
from nalm.experiments.size import PLACE
from nalm.report.charts import named
from nalm.report.html import line, table
from nalm.report.results import CellResults, ExperimentResults

QUANTITIES = {
    "solved_at": "mean step",
    "median_solved_at": "median step",
    "sparsity": "mean sparsity error",
}
"""What the quantities of solved runs are called."""
FAILURES = 10
"""Failed runs of a cell that the page lists."""


def cell_name(cell: CellResults) -> str:
    """Return what identifies a cell, as one text."""
    name, op, range_name, inputs, setting = cell.place
    return f"{name} {op} {range_name} {named('inputs', inputs)} {setting}".strip()


def rates_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return every cell with its rate, beside what is in print."""
    algebra = any(row["equal"] is not None for row in rows)
    equal = ("equal by algebra", "its interval") if algebra else ()
    heads = (*PLACE, "steps", "solved", "rate", "95 % interval", *equal)
    heads += ("published", "verdict", "median step", "diverged")
    lines = [
        line(
            *(escape(str(row[name])) for name in PLACE),
            f"{row['steps']:,}",
            f"{row['successes']} of {row['runs']}",
            f"{row['rate']:.2f}",
            f"{row['low']:.2f} to {row['high']:.2f}",
            *(_equal(row) if algebra else ()),
            _published(row),
            _verdict(row),
            "never" if row["median_solved_at"] is None else f"{row['median_solved_at']:,.0f}",
            str(row["diverged"]),
            mark=row["verdict"] or "",
        )
        for row in rows
    ]
    return table(heads, lines)


def _equal(row: dict[str, Any]) -> tuple[str, str]:
    """Return how many runs are their target by algebra, which is what is compared, if any."""
    if row["equal"] is None:
        return "", ""
    return f"{row['equal']} of {row['runs']}", f"{row['equal_low']:.2f} to {row['equal_high']:.2f}"


def _verdict(row: dict[str, Any]) -> str:
    """Return a verdict, with the reason why there can be none."""
    said = (row["verdict"], row["reason"])
    return escape(": ".join(text for text in said if text is not None))


def _published(row: dict[str, Any]) -> str:
    if row["published"] is not None:
        return f"{row['published']:.2f}"
    ends = row["published_low"], row["published_high"]
    if all(end is None for end in ends):
        return ""
    low, high = ("" if end is None else f"{end:.2f}" for end in ends)
    return f"{low} to {high}"


def groups_table(experiment: ExperimentResults) -> str:
    """Return the published means over groups of ranges, if there are any."""
    found = experiment.groups()
    if not found:
        return ""
    lines = [
        line(
            escape(g["unit"]),
            str(g["inputs"]),
            escape(", ".join(g["ranges"])),
            f"{g['successes']} of {g['runs']}",
            f"{g['rate']:.2f}",
            f"{g['published']:.2f}",
            g["verdict"],
            mark=g["verdict"],
        )
        for g in found
    ]
    heads = ("unit", "inputs", "ranges", "solved", "rate", "published", "verdict")
    return f"<h3>Published means over groups of ranges</h3>{table(heads, lines)}"


def means_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return the steps and sparsity errors that are in print, if any are."""
    found = means(rows)
    if not found:
        return ""
    lines = [
        line(
            *(escape(str(mean[name])) for name in PLACE),
            QUANTITIES[mean["quantity"]] + (", their way" if mean["by_authors"] else ""),
            str(mean["solved"]),
            with_interval(mean["ours"], mean["low"], mean["high"]),
            with_interval(mean["published"], mean["published_low"], mean["published_high"]),
            _verdict(mean),
            escape(mean["source"]),
            mark=mean["verdict"],
        )
        for mean in found
    ]
    heads = (*PLACE, "of solved runs", "solved", "ours", "published", "verdict", "source")
    return (
        "<details><summary>Steps and sparsity errors beside those in print</summary>"
        "<p>The papers' fit of mean steps stops early; where only its result is in print, ours is "
        f"fitted their way, too.</p>{table(heads, lines)}</details>"
    )


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Return a number of steps, or an error, with its interval if it has one."""
    if value is None:
        return "none"
    form = ",.0f" if value >= 1000 else ".3g"
    interval = "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"
    return f"{value:{form}}{interval}"


def formulas_table(cells: Sequence[CellResults]) -> str:
    """Return what the runs of each cell learnt."""
    lines = [
        line(
            escape(cell_name(cell)),
            "<br>".join(f"{count} × <code>{escape(f)}</code>" for f, count in cell.formulas[:6]),
        )
        for cell in cells
    ]
    return table(
        ("cell", "runs × formula at the best validation error, weights within 0.1 of it"), lines
    )


def failures_table(cells: Sequence[CellResults]) -> str:
    """Return the runs that failed, with their reasons."""
    lines = []
    for cell in cells:
        failed = [trial for trial in cell.trials if not trial.outcome.success]
        for trial in failed[:FAILURES]:
            diverged = trial.curves.diverged_at
            reason = (
                f"a number stopped being finite at step {diverged:,}"
                if diverged >= 0
                else f"test error {trial.outcome.test:.3g}, needed below {trial.threshold:.3g}"
            )
            lines.append(
                line(
                    escape(cell_name(cell)),
                    str(trial.seed),
                    reason,
                    f"<code>{escape(trial.formula)}</code>",
                )
            )
        if len(failed) > FAILURES:
            lines.append(
                line(escape(cell_name(cell)), "", f"and {len(failed) - FAILURES} more", "")
            )
    if not lines:
        return "<p>None.</p>"
    return table(("cell", "seed", "reason", "its weights, rounded, read"), lines)


def settings_table(cells: Sequence[CellResults]) -> str:
    """Return the exact settings of each cell."""
    lines = [
        line(
            escape(cell_name(cell)),
            f"<code>{escape(json.dumps(cell.settings, sort_keys=True))}</code>",
        )
        for cell in cells
    ]
    return table(("cell", "model, task and recipe"), lines)


def provenance(experiment: ExperimentResults) -> str:
    """Return where and when the runs were made."""
    made = Counter(trial.environment for trial in experiment.trials)
    lines = "".join(f"<li>{n:,} runs with {escape(text)}</li>" for text, n in made.items())
    finished = [trial.finished for trial in experiment.trials]
    first, last = escape(min(finished)), escape(max(finished))
    return f"<ul>{lines}<li>finished from {first} to {last}</li></ul>"
