"""How the lines of cells are drawn: the color is the unit, the dashes are its setting."""

from collections.abc import Mapping, Sequence
from typing import Any

from nalm.report.charts import COLORS

DASHES = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3), (12, 4), (4, 1))
"""The dashes of the settings of a unit; the first is a whole line."""


def line_styles(
    cells: Mapping[str, str], units: Sequence[str], *, columns: int = 1
) -> dict[str, Any]:
    """Return the encodings of the lines of cells.

    Parameters
    ----------
    cells
        The unit of each cell, by what the cell is called.
    units
        The units in the order of their colors.
    columns
        How many columns the legend has.
    """
    import altair as alt

    colors, dashes, used = [], [], dict.fromkeys(units, 0)
    for unit in cells.values():
        colors.append(COLORS[units.index(unit) % len(COLORS)])
        dashes.append(list(DASHES[used[unit] % len(DASHES)]))
        used[unit] += 1
    names = list(cells)
    legend = alt.Legend(
        orient="bottom",
        columns=columns,
        labelLimit=300 // columns,
        symbolType="stroke",
        symbolOpacity=1,
        symbolStrokeWidth=2,
    )
    color = alt.Scale(domain=names, range=colors)
    dash = alt.Scale(domain=names, range=dashes)
    return {
        "color": alt.Color("cell:N", sort=names, title=None, scale=color, legend=legend),
        "strokeDash": alt.StrokeDash("cell:N", sort=names, title=None, scale=dash, legend=legend),
    }
