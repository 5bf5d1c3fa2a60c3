"""The law against each of its inputs, with the others at their medians."""

from typing import Any

import numpy as np

from nalm.fitting.findings import Findings, finite
from nalm.fitting.tree import columns_of
from nalm.report.chart_rows import printable

CURVE = "curve-"
"""How the names of these charts begin."""
MOST = 6
"""The most columns that a curve is drawn for: those that move the result most."""
STEPS = 200
"""Points of a curve."""
HEIGHT = 260
PLAIN, SUSPECT = "#3a8fd0", "#e8590c"
"""The colours of rows."""


def suspect_rows(found: Findings) -> np.ndarray:
    """Return the rows, as indices, that disagree with the law."""
    return np.array([outlier.row for outlier in found.law.outliers], int)


def row_colour() -> Any:
    """Return the colour of a row: suspect ones stand out."""
    import altair as alt

    return alt.condition("datum.suspect", alt.value(SUSPECT), alt.value(PLAIN))


def sized(chart: Any) -> dict[str, Any]:
    """Return a chart as wide as its place, in the colours of the page."""
    spec = chart.properties(width="container", height=HEIGHT).to_dict()
    spec.pop("config", None)  # the colours are those of the page
    return spec


def curve_charts(found: Findings, which: np.ndarray) -> dict[str, dict[str, Any]]:
    """Return a chart for each column of the law, those that move the result most first."""
    middle = np.median(found.data.x, axis=0)
    curves = {column: _curve(found, column, middle) for column in columns_of(found.law.tree)}
    reach = {c: float(np.ptp(y[np.isfinite(y)])) for c, (_, y) in curves.items() if _drawable(y)}
    chosen = sorted(reach, key=lambda column: -reach[column])[:MOST]
    return {
        f"{CURVE}{number}": _chart(found, which, column, *curves[column])
        for number, column in enumerate(chosen)
    }


def _drawable(values: np.ndarray) -> bool:
    return bool(np.isfinite(values).any())


def _curve(found: Findings, column: int, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    inputs = found.data.x[:, column]
    along = np.linspace(inputs.min(), inputs.max(), STEPS)
    rows = np.tile(middle, (STEPS, 1))
    rows[:, column] = along
    return along, found.law.predict(rows)


def _moved_to_medians(found: Findings, which: np.ndarray, column: int) -> np.ndarray:
    """Return the results of rows as if their other columns were at the medians.

    By the law, that is: each row keeps its distance from the law.
    """
    x = found.data.x[which]
    rows = np.tile(np.median(found.data.x, axis=0), (len(which), 1))
    rows[:, column] = x[:, column]
    return found.law.predict(rows) + found.data.y[which] - found.law.predict(x)


def _chart(
    found: Findings, which: np.ndarray, column: int, along: np.ndarray, values: np.ndarray
) -> dict[str, Any]:
    import altair as alt

    suspect = set(suspect_rows(found).tolist())
    inputs = found.data.x[which, column]
    results = _moved_to_medians(found, which, column)
    points = [
        {
            "row": found.row_number(i),
            "input": float(a),
            "result": finite(b),
            "suspect": int(i) in suspect,
        }
        for i, a, b in zip(which, inputs, results, strict=True)
    ]
    line = [{"input": float(a), "result": finite(b)} for a, b in zip(along, values, strict=True)]
    name, target = printable(found.law.names[column]), printable(found.data.target)
    axis = alt.Axis(format=".6~g")
    scale = alt.Scale(zero=False)
    encoded = {
        "x": alt.X("input:Q", title=name, scale=scale, axis=axis),
        "y": alt.Y("result:Q", title=target, scale=scale, axis=axis),
    }
    rows = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, size=22, opacity=0.5)
        .encode(
            **encoded, color=row_colour(), tooltip=[alt.Tooltip("row:Q"), "input:Q", "result:Q"]
        )
    )
    curve = (
        alt.Chart(alt.Data(values=line)).mark_line(strokeWidth=2, color="#8a8f98").encode(**encoded)
    )
    return sized(alt.layer(rows, curve))
