"""Numbers over two axes as colors, with a slider where there are several grids."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm.plots._drawing import LEVELS, Mark, grid_chart, grid_rows, level_edges, marked
from nalm.plots._picture import Picture, altair


@dataclass(frozen=True)
class Grid(Picture):
    """Numbers over two axes; several grids have a slider, or are side by side in a still picture.

    Parameters
    ----------
    title
        What is seen.
    names
        What the axes are.
    x, y
        Their values.
    values
        The numbers, `(slices, y, x)`.
    value
        What they are.
    slices
        What the slider moves over, one value for each grid.
    slider
        What that is; no text if there is one grid.
    limit
        Numbers above it have the color of it.
    levels
        How many colors there are.
    marks
        Points that are marked.
    scheme
        The colors, a scheme of Vega.
    """

    names: tuple[str, str]
    x: np.ndarray
    y: np.ndarray
    values: np.ndarray
    value: str
    slices: tuple[float, ...] = (0.0,)
    slider: str = ""
    limit: float | None = None
    levels: int = LEVELS
    marks: tuple[Mark, ...] = ()
    scheme: str = "viridis"

    def draw(self, *, still: bool) -> Any:
        """Return the colors, with a slider or side by side."""
        alt = altair()
        shown = self.values if self.limit is None else np.minimum(self.values, self.limit)
        edges = level_edges(shown, self.levels)
        domain = (float(edges[0]), float(edges[-1]))
        panels = [grid_rows(self.x, self.y, grid, edges, slice=i) for i, grid in enumerate(shown)]
        if len(panels) == 1:
            return self._one(panels[0], domain)
        if still:
            charts = [
                self._one(rows, domain).properties(title=f"{self.slider} = {value:g}")
                for rows, value in zip(panels, self.slices, strict=True)
            ]
            return alt.concat(*charts, columns=2 if len(charts) == 4 else 3)
        labels = [f"{value:g}" for value in self.slices]
        name = f"{self.slider}, from {labels[0]} to {labels[-1]} "
        bound = alt.binding_range(min=0, max=len(labels) - 1, step=1, name=name)
        chosen = alt.param(name="shown", value=0, bind=bound)
        everything = [row for rows in panels for row in rows]
        values = [{"slice": i, "label": f"{self.slider} = {x}"} for i, x in enumerate(labels)]
        told = (
            alt.Chart(alt.Data(values=values))
            .transform_filter(alt.datum.slice == chosen)
            .mark_text(align="left", fontSize=13, fontWeight="bold", color="white")
            .encode(x=alt.value(8), y=alt.value(14), text="label:N")
        )
        return (self._one(everything, domain, chosen) + told).add_params(chosen)

    def _one(self, rows: Any, domain: tuple[float, float], chosen: Any = None) -> Any:
        alt = altair()
        chart = grid_chart(rows, self.names, self.value, domain=domain, scheme=self.scheme)
        if chosen is not None:
            chart = chart.transform_filter(alt.datum.slice == chosen)
        return chart + marked(self.marks) if self.marks else chart
