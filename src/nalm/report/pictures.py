"""What a report shows of networks that see pictures: accuracies, weights, confusions, samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from nalm.report.chart_rows import printable
from nalm.report.png import png_address
from nalm.sweeps import CellRuns
from nalm.sweeps.statistics import student
from nalm.training import Curves

POINTS = 60
"""The most points of a drawn curve."""
RUNS = 10
"""The most runs of a cell whose weights are drawn."""
MEASURES = (
    ("test output exact", "result, exact"),
    ("test output decimals", "result, to 5 decimals"),
    ("test output rounded", "result, rounded"),
    ("test output argmax", "result of the likeliest digits"),
    ("test digit 1 rounded", "first digit, rounded"),
    ("test digit 2 rounded", "second digit, rounded"),
)
"""The series that are drawn, and what they are called."""
WEIGHTS = "weights "
"""How the series of weights begin."""


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


def pictures(cells: Sequence[CellRuns]) -> Pictures | None:
    """Return what is shown of runs that see pictures; None if there are none."""
    seen = [cell for cell in cells if cell.runs and "confusion" in cell.runs[0].curves.arrays]
    if not seen:
        return None
    several = len({cell.key.range for cell in seen}) > 1
    labels = [_label(cell, several) for cell in seen]
    curves = [[run.curves for run in cell.runs] for cell in seen]
    charts = {
        "accuracy": accuracy_chart(
            [row for label, runs in zip(labels, curves, strict=True) for row in _means(label, runs)]
        ),
        "folds": folds_chart(
            [row for label, runs in zip(labels, curves, strict=True) for row in _ends(label, runs)]
        ),
        "weights": weights_chart(
            [row for label, runs in zip(labels, curves, strict=True) for row in _ways(label, runs)]
        ),
        "confusion": confusion_chart(
            [row for label, runs in zip(labels, curves, strict=True) for row in _reads(label, runs)]
        ),
    }
    galleries = [_gallery(cell, label) for cell, label in zip(seen, labels, strict=True)]
    return Pictures(charts, tuple(galleries))


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
    """Return the accuracies of every run at the end."""
    return [
        {"cell": label, "measure": title, "run": i, "value": round(float(run.series[name][-1]), 4)}
        for i, run in enumerate(runs)
        for name, title in MEASURES
        if name in run.series
    ]


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


def accuracy_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return accuracies by step with intervals, one chart per measure, one line per cell."""
    import altair as alt

    cells = list(dict.fromkeys(row["cell"] for row in rows))
    base = alt.Chart().encode(
        x=alt.X("step:Q", title="step", axis=alt.Axis(format="~s", tickCount=4)),
        color=alt.Color(
            "cell:N",
            sort=cells,
            title=None,
            scale=alt.Scale(scheme="tableau10"),
            legend=alt.Legend(orient="bottom", columns=1, labelLimit=300),
        ),
    )
    band = base.mark_area(opacity=0.2).encode(
        y=alt.Y("low:Q", title="share of test samples", scale=alt.Scale(domain=[0, 1])), y2="high:Q"
    )
    tooltip = ["cell:N", "measure:N", "step:Q", "value:Q", "low:Q", "high:Q", "runs:Q"]
    line = base.mark_line(point=alt.OverlayMarkDef(size=12)).encode(y="value:Q", tooltip=tooltip)
    return _faceted(alt.layer(band, line).properties(width=260, height=160), rows, "measure")


def folds_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the accuracy of every run at the end, one chart per measure."""
    import altair as alt

    cells = list(dict.fromkeys(row["cell"] for row in rows))
    points = (
        alt.Chart()
        .mark_point(size=30, opacity=0.7)
        .encode(
            x=alt.X("value:Q", title="share of test samples", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("cell:N", sort=cells, title=None, axis=alt.Axis(labelLimit=130)),
            tooltip=["cell:N", "measure:N", "run:N", "value:Q"],
        )
    )
    return _faceted(points.properties(width=200, height=alt.Step(18)), rows, "measure")


def weights_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the way of the weights of the unit, one chart per cell, one line per run."""
    import altair as alt

    lines = (
        alt.Chart()
        .mark_line(opacity=0.7, strokeWidth=1)
        .encode(
            x=alt.X("step:Q", title="step", axis=alt.Axis(format="~s", tickCount=4)),
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
