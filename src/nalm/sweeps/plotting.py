"""Charts of results, as altair objects."""

from collections.abc import Sequence
from importlib import import_module
from math import inf
from typing import Any

from nalm.errors import InputError
from nalm.sweeps.flat import Row
from nalm.sweeps.runs import CellRuns

POINTS = 200
"""The most points of a drawn curve."""
CELLS = 12
"""The most cells whose curves are drawn."""


def needed(package: str, what: str, extra: str) -> Any:
    """Return a package, or raise an error that says how to install it."""
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise InputError(f"{what} needs {package}: pip install 'nalm[{extra}]'.") from None


def rates_chart(rows: Sequence[Row]) -> Any:
    """Return success rates with 95 % intervals, one line per cell."""
    alt = needed("altair", "plot", "report")
    several = len({row["inputs"] for row in rows}) > 1
    values = [
        {
            "cell": _label(row, several),
            "op": row["op"],
            "rate": row["rate"],
            "low": row["low"],
            "high": row["high"],
            "solved": f"{row['successes']} of {row['runs']}",
        }
        for row in rows
    ]
    base = alt.Chart().encode(y=alt.Y("cell:N", sort=None, title=None))
    scale = alt.Scale(domain=[0, 1])
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, title="success rate, 95 % interval"), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("rate:Q", scale=scale),
        tooltip=["cell:N", "op:N", "solved:N", "rate:Q", "low:Q", "high:Q"],
    )
    chart = alt.layer(bars, points, data=alt.Data(values=values)).properties(width=400)
    ops = list(dict.fromkeys(value["op"] for value in values))
    if len(ops) == 1:
        return chart.properties(title=ops[0])
    return chart.facet(row=alt.Row("op:N", sort=ops, title=None)).resolve_scale(y="independent")


def curves_chart(cells: Sequence[CellRuns]) -> Any:
    """Return the test error of each run over the training steps, with the threshold."""
    alt = needed("altair", "plot", "report")
    values, limits = [], []
    for cell in cells[:CELLS]:
        limits.append({"cell": str(cell.key), "threshold": cell.setup.threshold})
        for run in cell.runs:
            curves = run.curves
            every = max(1, len(curves.steps) // POINTS)
            errors = curves.test[::every]
            values += [
                {
                    "cell": str(cell.key),
                    "seed": run.seed,
                    "step": int(step),
                    "error": float(error),
                    "run": "solved" if run.success else "not solved",
                }
                for step, error in zip(curves.steps[::every], errors, strict=True)
                if 0 < error < inf
            ]
    lines = (
        alt.Chart(alt.Data(values=values))
        .mark_line(strokeWidth=1, opacity=0.6)
        .encode(
            x=alt.X("step:Q", title="training step"),
            y=alt.Y("error:Q", scale=alt.Scale(type="log"), title="mean squared test error"),
            color=alt.Color("run:N", scale=alt.Scale(domain=["solved", "not solved"]), title=None),
            detail="seed:N",
            tooltip=["seed:N", "step:Q", "error:Q", "run:N"],
        )
    )
    if len(limits) == 1:
        rule = (
            alt.Chart(alt.Data(values=limits))
            .mark_rule(strokeDash=[4, 3])
            .encode(y="threshold:Q", tooltip=["threshold:Q"])
        )
        return alt.layer(lines, rule).properties(width=500, title=limits[0]["cell"])
    return lines.properties(width=260, height=180).facet(
        facet=alt.Facet("cell:N", sort=[limit["cell"] for limit in limits], title=None), columns=3
    )


def _label(row: Row, several: bool) -> str:
    inputs = f"{row['inputs']} inputs" if several else ""
    return " · ".join(part for part in (row["unit"], row["range"], inputs, row["setting"]) if part)
