"""Curves over one axis."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nalm.plots._picture import WIDTH, Picture, altair


class Series(NamedTuple):
    """One curve."""

    label: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Lines(Picture):
    """Curves over one axis.

    Parameters
    ----------
    title
        What is seen.
    names
        What the axes are.
    series
        The curves.
    logarithmic
        Whether the axes are logarithmic; numbers that are not above 0 are left out then.
    shaded
        An interval of the first axis that is marked, such as the training range.
    """

    names: tuple[str, str]
    series: tuple[Series, ...]
    logarithmic: tuple[bool, bool] = (False, False)
    shaded: tuple[float, float] | None = None

    def draw(self, *, still: bool) -> Any:  # noqa: ARG002 (it has no slider)
        """Return the curves."""
        alt = altair()
        rows = [
            {"label": s.label, "x": float(x), "y": float(y)}
            for s in self.series
            for x, y in zip(s.x, s.y, strict=True)
            if self._drawn(x, y)
        ]
        x, y = (
            kind(
                f"{letter}:Q",
                title=name,
                scale=alt.Scale(type="log") if log else alt.Scale(zero=False, nice=False),
                **({"axis": alt.Axis(format=".0e", tickCount=6)} if log else {}),
            )
            for kind, letter, name, log in zip(
                (alt.X, alt.Y), "xy", self.names, self.logarithmic, strict=True
            )
        )
        order = [s.label for s in self.series]
        color = alt.Color("label:N", title=None, sort=order)
        if len(order) == 1:
            color = alt.value("#0072b2")
        lines = (
            alt.Chart(alt.Data(values=rows))
            .mark_line(strokeWidth=1.6, point=any(len(s.x) == 1 for s in self.series))
            .encode(x=x, y=y, color=color, detail="label:N",
                    tooltip=["label:N", alt.Tooltip("x:Q", format=".4g"),
                             alt.Tooltip("y:Q", format=".4g")])
            .properties(width=int(1.3 * WIDTH), height=WIDTH)
        )  # fmt: skip
        if self.shaded is None:
            return lines
        band = (
            alt.Chart(alt.Data(values=[{"x": self.shaded[0], "x2": self.shaded[1]}]))
            .mark_rect(opacity=0.15, color="#0072b2")
            .encode(x="x:Q", x2="x2:Q")
        )
        return band + lines

    def _drawn(self, x: float, y: float) -> bool:
        pairs = zip((x, y), self.logarithmic, strict=True)
        return all(np.isfinite(number) and (number > 0 or not log) for number, log in pairs)
