"""The tables of rates as one figure: a heat map for each operation."""

from collections.abc import Sequence
from typing import Any

from nalm.report.boards import Board
from nalm.report.charts import WIDTH, subtitle
from nalm.report.numbers import narrow_bounds, rate

SHADES = ("#f5f9fd", "#589edb")
"""The colors of the rates 0 and 1, those of the page: on all between them the ink is readable."""
INK = "#1c1e21"


def heat_map(boards: Sequence[Board], *, caption: Sequence[str] = (), width: int = WIDTH) -> Any:
    """Return a heat map for each operation, one below the other, with rates and intervals.

    Parameters
    ----------
    boards
        The tables of one experiment.
    caption
        Lines below the title.
    width
        The width of the figure.
    """
    import altair as alt

    columns = max(len(board.columns) for board in boards)
    step = max(46, (width - 190) // columns)
    maps = [_map(board, step) for board in boards]
    below = subtitle(caption, width)
    title = alt.Title(boards[0].measure.value.capitalize(), anchor="start", fontSize=13, **below)
    return alt.vconcat(*maps).properties(title=title).configure_view(stroke=None).to_dict()


def _map(board: Board, step: int) -> Any:
    import altair as alt

    values = [
        {
            "model": row.name,
            "column": column,
            "value": cell.estimate.value,
            "text": rate(cell.estimate.value),
            "interval": narrow_bounds(cell.estimate),
        }
        for row in board.rows
        for column, cell in zip(board.columns, row.cells, strict=True)
        if cell
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "column:N",
            sort=list(board.columns),
            title=None,
            axis=alt.Axis(labelAngle=-30, labelLimit=160, ticks=False, domain=False),
        ),
        y=alt.Y(
            "model:N",
            sort=[row.name for row in board.rows],
            title=None,
            axis=alt.Axis(labelLimit=170, ticks=False, domain=False),
        ),
    )
    scale = alt.Scale(domain=[0, 1], range=list(SHADES), interpolate="rgb")
    shade, ink = alt.Color("value:Q", scale=scale, legend=None), alt.value(INK)
    squares = base.mark_rect().encode(color=shade)
    texts = base.mark_text(fontSize=11, dy=-5, fontWeight="bold").encode(text="text:N", color=ink)
    small = base.mark_text(fontSize=8, dy=7).encode(text="interval:N", color=ink)
    return alt.layer(squares, texts, small).properties(
        width=alt.Step(step), height=alt.Step(30), title=alt.Title(board.op, anchor="start")
    )
