"""What a report shows of networks that see pictures: accuracies, weights, confusions, samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

import numpy as np

from nalm.report.chart_rows import chart_rows, printable
from nalm.report.charts import STEPS, units_of
from nalm.report.lengths import length_rows, lengths_chart
from nalm.report.line_styles import line_styles
from nalm.report.png import png_address
from nalm.sweeps import CellRuns
from nalm.sweeps.statistics import student
from nalm.sweeps.types import CellSummary
from nalm.training import Curves

POINTS = 60
"""The most points of a drawn curve."""
GRID = 101
"""The number of places at which a violin is drawn."""
RUNS = 10
"""The most runs of a cell whose weights are drawn."""
MEASURES = (
    ("test output exact", "result, exact"),
    ("test output decimals", "result, to 5 decimals"),
    ("test output rounded", "result, rounded"),
    ("test output argmax", "result of the likeliest digits"),
    ("test digit 1 rounded", "first digit, rounded"),
    ("test digit 2 rounded", "second digit, rounded"),
    ("test digit rounded", "digit, rounded"),
)
"""The series that are drawn, and what they are called."""
WEIGHTS = "weights "
"""How the series of weights begin."""
KEPT = "shown pictures"
"""What only runs that see pictures keep at their end."""
Rows = Callable[[str, Sequence[Curves]], list[dict[str, Any]]]
"""Makes the rows of a chart of one cell: of its label and its runs."""
Draw = Callable[[list[dict[str, Any]]], dict[str, Any]]
"""Makes a chart of its rows."""


@dataclass(frozen=True)
class Shown:
    """A sample with what a network made of it."""

    pictures: tuple[str, ...]
    """Its pictures as addresses."""
    read: str
    """The digits that were read."""
    result: str
    target: str
    right: bool


@dataclass(frozen=True)
class Gallery:
    """Some samples of one run."""

    cell: str
    seed: int
    samples: tuple[Shown, ...]


@dataclass(frozen=True)
class Pictures:
    """What the page shows of the runs of one experiment that see pictures."""

    charts: dict[str, Any]
    """Vega-Lite charts by name."""
    galleries: tuple[Gallery, ...]


def pictures(cells: Sequence[CellRuns], summaries: Sequence[CellSummary]) -> Pictures | None:
    """Return what is shown of runs that see pictures; None if there are none.

    Parameters
    ----------
    cells
        The cells with their runs.
    summaries
        The same cells in numbers, with what is published.
    """
    seen = _seen(cells)
    if not seen:
        return None
    several = len({cell.key.range for cell in seen}) > 1
    labels = [_label(cell, several) for cell in seen]
    curves = [[run.curves for run in cell.runs] for cell in seen]
    units = [printable(cell.key.unit) for cell in seen]
    numbers = chart_rows(summaries)
    colored = units_of(numbers)
    drawn: dict[str, tuple[Rows, Draw]] = {
        "accuracy-by-step": (_means, partial(accuracy_chart, units=colored)),
        "folds": (_ends, folds_chart),
        "weights": (_ways, weights_chart),
        "confusion": (_reads, confusion_chart),
    }
    charts = {}
    for name, (rows_of, draw) in drawn.items():
        each = zip(labels, units, curves, strict=True)
        rows = [{**row, "unit": unit} for label, unit, runs in each for row in rows_of(label, runs)]
        if rows:
            charts[name] = draw(rows)
    if lengths := length_rows(numbers):
        charts["lengths"] = lengths_chart(lengths, colored)
    galleries = [_gallery(cell, label) for cell, label in zip(seen, labels, strict=True)]
    return Pictures(charts, tuple(galleries))


def _seen(cells: Sequence[CellRuns]) -> list[CellRuns]:
    """Return the cells that see pictures; of those that judge the same runs, the first."""
    found: dict[Any, CellRuns] = {}
    for cell in cells:
        if cell.runs and KEPT in cell.runs[0].curves.arrays:
            found.setdefault(cell.setup.described, cell)
    return list(found.values())


def _label(cell: CellRuns, several: bool) -> str:
    """Return what a cell is called; with its pictures where there are several kinds."""
    key = cell.key
    parts = (key.unit, key.setting, key.range if several else "")
    return printable(" · ".join(part for part in parts if part))


def _means(label: str, runs: Sequence[Curves]) -> list[dict[str, Any]]:
    """Return the mean accuracies of a cell with intervals over its runs, by step."""
    rows = []
    for name, title in MEASURES:
        if name not in runs[0].series:
            continue
        lines = np.stack([run.series[name] for run in runs])
        for i in range(0, lines.shape[1], max(1, lines.shape[1] // POINTS)):
            found = student(lines[:, i].tolist(), 0.0, 1.0)
            interval = found.interval if not isnan(found.low) else (None, None)
            rows.append(
                {
                    "cell": label,
                    "measure": title,
                    "step": int(runs[0].steps[i]),
                    "value": round(found.value, 4),
                    "low": interval[0],
                    "high": interval[1],
                    "runs": len(runs),
                }
            )
    return rows


def _ends(label: str, runs: Sequence[Curves]) -> list[dict[str, Any]]:
    """Return the accuracies of every run at the end, and how densely they lie."""
    rows = []
    for name, title in MEASURES:
        if name not in runs[0].series:
            continue
        values = np.array([float(run.series[name][-1]) for run in runs])
        about = {"cell": label, "measure": title}
        rows += [{**about, "run": i, "value": round(v, 4)} for i, v in enumerate(values.tolist())]
        rows += [{**about, "value": x, "density": share} for x, share in violin(values)]
    return rows


def violin(values: np.ndarray) -> list[tuple[float, float]]:
    """Return places between 0 and 1 and the density there, 1 where it is highest.

    The density is a sum of normal ones whose width follows Scott's rule. Values that are all the
    same have none.

    >>> violin(np.array([0.5, 0.5])), len(violin(np.array([0.4, 0.6]))) > 10
    ([], True)
    """
    width = float(np.std(values)) * len(values) ** -0.2
    if width < 1e-3:
        return []
    places = np.linspace(0, 1, GRID)
    density = np.exp(-0.5 * ((places[:, None] - values) / width) ** 2).sum(axis=1)
    shares = density / density.max()
    kept = shares > 0.02
    return [(round(float(x), 4), round(float(s), 3))
            for x, s in zip(places[kept], shares[kept], strict=True)]  # fmt: skip


def _ways(label: str, runs: Sequence[Curves]) -> list[dict[str, Any]]:
    """Return the weights of some runs of a cell, by step."""
    rows = []
    for i, run in enumerate(runs[:RUNS]):
        every = max(1, len(run.steps) // POINTS)
        for name, values in run.series.items():
            if not name.startswith(WEIGHTS):
                continue
            flat = values.reshape(len(run.steps), -1)
            rows += [
                {
                    "cell": label,
                    "run": i,
                    "weight": f"{name.removeprefix(WEIGHTS)} {k + 1}",
                    "step": int(run.steps[t]),
                    "value": round(float(flat[t, k]), 5),
                }
                for k in range(flat.shape[1])
                for t in range(0, len(run.steps), every)
                if np.isfinite(flat[t, k])
            ]
    return rows


def _reads(label: str, runs: Sequence[Curves]) -> list[dict[str, Any]]:
    """Return how often each digit was read as each, over all runs and both pictures."""
    if "confusion" not in runs[0].arrays:
        return []
    counts = np.sum([run.arrays["confusion"].sum(axis=0) for run in runs], axis=0)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    return [
        {
            "cell": label,
            "digit": digit,
            "read": read,
            "share": round(float(shares[digit, read]), 4),
            "count": int(counts[digit, read]),
        }
        for digit in range(10)
        for read in range(10)
        if counts[digit].sum()
    ]


def _gallery(cell: CellRuns, label: str) -> Gallery:
    """Return the kept samples of the first run of a cell."""
    run = cell.runs[0]
    kept = run.curves.arrays
    samples = [
        Shown(
            pictures=tuple(map(png_address, kept["shown pictures"][i])),
            read=", ".join(f"{value:.3g}" for value in kept["shown values"][i]),
            result=f"{kept['shown outputs'][i]:.5g}",
            target=f"{kept['shown targets'][i]:.5g}",
            right=bool(kept["shown right"][i]),
        )
        for i in range(len(kept["shown outputs"]))
    ]
    return Gallery(label, run.seed, tuple(samples))


# --- charts ------------------------------------------------------------------------------------


def _faceted(layered: Any, rows: list[dict[str, Any]], field: str) -> dict[str, Any]:
    """Return a chart for each value of a field; the page chooses widths and columns."""
    import altair as alt

    order = list(dict.fromkeys(row[field] for row in rows))
    facet = alt.Facet(f"{field}:N", sort=order, title=None, header=alt.Header(labelFontSize=11))
    return layered.facet(facet, columns=3, data=alt.Data(values=rows)).to_dict()


def accuracy_chart(rows: list[dict[str, Any]], units: Sequence[str]) -> dict[str, Any]:
    """Return accuracies by step with intervals, one chart per measure, one line per cell."""
    import altair as alt

    styles = line_styles({row["cell"]: row["unit"] for row in rows}, units)
    base = alt.Chart().encode(
        x=alt.X("step:Q", title="step", axis=alt.Axis(labelExpr=STEPS, tickCount=4)), **styles
    )
    band = base.mark_area(opacity=0.2).encode(
        y=alt.Y("low:Q", title="share of test samples", scale=alt.Scale(domain=[0, 1])), y2="high:Q"
    )
    tooltip = ["cell:N", "measure:N", "step:Q", "value:Q", "low:Q", "high:Q", "runs:Q"]
    line = base.mark_line(point=alt.OverlayMarkDef(size=12)).encode(y="value:Q", tooltip=tooltip)
    return _faceted(alt.layer(band, line).properties(width=260, height=160), rows, "measure")


def folds_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the accuracy of every run at the end over violins, one chart per measure."""
    import altair as alt

    cells = list(dict.fromkeys(row["cell"] for row in rows))
    base = alt.Chart().encode(
        x=alt.X("value:Q", title="share of test samples", scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("cell:N", sort=cells, title=None, axis=alt.Axis(labelLimit=130)),
    )
    width = alt.Size("density:Q", scale=alt.Scale(domain=[0, 1], range=[0, 20]), legend=None)
    violins = (
        base.transform_filter("isValid(datum.density)")
        .mark_tick(thickness=3, opacity=0.3, color="#0072b2")
        .encode(size=width)
    )
    points = (
        base.transform_filter("!isValid(datum.density)")
        .mark_point(size=22, opacity=0.8)
        .encode(tooltip=["cell:N", "measure:N", "run:N", "value:Q"])
    )
    layered = alt.layer(violins, points).properties(width=200, height=alt.Step(26))
    return _faceted(layered, rows, "measure")


def weights_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the way of the weights of the unit, one chart per cell, one line per run."""
    import altair as alt

    lines = (
        alt.Chart()
        .mark_line(opacity=0.7, strokeWidth=1)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(labelExpr=STEPS, tickCount=4)),
            y=alt.Y("value:Q", title="weight"),
            color=alt.Color(
                "weight:N",
                title=None,
                scale=alt.Scale(scheme="tableau10"),
                legend=alt.Legend(orient="bottom", columns=4),
            ),
            detail="run:N",
            tooltip=["cell:N", "weight:N", "run:N", "step:Q", "value:Q"],
        )
    )
    return _faceted(lines.properties(width=260, height=140), rows, "cell")


def confusion_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what was read of each digit, one chart per cell."""
    import altair as alt

    squares = (
        alt.Chart()
        .mark_rect()
        .encode(
            x=alt.X("read:O", title="read as", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("digit:O", title="digit"),
            color=alt.Color(
                "share:Q",
                title="share",
                scale=alt.Scale(domain=[0, 1], scheme="viridis"),
                legend=alt.Legend(orient="bottom", gradientLength=160),
            ),
            tooltip=["cell:N", "digit:O", "read:O", "share:Q", "count:Q"],
        )
    )
    return _faceted(squares.properties(width=200, height=200), rows, "cell")
