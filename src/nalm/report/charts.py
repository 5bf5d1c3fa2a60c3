"""The figures as Vega-Lite: rate, steps and sparsity with intervals, and what is in print."""

from collections.abc import Sequence
from typing import Any

FILTERS = ("unit", "op", "range", "setting")
PANELS = {
    "rate": ("Success rate", "low", "high", False, ".1f"),
    "solved_at": ("Solved at (step)", "solved_at_low", "solved_at_high", True, "~s"),
    "sparsity": ("Sparsity error", "sparsity_low", "sparsity_high", True, ".0e"),
}
"""The panels of the papers: field, title, ends of the interval, logarithmic or not, format."""
SMALLEST = 1e-10
"""Where the logarithmic scale of sparsity errors begins; smaller ones are drawn there."""


def values_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows as data of the charts: one series per model and setting."""
    several = len({row["inputs"] for row in rows}) > 1
    clean = [{k: printable(v) for k, v in row.items()} for row in rows]
    return [{**drawn(row), "series": series_of(row, several)} for row in clean]


def printable(value: Any) -> Any:
    """Return a text without line separators and control characters, which Vega cannot parse."""
    if not isinstance(value, str):
        return value
    return "".join(c if c.isprintable() else " " for c in value)


def drawn(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose sparsity errors can be drawn on a logarithmic scale."""
    fields = ("sparsity", "sparsity_low", "sparsity_high")
    return row | {f: max(row[f], SMALLEST) for f in fields if row[f] is not None}


def series_of(row: dict[str, Any], several: bool) -> str:
    """Return the name of the line in the legend."""
    parts = [row["unit"], row["setting"], f"{row['inputs']} inputs" if several else ""]
    return " · ".join(part for part in parts if part)


def first_choice(field: str, rows: Sequence[dict[str, Any]]) -> str | None:
    """Return what a filter shows at first: one operation, and everything of the others."""
    return rows[0]["op"] if field == "op" and rows else None


def panel(name: str, values: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one panel; its parameters unit, op, range and setting choose what is drawn."""
    import altair as alt

    title, low, high, logarithmic, form = PANELS[name]
    order = list(dict.fromkeys(value["range"] for value in values))
    series = list(dict.fromkeys(value["series"] for value in values))
    parameters = [alt.param(name=f"by_{f}", value=first_choice(f, values)) for f in FILTERS]
    chosen = " && ".join(f"(!by_{f} || datum.{f} == by_{f})" for f in FILTERS)
    scale = alt.Scale(type="log", nice=False) if logarithmic else alt.Scale(domain=[0, 1])
    base = (
        alt.Chart(alt.Data(values=values))
        .transform_filter(chosen)
        .transform_filter(f"isValid(datum.{name})")
        .encode(
            x=alt.X("range:N", sort=order, title=None, axis=alt.Axis(labelAngle=-35)),
            xOffset=alt.XOffset("series:N"),
            color=alt.Color(
                "series:N",
                title=None,
                scale=alt.Scale(domain=series, scheme="tableau20"),
                legend=alt.Legend(orient="bottom", columns=3, symbolLimit=60),
            ),
        )
    )
    tooltip = [
        alt.Tooltip("series:N", title="model"),
        alt.Tooltip("op:N"),
        alt.Tooltip("range:N"),
        alt.Tooltip("successes:Q", title="solved"),
        alt.Tooltip("runs:Q", title="of runs"),
        alt.Tooltip(f"{name}:Q", title=title, format=".3g"),
        alt.Tooltip(f"{low}:Q", title="from", format=".3g"),
        alt.Tooltip(f"{high}:Q", title="to", format=".3g"),
        alt.Tooltip("diverged:Q"),
        alt.Tooltip("published:Q", format=".2f"),
        alt.Tooltip("verdict:N"),
        alt.Tooltip("source:N"),
    ]
    bars = base.mark_rule(strokeWidth=1.5).encode(y=alt.Y(f"{low}:Q"), y2=f"{high}:Q")
    points = base.mark_point(filled=True, size=45).encode(
        y=alt.Y(f"{name}:Q", title=title, scale=scale, axis=alt.Axis(format=form, tickCount=5)),
        tooltip=tooltip,
    )
    layers = [bars, points]
    if name == "rate":
        said = base.transform_filter("isValid(datum.published_low)")
        layers += [
            said.mark_rule(strokeDash=[3, 2], opacity=0.7).encode(
                y="published_low:Q", y2="published_high:Q"
            ),
            said.transform_filter("isValid(datum.published)")
            .mark_point(shape="diamond", size=110, filled=False)
            .encode(y="published:Q", tooltip=tooltip),
        ]
    chart = alt.layer(*layers).add_params(*parameters).properties(width="container", height=230)
    return chart.to_dict()


def curves_chart() -> dict[str, Any]:
    """Return the learning curves of single runs; the page fills in the data."""
    import altair as alt

    chart = (
        alt.Chart(alt.NamedData(name="curves"))
        .mark_line(opacity=0.7)
        .encode(
            x=alt.X("step:Q", title="step"),
            y=alt.Y("test:Q", title="test error", scale=alt.Scale(type="log")),
            detail="seed:N",
            color=alt.Color("solved:N", title="solved"),
            tooltip=["seed:N", "step:Q", alt.Tooltip("test:Q", format=".3g")],
        )
        .properties(width="container", height=220)
    )
    return chart.to_dict()
