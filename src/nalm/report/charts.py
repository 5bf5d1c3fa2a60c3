"""The charts as Vega-Lite: rate, steps and sparsity error with intervals and published values.

A panel has one line per model and setting, and one column per range, so that nothing overlaps,
however many there are. Where there is one range only, the columns may be settings or inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap
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
    Quantity.RATE: Panel("Share of solved runs", "linear", (0, 0.5, 1), ".1~f"),
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
COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9",
    "#7b3294", "#8c510a", "#5b8c00", "#e7298a", "#4d4d4d", "#1b7f8c",
    "#a3232f", "#4a4adb",
)  # fmt: skip
"""The colors of units in figures; the page has its own, lighter ones where it is dark."""
SHAPES = {
    Verdict.AGREES.value: "circle",
    Verdict.DIFFERS.value: "triangle-up",
    Verdict.INCOMPARABLE.value: "square",
    "": "diamond",
}
"""The shape of each verdict; the last where nothing is published."""
LEGEND = (
    "Symbols with lines: ours with 95 % intervals. Upright strokes and dashed lines: published. "
    "Circle: agrees. Triangle: differs. Square: not comparable. Diamond: not published."
)
STEPS = "datum.value ? format(datum.value, '~s') : '0'"
"""The labels of an axis of steps: 0 is not "0k"."""
ROOM = 1.2
"""The factor by which a logarithmic scale is wider than its dots: one dot alone has ticks, too."""
WIDTH = 1000
"""The width of a figure in a file; on the page it is that of the window."""
NARROWEST, GAP = 100, 14
"""The least width of a panel of a figure, and the room between two."""
LETTER = 6
"""About the width of a letter below a title."""
STEP = 22
"""The height of a line."""
LABELS = 170
"""The largest width of the name of a line; longer ones are cut."""


def units_of(rows: Sequence[ChartRow]) -> list[str]:
    """Return the units that have a color, in the order of their colors."""
    return list(dict.fromkeys(row.unit for row in rows))


def panel_chart(
    quantity: Quantity,
    rows: Sequence[ChartRow],
    *,
    caption: Sequence[str] = (),
    width: int = WIDTH,
) -> dict[str, Any]:
    """Return one panel with the rows it draws: the color is the unit, the shape the verdict.

    Parameters
    ----------
    quantity
        What it shows.
    rows
        What it draws; those of other quantities are left out. Rows of several operations have
        their operation in the names of their lines.
    caption
        Lines below its title.
    width
        Its width in a file; on the page it is that of the window.
    """
    import altair as alt

    panel = PANELS[quantity]
    mine = [row for row in rows if row.panel == quantity]
    columns = list(dict.fromkeys(row.column for row in mine))
    name = "full" if len({row.op for row in mine}) > 1 else "line"
    names = alt.Axis(labelLimit=LABELS, labelPadding=6, ticks=False, grid=True, gridOpacity=0.5)
    lines = list(dict.fromkeys(row.full if name == "full" else row.line for row in mine))
    units = units_of(rows)
    palette = alt.Scale(domain=units, range=[COLORS[i % len(COLORS)] for i in range(len(units))])
    base = alt.Chart().encode(
        y=alt.Y(f"{name}:N", sort=lines, title=None, axis=names),
        color=alt.Color("unit:N", scale=palette, legend=None),
    )
    layers = [*_ours(base, quantity, panel), *_published(base, quantity, panel)]
    data = alt.Data(values=vega_values(mine))
    room, count = width - LABELS - GAP, max(1, len(columns))
    most = max(1, room // (NARROWEST + GAP))
    across = ceil(count / ceil(count / most))
    one = alt.layer(*layers, data=data).properties(
        width=max(60, room // across - GAP), height=alt.Step(STEP)
    )
    facet = alt.Facet("column:N", sort=columns, title=None, header=alt.Header(labelFontSize=11))
    chart = one.facet(facet, columns=across, bounds="flush", spacing={"column": GAP, "row": 30})
    below = subtitle(caption, width)
    chart = chart.properties(title=alt.Title(panel.title, anchor="start", fontSize=13, **below))
    return chart.to_dict()


def subtitle(caption: Sequence[str], width: int) -> dict[str, Any]:
    """Return the lines below a title, none of them wider than the figure.

    >>> subtitle(["ours and published"], 80)
    {'subtitle': ['ours and', 'published'], 'subtitlePadding': 6}
    """
    lines = [part for line in caption for part in wrap(line, max(1, int(width / LETTER)))]
    return {"subtitle": lines, "subtitlePadding": 6} if lines else {}


def _ours(base: Any, quantity: Quantity, panel: Panel) -> list[Any]:
    """Return our numbers with their intervals, and room on both sides of a logarithmic scale."""
    import altair as alt

    log = panel.scale == "log"
    scale = alt.Scale(type="log", nice=True) if log else alt.Scale(domain=[0, 1])
    axis = alt.Axis(
        format=panel.form,
        values=list(panel.marks),
        labelOverlap="greedy",
        labelSeparation=4,
        labelFlush=True,
    )
    shapes = alt.Scale(domain=list(SHAPES), range=list(SHAPES.values()))
    bars = (
        base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=1.5)
        .encode(x="low:Q", x2="high:Q")
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=scale, axis=axis),
        shape=alt.Shape("verdict:N", scale=shapes, legend=None),
        tooltip=_tooltip(quantity, panel),
    )
    room = [
        base.transform_calculate(room=f"datum.value * {factor}")
        .transform_filter("datum.room > 0")
        .mark_point(opacity=0)
        .encode(x="room:Q")
        for factor in ((1 / ROOM, ROOM) if log else ())
    ]
    return [bars, points, *room]


def _published(base: Any, quantity: Quantity, panel: Panel) -> list[Any]:
    """Return the published numbers with their intervals, a little below ours."""
    return [
        base.transform_filter("isValid(datum.published_low) && isValid(datum.published_high)")
        .mark_rule(strokeDash=[3, 2], yOffset=5)
        .encode(x="published_low:Q", x2="published_high:Q"),
        base.transform_filter("isValid(datum.published)")
        .mark_tick(thickness=2, size=11, yOffset=5)
        .encode(x="published:Q", tooltip=_tooltip(quantity, panel)),
    ]


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
    """Return both errors of single runs with the threshold; the page fills in the data."""
    import altair as alt

    error = alt.Scale(type="log")
    base = alt.Chart()
    lines = base.transform_filter("isValid(datum.error)").mark_line(opacity=0.7, strokeWidth=1.2)
    lines = lines.encode(
        x=alt.X("step:Q", title="step", axis=alt.Axis(labelExpr=STEPS, tickCount=5)),
        y=alt.Y(
            "error:Q",
            title="error",
            scale=error,
            axis=alt.Axis(format=".0e", tickCount=6),
        ),
        detail="seed:N",
        color=alt.Color("run:N", title=None, legend=alt.Legend(orient="bottom")),
        tooltip=[
            "seed:N",
            "run:N",
            "step:Q",
            alt.Tooltip("error:Q", format=".3g"),
            alt.Tooltip("threshold:Q", format=".3g"),
        ],
    )
    limit = (
        base.transform_filter("isValid(datum.threshold)")
        .transform_aggregate(threshold="min(threshold)", groupby=["of"])
        .mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
        .encode(y="threshold:Q", tooltip=[alt.Tooltip("threshold:Q", format=".3g")])
    )
    chart = alt.layer(lines, limit).properties(width=400, height=220)
    order = ["error on the test range", "error on the training range"]
    facet = alt.Facet("of:N", sort=order, title=None, header=alt.Header(labelFontSize=12))
    return chart.facet(facet, columns=2, data=alt.NamedData(name="curves")).to_dict()
