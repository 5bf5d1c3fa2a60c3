"""The figures of a fit as Vega-Lite: predicted against true, residuals, the frontier."""

from typing import Any

import numpy as np

from nalm.fitting.findings import Findings, finite
from nalm.report.chart_rows import printable
from nalm.report.fit_curves import curve_charts, row_colour, sized, suspect_rows

POINTS = 2000
"""The most rows that are drawn, besides suspect ones."""

LEAST = 1e-17
"""The share of the spread at which an error of 0 is drawn, for its scale is logarithmic."""


def fit_charts(found: Findings) -> dict[str, dict[str, Any]]:
    """Return the charts by name, each with its data."""
    rows = _rows(found)
    target = printable(found.data.target)
    charts = {"predicted": _predicted(rows, target), "residuals": _residuals(rows, target)}
    charts |= curve_charts(found, drawn_rows(found))
    return charts | ({"frontier": _frontier(found)} if len(found.law.alternatives) > 2 else {})


def drawn_rows(found: Findings) -> np.ndarray:
    """Return which rows are drawn: all, or as many as can be, evenly spaced; and suspect ones."""
    count = len(found.data.y)
    spaced = np.linspace(0, count - 1, min(count, POINTS)).astype(int)
    return np.unique(np.concatenate([spaced, suspect_rows(found)]))


def _rows(found: Findings) -> list[dict[str, Any]]:
    which = drawn_rows(found)
    suspect = set(suspect_rows(found).tolist())
    true = found.data.y[which]
    value = found.law.predict(found.data.x[which])
    return [
        {
            "row": found.row_number(i),
            "true": float(t),
            "predicted": finite(v),
            "residual": finite(v - t),
            "suspect": int(i) in suspect,
        }
        for i, t, v in zip(which, true, value, strict=True)
    ]


def _predicted(rows: list[dict[str, Any]], target: str) -> dict[str, Any]:
    import altair as alt

    true = [row["true"] for row in rows]
    ends = [{"end": min(true)}, {"end": max(true)}]
    axis, form = alt.Scale(zero=False), alt.Axis(format=".6~g")
    line = (
        alt.Chart(alt.Data(values=ends))
        .mark_line(strokeDash=[4, 3], color="#8a8f98")
        .encode(x=alt.X("end:Q", scale=axis), y=alt.Y("end:Q", scale=axis))
    )
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=28, opacity=0.6)
        .encode(
            x=alt.X("true:Q", title=f"{target}, true", scale=axis, axis=form),
            y=alt.Y("predicted:Q", title=f"{target}, predicted", scale=axis, axis=form),
            color=row_colour(),
            tooltip=_tooltip(),
        )
    )
    return sized(alt.layer(line, points))


def _residuals(rows: list[dict[str, Any]], target: str) -> dict[str, Any]:
    import altair as alt

    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color="#8a8f98").encode(y="zero:Q")
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=28, opacity=0.6)
        .encode(
            x=alt.X(
                "predicted:Q",
                title=f"{target}, predicted",
                scale=alt.Scale(zero=False),
                axis=alt.Axis(format=".6~g"),
            ),
            y=alt.Y(
                "residual:Q",
                title="predicted − true",
                axis=alt.Axis(format=".3~g"),
                scale=_residual_scale(rows),
            ),
            color=row_colour(),
            tooltip=_tooltip(),
        )
    )
    return sized(alt.layer(zero, points))


def _residual_scale(rows: list[dict[str, Any]]) -> Any:
    import altair as alt

    most = _largest_residual(rows)
    return alt.Undefined if most is None else alt.Scale(domain=[-most, most], clamp=True)


def _largest_residual(rows: list[dict[str, Any]]) -> float | None:
    """Return how far residuals are drawn if that of a suspect row would hide the others."""
    sizes = [abs(row["residual"]) for row in rows if not row["suspect"] and row["residual"]]
    return 1.2 * max(sizes) if sizes and any(row["suspect"] for row in rows) else None


def is_clamped(found: Findings) -> bool:
    """Whether suspect rows are drawn at the edge of the residuals."""
    return _largest_residual(_rows(found)) is not None


def _tooltip() -> list[Any]:
    import altair as alt

    return [alt.Tooltip("row:Q"), *(alt.Tooltip(f"{f}:Q", format=".6g") for f in FIELDS)]


FIELDS = ("true", "predicted", "residual")


def _frontier(found: Findings) -> dict[str, Any]:
    import altair as alt

    least = LEAST * (found.spread or 1.0)
    values = [
        {
            "complexity": a.complexity,
            "drawn": max(a.error, least),
            "error": a.error,
            "formula": printable(a.text()),
        }
        for a in found.law.alternatives
        if np.isfinite(a.error)
    ]
    chart = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("complexity:Q", title="complexity", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y(
            "drawn:Q",
            title="error",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format=".0e", tickCount=6),
        ),
    )
    points = chart.mark_point(filled=True, size=70, opacity=1).encode(
        color=alt.value("#3a8fd0"),
        tooltip=[
            alt.Tooltip("formula:N"),
            alt.Tooltip("complexity:Q"),
            alt.Tooltip("error:Q", format=".3g"),
        ],
    )
    return sized(alt.layer(chart.mark_line(color="#8a8f98"), points))
