"""The figures as Vega-Lite: rate, steps and sparsity with intervals, and what is in print.

A panel has one line per model and setting, and one column per range, so that nothing overlaps,
however many there are. Where there is one range only, the columns may be settings or inputs.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

FILTERS = ("unit", "op", "range", "setting", "inputs")
STEPS: list[float] = [digit * 10**n for n in range(8) for digit in (1, 2, 5)]


class Panel(NamedTuple):
    """What a panel shows: fields of the rows, and how their scale is marked."""

    title: str
    field: str
    scale: Literal["linear", "log"]
    marks: list[float]
    written: str
    """The format of the marks."""
    published: str
    """The field of what is in print."""
    verdict: str

    @property
    def ends(self) -> tuple[str, str]:
        """The fields of the ends of the interval."""
        return ("low", "high") if self.field == "rate" else _ends(self.field)


def _ends(field: str) -> tuple[str, str]:
    return f"{field}_low", f"{field}_high"


PANELS = {
    panel.field: panel
    for panel in (
        Panel(
            title="Success rate",
            field="rate",
            scale="linear",
            marks=[0, 0.5, 1],
            written=".1~f",
            published="published",
            verdict="verdict",
        ),
        Panel(
            title="Mean step of solved runs",
            field="solved_at",
            scale="log",
            marks=STEPS,
            written="~s",
            published="published_solved_at",
            verdict="solved_at_verdict",
        ),
        Panel(
            title="Mean sparsity error of solved runs",
            field="sparsity",
            scale="log",
            marks=[10.0**n for n in range(-10, 3)],
            written=".0e",
            published="published_sparsity",
            verdict="sparsity_verdict",
        ),
    )
}
"""The panels of the papers."""
LEAST = {"solved_at": 1, "sparsity": 1e-10}
"""Where a logarithmic scale begins; what is smaller is drawn there."""
VERDICTS = {"agrees": "#0072b2", "differs": "#d55e00", "not comparable": "#8a5a9b", "": "#6b7280"}
"""The colour of each verdict; the last where nothing is in print."""
LEGEND = (
    "Dots: ours, with 95 % intervals. Diamonds and dashed lines: published. "
    "Blue agrees, orange differs, purple cannot be compared, grey is not in print."
)
ROOM = 1.2
"""The factor by which a logarithmic scale is wider than its dots: one dot alone has ticks, too."""
WIDTH = 1000
"""The width of a figure in a file; on the page it is that of the window."""
STEP = 17
"""The height of a line."""
LABELS = 170
"""The most that the name of a line may take; longer ones are cut."""


def values_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows as data of the charts, each with its line and column."""
    field = column_field(rows)
    parts = line_fields(rows, field)
    clean = [{k: printable(v) for k, v in row.items()} for row in rows]
    return [
        {
            **drawn(row),
            "line": line_of(row, parts),
            "column": named(field, row[field]),
            **{f"{name}_said": row[panel.verdict] or "" for name, panel in PANELS.items()},
        }
        for row in clean
    ]


def printable(value: Any) -> Any:
    """Return a text without line separators and control characters, which Vega cannot parse."""
    if not isinstance(value, str):
        return value
    return "".join(c if c.isprintable() else " " for c in value)


def drawn(row: dict[str, Any]) -> dict[str, Any]:
    """Return what is drawn of a row: numbers that fit their scales, two bounds of a published rate.

    Single runs are left out.
    """
    row = {name: value for name, value in row.items() if not isinstance(value, list)}
    for field, least in LEAST.items():
        published = PANELS[field].published
        names = (field, *_ends(field), published, *_ends(published))
        row = row | {name: max(row[name], least) for name in names if row[name] is not None}
    if row["published_low"] is None and row["published_high"] is None:
        return row
    return row | {
        end: limit if row[end] is None else row[end]
        for end, limit in (("published_low", 0.0), ("published_high", 1.0))
    }


def column_field(rows: Sequence[dict[str, Any]]) -> str:
    """Return what the columns are: ranges, or else settings or inputs that several units share."""
    if len({row["range"] for row in rows}) > 1:
        return "range"
    return next((f for f in ("setting", "inputs") if _is_column(f, rows)), "range")


def _is_column(field: str, rows: Sequence[dict[str, Any]]) -> bool:
    units: dict[Any, set[str]] = {}
    for row in rows:
        units.setdefault(row[field], set()).add(row["unit"])
    return len(units) > 1 and all(len(names) > 1 for names in units.values())


def line_fields(rows: Sequence[dict[str, Any]], column: str) -> list[str]:
    """Return what tells the lines of a column apart; a unit that all lines share does not."""
    parts: list[str] = []
    for field in ("setting", "inputs", "range"):
        if field != column and _varies(field, rows, ("op", "unit", column, *parts)):
            parts.append(field)
    several = len({row["unit"] for row in rows}) > 1
    return ["unit", *parts] if several or not parts else parts


def _varies(field: str, rows: Sequence[dict[str, Any]], within: Sequence[str]) -> bool:
    groups: dict[tuple, set] = {}
    for row in rows:
        groups.setdefault(tuple(row[f] for f in within), set()).add(row[field])
    return any(len(values) > 1 for values in groups.values())


