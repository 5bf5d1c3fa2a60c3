"""The charts as Vega-Lite: rate, steps and sparsity error with intervals and published values.

A panel has one line per model and setting, and one column per range, so that nothing overlaps,
however many there are. Where there is one range only, the columns may be settings or inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nalm.report.chart_rows import ChartRow, vega_values
from nalm.sweeps.statistics import Verdict
from nalm.sweeps.types import Quantity


@dataclass(frozen=True)
class Panel:
    """How a quantity is drawn."""

    title: str
    scale: Literal["linear", "log"]
    marks: tuple[float, ...]
    """Where its scale is marked."""
    form: str
    """The number format of the marks."""


PANELS = {
    Quantity.ACCURACY: Panel("Mean accuracy", "linear", (0, 0.5, 1), ".1~f"),
    Quantity.RATE: Panel("Success rate", "linear", (0, 0.5, 1), ".1~f"),
    Quantity.SOLVED_AT: Panel(
        "Mean step of solved runs",
        "log",
        tuple(digit * 10**n for n in range(8) for digit in (1, 2, 5)),
        "~s",
    ),
    Quantity.SPARSITY: Panel(
        "Mean sparsity error of solved runs",
        "log",
        tuple(10.0**n for n in range(-10, 3)),
        ".0e",
    ),
}
"""The panels of the papers."""
COLORS = {
    Verdict.AGREES.value: "#0072b2",
    Verdict.DIFFERS.value: "#d55e00",
    Verdict.INCOMPARABLE.value: "#8a5a9b",
    "": "#6b7280",
}
"""The color of each verdict; the last where nothing is published."""
LEGEND = (
    "Dots: ours, with 95 % intervals. Diamonds and dashed lines: published. "
    "Blue agrees, orange differs, purple is not comparable, gray is not published."
)
ROOM = 1.2
"""The factor by which a logarithmic scale is wider than its dots: one dot alone has ticks, too."""
WIDTH = 1000
"""The width of a figure in a file; on the page it is that of the window."""
STEP = 17
"""The height of a line."""
LABELS = 170
"""The largest width of the name of a line; longer ones are cut."""


def panel_chart(quantity: Quantity, rows: Sequence[ChartRow], subtitle: str = "") -> dict[str, Any]:
    """Return one panel with the rows it draws; a figure in a file has a subtitle."""
    import altair as alt

    panel = PANELS[quantity]
    mine = [row for row in rows if row.panel == quantity]
    columns = list(dict.fromkeys(row.column for row in mine))
    lines = list(dict.fromkeys(row.line for row in mine))
    log = panel.scale == "log"
    scale = alt.Scale(type="log", nice=True) if log else alt.Scale(domain=[0, 1])
    axis = alt.Axis(
        format=panel.form,
        values=list(panel.marks),
        labelOverlap="greedy",
        labelSeparation=4,
        labelFlush=True,
    )
    names = alt.Axis(labelLimit=LABELS, labelPadding=6, ticks=False, grid=True, gridOpacity=0.5)
    base = alt.Chart().encode(
        y=alt.Y("line:N", sort=lines, title=None, axis=names),
        color=alt.Color("verdict:N", scale=alt.Scale(domain=list(COLORS)), legend=None),
    )
    tooltip = _tooltip(quantity, panel)
    bars = (
        base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=1.5)
        .encode(x="low:Q", x2="high:Q")
    )
    points = base.mark_point(filled=True, size=38, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=scale, axis=axis), tooltip=tooltip
    )
    published = [
        base.transform_filter("isValid(datum.published_low) && isValid(datum.published_high)")
        .mark_rule(strokeDash=[3, 2], yOffset=4)
        .encode(x="published_low:Q", x2="published_high:Q"),
        base.transform_filter("isValid(datum.published)")
        .mark_point(shape="diamond", size=60, filled=False, yOffset=4)
        .encode(x="published:Q", tooltip=tooltip),
    ]
    room = [
        base.transform_calculate(room=f"datum.value * {factor}")
        .transform_filter("datum.room > 0")
        .mark_point(opacity=0)
        .encode(x="room:Q")
        for factor in ((1 / ROOM, ROOM) if log else ())
    ]
    data = alt.Data(values=vega_values(mine))
    one = alt.layer(bars, points, *published, *room, data=data).properties(
        width=max(60, (WIDTH - 180) // max(1, len(columns)) - 14), height=alt.Step(STEP)
    )
    facet = alt.Facet("column:N", sort=columns, title=None, header=alt.Header(labelFontSize=11))
    chart = one.facet(
        facet, columns=len(columns) or 1, bounds="flush", spacing={"column": 14, "row": 30}
    )
    below = {"subtitle": [subtitle, LEGEND], "subtitlePadding": 6} if subtitle else {}
    chart = chart.properties(title=alt.Title(panel.title, anchor="start", fontSize=13, **below))
    return chart.configure_range(category=list(COLORS.values())).to_dict()


def _tooltip(quantity: Quantity, panel: Panel) -> list[Any]:
    import altair as alt

    number = ".3g"
    method = [alt.Tooltip("method:N", title="interval")] if quantity is Quantity.SPARSITY else []
    estimated = alt.Tooltip("as_published:Q", title="ours, estimated as published", format=number)
    return [
        alt.Tooltip("unit:N"),
        alt.Tooltip("setting:N"),
        alt.Tooltip("op:N"),
        alt.Tooltip("range:N"),
        alt.Tooltip("inputs:Q"),
        alt.Tooltip("solved:Q"),
        alt.Tooltip("runs:Q", title="of runs"),
        alt.Tooltip("value:Q", title=panel.title, format=number),
        alt.Tooltip("low:Q", title="from", format=number),
        alt.Tooltip("high:Q", title="to", format=number),
        *method,
        alt.Tooltip("diverged:Q"),
        alt.Tooltip("published:Q", format=number),
        *([estimated] if quantity is Quantity.SOLVED_AT else []),
        alt.Tooltip("verdict:N"),
        alt.Tooltip("reason:N"),
        alt.Tooltip("source:N"),
    ]


def curves_chart() -> dict[str, Any]:
    """Return the learning curves of single runs; the page fills in the data."""
    import altair as alt

    chart = (
        alt.Chart(alt.NamedData(name="curves"))
        .mark_line(opacity=0.7)
        .encode(
            x=alt.X("step:Q", title="step"),
            y=alt.Y(
                "test:Q",
                title="test error",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(format=".0e", tickCount=6),
            ),
            detail="seed:N",
            color=alt.Color("solved:N", title="solved", scale=alt.Scale(domain=[True, False])),
            tooltip=["seed:N", "step:Q", alt.Tooltip("test:Q", format=".3g")],
        )
        .properties(width="container", height=220)
    )
    return chart.to_dict()
