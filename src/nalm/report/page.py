"""The page: one HTML file with everything in it, nothing fetched, every text escaped."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from nalm.experiments import EXPERIMENTS
from nalm.experiments.compare import means
from nalm.report.charts import (
    FILTERS,
    PANELS,
    VERDICTS,
    curves_chart,
    first_choice,
    panel,
    printable,
    values_of,
)
from nalm.report.compositions import compositions
from nalm.report.html import line, table, whole_page
from nalm.report.results import CellResults, ExperimentResults
from nalm.report.tables import (
    cell_name,
    failures_table,
    formulas_table,
    groups_table,
    means_table,
    provenance,
    rates_table,
    settings_table,
)

POINTS = 40
"""Points of a learning curve that the page keeps."""
VERDICT = (
    "Verdicts compare our 95 % interval with the published one: they agree where the intervals "
    "overlap. Ours are taken no closer than numbers are known: 1,000 steps, the spacing of "
    "evaluations, and 6e-8 to each side of a sparsity error, the spacing of float32."
)


def page(title: str, experiments: Sequence[ExperimentResults]) -> str:
    """Return the whole page."""
    rows = [(experiment, experiment.rows()) for experiment in experiments]
    shown = [(experiment, mine) for experiment, mine in rows if mine]
    data = {experiment.name: _data(experiment, mine) for experiment, mine in shown}
    sections = "".join(_section(experiment, mine) for experiment, mine in shown)
    summary = f"<section><h2>Summary</h2><p>{VERDICT}</p>{_summary(rows)}</section>"
    return whole_page(title, summary + sections, data, "page.js")


def _data(experiment: ExperimentResults, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "values": values_of(rows),
        "panels": {name: panel(name, []) for name in PANELS},
        "curves": curves_chart(),
        "cells": [_cell_data(cell) for cell in experiment.cells.values() if cell.trials],
    }


def _cell_data(cell: CellResults) -> dict[str, Any]:
    steps = max((trial.curves.steps for trial in cell.trials), key=len)
    every = max(1, len(steps) // POINTS)
    return {
        "steps": [int(s) for s in steps[::every]],
        "runs": [
            {
                "seed": trial.seed,
                "solved": trial.outcome.success,
                "test": [_drawable(t) for t in trial.curves.test[::every]],
            }
            for trial in cell.trials
        ],
    }


def _drawable(error: float) -> float | None:
    return float(f"{error:.3g}") if 0 < error < float("inf") else None


def _summary(rows: Sequence[tuple[ExperimentResults, list[dict[str, Any]]]]) -> str:
    counts = [_counts(experiment, mine) for experiment, mine in rows]
    all_of_them = sum(counts, Counter())
    judged = sum(all_of_them[v] for v in VERDICTS if v)
    said = (
        f"<p>Of {judged:,} published success rates, our runs agree with "
        f"<b>{all_of_them['agrees']:,}</b>, differ from <b>{all_of_them['differs']:,}</b>, and "
        f"cannot be compared with <b>{all_of_them['not comparable']:,}</b>.</p>"
        if judged
        else "<p>No success rate of this is in print.</p>"
    )
    said += _means_said([mean for _, mine in rows for mean in means(mine)])
    heads = ("runs", "missing", "diverged", *(verdict for verdict in VERDICTS if verdict))
    lines = [
        line(_link(experiment), *(f"{count[head]:,}" for head in heads))
        for (experiment, _), count in zip(rows, counts, strict=True)
    ]
    if len(lines) > 1:
        lines.append(line("all", *(f"{all_of_them[head]:,}" for head in heads), mark="total"))
    return said + table(("experiment", *heads), lines)


def _means_said(found: Sequence[dict[str, Any]]) -> str:
    """Return how many steps and sparsity errors in print agree with ours, if any are."""
    if not found:
        return ""
    counts = Counter(mean["verdict"] for mean in found)
    return (
        f"<p>Of {len(found):,} published steps and sparsity errors of solved runs they agree with "
        f"<b>{counts['agrees']:,}</b>, differ from <b>{counts['differs']:,}</b>, and cannot be "
        f"compared with <b>{counts['not comparable']:,}</b>. The table below counts success "
        "rates.</p>"
    )


def _counts(experiment: ExperimentResults, rows: Sequence[dict[str, Any]]) -> Counter[str]:
    verdicts = [row["verdict"] for row in [*rows, *experiment.groups()] if row["verdict"]]
    diverged = sum(row["diverged"] for row in rows)
    sizes = {"runs": experiment.done, "missing": experiment.missing, "diverged": diverged}
    return Counter(verdicts) + Counter(sizes)


def _link(experiment: ExperimentResults) -> str:
    name = escape(experiment.name or "own runs")
    return f'<a href="#{escape(experiment.name)}">{name}</a>' if experiment.done else name


def _section(experiment: ExperimentResults, rows: list[dict[str, Any]]) -> str:
    known = EXPERIMENTS.get(experiment.name)
    title = known.title if known else (experiment.name or "Own runs")
    source = f"<p>Source: {escape(known.source)}. {escape(known.note)}</p>" if known else ""
    missing = (
        f'<p class="warning">{experiment.missing} planned runs are missing; the same nalm bench '
        "command goes on.</p>"
        if experiment.missing
        else ""
    )
    sizes = "".join(f'<p class="warning">{escape(text)}</p>' for text in experiment.sizes())
    name = escape(experiment.name)
    panels = "".join(f'<div class="chart" data-panel="{p}"></div>' for p in PANELS)
    panels = f'<div class="panels">{panels}<p>No cell is left; choose all in a filter.</p></div>'
    cells = [cell for cell in experiment.cells.values() if cell.trials]
    choices = "".join(
        f'<option value="{i}">{escape(cell_name(c))}</option>' for i, c in enumerate(cells)
    )
    return f"""
<section id="{name}" data-experiment="{name}">
<h2>{escape(title)}</h2>{source}{missing}{sizes}{compositions(rows)}
<p class="filters">{"".join(_filter(field, rows) for field in FILTERS)}</p>
<p class="hint">Dots: ours, with 95 % intervals. Diamonds and dashed lines: published.
Steps and sparsity errors are those of solved runs; errors below 1e-10 are drawn there.
<span class="agrees">● agrees</span> <span class="differs">● differs</span>
<span class="incomparable">● not comparable</span> <span class="unsaid">● not in print</span></p>
{panels}
{groups_table(experiment)}
{means_table(rows)}
<details><summary>All cells as a table</summary>{rates_table(rows)}</details>
<details class="curves"><summary>Learning curves of single runs</summary>
<label>cell <select class="cell">{choices}</select></label>
<div class="chart" data-panel="curves"></div></details>
<details><summary>Learnt formulas</summary>{formulas_table(cells)}</details>
<details><summary>Failed and diverged runs</summary>{failures_table(cells)}</details>
<details><summary>Exact settings</summary>{settings_table(cells)}</details>
<details><summary>Provenance</summary>{provenance(experiment)}</details>
</section>"""


def _filter(field: str, rows: Sequence[dict[str, Any]]) -> str:
    values = dict.fromkeys(str(row[field]) for row in rows)
    if len(values) < 2:
        return ""
    first = first_choice(field, rows)
    listed = "".join(
        f'<option value="={escape(printable(o))}"{" selected" if o == first else ""}>'
        f"{escape(o) or '(none)'}</option>"
        for o in values
    )
    return (
        f'<label>{field} <select data-filter="{field}">'
        f'<option value="">all</option>{listed}</select></label> '
    )
