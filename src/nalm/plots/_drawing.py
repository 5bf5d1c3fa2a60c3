"""Marks that several pictures share: colored grids, arrows and points."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from nalm.plots._picture import WIDTH, altair

LEVELS = 40
"""How many colors a grid has unless it says more."""


OVERLAP = 1.5
"""Neighbours overlap by a quarter of a square, or the background would shine through the seams."""


class Mark(NamedTuple):
    """A point that is marked, and why."""

    x: float
    y: float
    label: str


def grid_rows(
    x: np.ndarray, y: np.ndarray, values: np.ndarray, edges: np.ndarray, **same: Any
) -> list[dict[str, Any]]:
    """Return rectangles of equal color: neighbours in a row of the grid are joined.

    Parameters
    ----------
    x, y
        The middles of the columns and of the rows, evenly spaced.
    values
        The numbers, `(rows, columns)`; where one is not a number, nothing is drawn.
    edges
        The ends of the intervals that have one color each.
    **same
        What all rectangles have.

    Examples
    --------
    >>> line = np.array([0.0, 1.0])
    >>> grid_rows(line, line[:1], np.array([[3.0, 3.1]]), np.array([0.0, 4.0]))
    [{'x': -0.5, 'x2': 1.5, 'y': -0.5, 'y2': 0.5, 'value': 2.0}]
    """
    half_x, half_y = (_half(axis, x) for axis in (x, y))
    rows = []
    for y_i, line in zip(y, values, strict=True):
        up = half_y * (1 if y_i == y[-1] else OVERLAP)
        known = np.isfinite(line)
        level = np.clip(np.digitize(line, edges) - 1, 0, len(edges) - 2)
        level = np.where(known, level, -1)
        starts = np.flatnonzero(np.diff(level, prepend=-2))
        for start, stop in zip(starts, [*starts[1:], len(level)], strict=True):
            if (k := level[start]) >= 0:
                rows.append(
                    {
                        "x": float(x[start] - half_x),
                        "x2": float(x[stop - 1] + half_x * (1 if stop == len(x) else OVERLAP)),
                        "y": float(y_i - half_y),
                        "y2": float(y_i + up),
                        "value": float((edges[k] + edges[k + 1]) / 2),
                        **same,
                    }
                )
    return rows


def _half(axis: np.ndarray, other: np.ndarray) -> float:
    """Return half the step of an axis; that of the other one if there is one value only."""
    steps = axis if len(axis) > 1 else other
    return float(steps[1] - steps[0]) / 2


def level_edges(values: np.ndarray, levels: int = LEVELS) -> np.ndarray:
    """Return the ends of intervals of equal width over all finite values."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    return np.linspace(low, high if high > low else low + 1.0, levels + 1)


def grid_chart(
    rows: Sequence[Mapping[str, Any]],
    names: tuple[str, str],
    value: str,
    *,
    scheme: str = "viridis",
    domain: tuple[float, float] | None = None,
) -> Any:
    """Return the colored grid; `value` is the title of its colors."""
    alt = altair()
    scale = alt.Scale(scheme=scheme, **({} if domain is None else {"domain": list(domain)}))
    free = alt.Scale(zero=False, nice=False)
    return (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_rect(strokeWidth=0)
        .encode(
            x=alt.X("x:Q", title=names[0], scale=free),
            x2="x2:Q",
            y=alt.Y("y:Q", title=names[1], scale=free),
            y2="y2:Q",
            color=alt.Color("value:Q", title=value, scale=scale),
            tooltip=[alt.Tooltip("value:Q", title=value, format=".4g")],
        )
        .properties(width=WIDTH, height=WIDTH)
    )


def arrows(
    start: np.ndarray, end: np.ndarray, color: Sequence[str] | str, colors: Mapping[str, str]
) -> Any:
    """Return arrows from points `(n, 2)` to points; `color` is a key of `colors` for each."""
    alt = altair()
    kinds = [color] * len(start) if isinstance(color, str) else color
    turn = np.degrees(np.arctan2(end[:, 0] - start[:, 0], end[:, 1] - start[:, 1]))
    rows = [
        {"x": float(a[0]), "y": float(a[1]), "x2": float(b[0]), "y2": float(b[1]),
         "turn": float(t), "kind": kind}
        for a, b, t, kind in zip(start, end, turn, kinds, strict=True)
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=list(colors), range=list(colors.values())),
            legend=None if len(colors) == 1 else alt.Legend(),
        )
    )
    lines = base.mark_rule(strokeWidth=0.8, opacity=0.6).encode(
        x="x:Q", y="y:Q", x2="x2:Q", y2="y2:Q"
    )
    heads = base.mark_point(shape="wedge", filled=True, size=30, opacity=0.9).encode(
        x="x2:Q",
        y="y2:Q",
        angle=alt.Angle("turn:Q", scale=alt.Scale(domain=[0, 360], range=[0, 360])),
    )
    return lines + heads


def marked(marks: Sequence[Mark]) -> Any:
    """Return crosses with their labels."""
    alt = altair()
    rows = [mark._asdict() for mark in marks]
    base = alt.Chart(alt.Data(values=rows)).encode(x="x:Q", y="y:Q")
    cross = base.mark_point(shape="cross", size=90, filled=True, color="#d55e00", opacity=1).encode(
        tooltip=["label:N", "x:Q", "y:Q"]
    )
    text = base.mark_text(dx=6, dy=-8, align="left", fontWeight="bold", color="white").encode(
        text="label:N"
    )
    return cross + text


def boxes(intervals: Sequence[tuple[float, float]], color: str) -> Any:
    """Return a frame for each interval of the first axis with each of the second."""
    alt = altair()
    rows = [{"x": x[0], "x2": x[1], "y": y[0], "y2": y[1]} for x, y in product(intervals, repeat=2)]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect(fillOpacity=0, stroke=color, strokeWidth=2)
        .encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q")
    )