def line_of(row: dict[str, Any], parts: Sequence[str]) -> str:
    """Return the name of a line."""
    return " · ".join(name for part in parts if (name := named(part, row[part]))) or row["unit"]


def named(field: str, value: Any) -> str:
    """Return a value with what it counts."""
    return f"{value} input{'s' * (value != 1)}" if field == "inputs" else str(value)


def first_choice(field: str, rows: Sequence[dict[str, Any]]) -> str | None:
    """Return what a filter shows at first: one operation, and everything of the others."""
    return rows[0]["op"] if field == "op" and rows else None


def panel(name: str, values: list[dict[str, Any]], about: str = "") -> dict[str, Any]:
    """Return one panel with the data that it draws; in a file it says what it is about."""
    import altair as alt

    shown = PANELS[name]
    low, high = shown.ends
    published_low, published_high = _ends(shown.published)
    columns = list(dict.fromkeys(value["column"] for value in values))
    lines = list(dict.fromkeys(value["line"] for value in values))
    log = shown.scale == "log"
    scale = alt.Scale(type="log", nice=True) if log else alt.Scale(domain=[0, 1])
    axis = alt.Axis(
        format=shown.written,
        values=shown.marks,
        labelOverlap="greedy",
        labelSeparation=4,
        labelFlush=True,
    )
    names = alt.Axis(labelLimit=LABELS, labelPadding=6, ticks=False, grid=True, gridOpacity=0.5)
    base = alt.Chart().encode(
        y=alt.Y("line:N", sort=lines, title=None, axis=names),
        color=alt.Color(f"{name}_said:N", scale=alt.Scale(domain=list(VERDICTS)), legend=None),
    )
    tooltip = [
        alt.Tooltip("unit:N"),
        alt.Tooltip("setting:N"),
        alt.Tooltip("op:N"),
        alt.Tooltip("range:N"),
        alt.Tooltip("inputs:Q"),
        alt.Tooltip("successes:Q", title="solved"),
        alt.Tooltip("runs:Q", title="of runs"),
        alt.Tooltip(f"{name}:Q", title=shown.title, format=".3g"),
        alt.Tooltip(f"{low}:Q", title="from", format=".3g"),
        alt.Tooltip(f"{high}:Q", title="to", format=".3g"),
        *([alt.Tooltip("sparsity_interval:N", title="interval")] if name == "sparsity" else []),
        alt.Tooltip("diverged:Q"),
        alt.Tooltip(f"{shown.published}:Q", title="published", format=".3g"),
        *_by_authors(name),
        alt.Tooltip(f"{shown.verdict}:N", title="verdict"),
        alt.Tooltip(f"{shown.verdict.replace('verdict', 'source')}:N", title="source"),
    ]
    bars = (
        base.transform_filter(f"isValid(datum.{low}) && isValid(datum.{high})")
        .mark_rule(strokeWidth=1.5)
        .encode(x=f"{low}:Q", x2=f"{high}:Q")
    )
    points = base.mark_point(filled=True, size=38, opacity=1).encode(
        x=alt.X(f"{name}:Q", title=None, scale=scale, axis=axis), tooltip=tooltip
    )
    published = [
        base.transform_filter(f"isValid(datum.{published_low}) && isValid(datum.{published_high})")
        .mark_rule(strokeDash=[3, 2], yOffset=4)
        .encode(x=f"{published_low}:Q", x2=f"{published_high}:Q"),
        base.transform_filter(f"isValid(datum.{shown.published})")
        .mark_point(shape="diamond", size=60, filled=False, yOffset=4)
        .encode(x=f"{shown.published}:Q", tooltip=tooltip),
    ]
    room = [
        base.transform_calculate(room=f"datum.{name} * {factor}")
        .transform_filter("datum.room > 0")
        .mark_point(opacity=0)
        .encode(x="room:Q")
        for factor in ((1 / ROOM, ROOM) if log else ())
    ]
    one = alt.layer(bars, points, *published, *room, data=alt.Data(values=values)).properties(
        width=max(60, (WIDTH - 180) // max(1, len(columns)) - 14), height=alt.Step(STEP)
    )
    facet = alt.Facet("column:N", sort=columns, title=None, header=alt.Header(labelFontSize=11))
    chart = one.facet(
        facet, columns=len(columns) or 1, bounds="flush", spacing={"column": 14, "row": 30}
    )
    said = {"subtitle": [about, LEGEND], "subtitlePadding": 6} if about else {}
    chart = chart.properties(title=alt.Title(shown.title, anchor="start", fontSize=13, **said))
    return chart.configure_range(category=list(VERDICTS.values())).to_dict()


def _by_authors(name: str) -> list[Any]:
    """Return what is compared where the papers' estimate of the mean step is in print."""
    import altair as alt

    if name != "solved_at":
        return []
    return [alt.Tooltip("solved_at_by_authors:Q", title="ours, their way", format=".3g")]


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
