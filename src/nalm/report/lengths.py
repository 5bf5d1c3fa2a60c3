"""Success by the length of sequences: rate, steps and sparsity error in three charts."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from nalm.report.chart_rows import ChartRow
from nalm.report.charts import PANELS
from nalm.report.line_styles import line_styles
from nalm.sweeps.types import Quantity

DRAWN = (Quantity.RATE, Quantity.SOLVED_AT, Quantity.SPARSITY)
FAR = 100
"""Lengths beyond this are drawn on a logarithmic scale."""


def length_rows(rows: Sequence[ChartRow]) -> list[dict[str, Any]]:
    """Return what is drawn of cells whose ranges are called after lengths."""
    found = []
    for row in rows:
        last = row.range.rpartition(" ")[2]
        if row.panel not in DRAWN or row.value is None or not last.isdecimal():
            continue
        name = " · ".join(part for part in (row.unit, row.setting) if part)
        title = PANELS[Quantity(row.panel)].title
        found.append({**asdict(row), "cell": name, "length": int(last), "quantity": title})
    return found


def lengths_chart(rows: list[dict[str, Any]], units: Sequence[str]) -> dict[str, Any]:
    """Return three charts by length, a line for each cell; diamonds are published values."""
    import altair as alt

    styles = line_styles({row["cell"]: row["unit"] for row in rows}, units, columns=2)
    titles = [PANELS[quantity].title for quantity in DRAWN]
    longest = max((row["length"] for row in rows), default=1)
    scale = alt.Scale(type="log") if longest > FAR else alt.Scale(nice=False)
    base = alt.Chart().encode(
        x=alt.X("length:Q", title="length of the sequence", scale=scale), **styles
    )
    tooltip = ["cell:N", "length:Q", "value:Q", "low:Q", "high:Q", "solved:Q", "runs:Q",
               "published:Q", "verdict:N"]  # fmt: skip
    band = (
        base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_area(opacity=0.15)
        .encode(y="low:Q", y2="high:Q")
    )
    line = base.mark_line(point=alt.OverlayMarkDef(size=18)).encode(
        y=alt.Y("value:Q", title=None, axis=alt.Axis(format=".2~g", tickCount=5)), tooltip=tooltip
    )
    published = (
        base.transform_filter("isValid(datum.published)")
        .mark_point(shape="diamond", size=60, filled=False)
        .encode(y="published:Q", tooltip=tooltip)
    )
    facet = alt.Facet("quantity:N", sort=titles, title=None, header=alt.Header(labelFontSize=11))
    layered = alt.layer(band, line, published).properties(width=260, height=200)
    chart = layered.facet(facet, columns=3, data=alt.Data(values=rows))
    return chart.resolve_scale(y="independent").to_dict()
