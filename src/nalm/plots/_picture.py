"""What every picture is: arrays, a chart of them, and a file of the chart."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from nalm._internal.checks import check_path
from nalm._internal.files import write_whole
from nalm.errors import InputError
from nalm.report.html import render

WIDTH = 260
"""The width of a panel, and its height unless it says more."""


def altair() -> Any:
    """Return altair, or say how it is installed."""
    return _needed("altair")


def _needed(package: str) -> Any:
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise InputError(f"A picture needs {package}: pip install 'nalm[report]'.") from None


def _html(chart: Any) -> bytes:
    for package in ("jinja2", "vl_convert"):
        _needed(package)
    spec = chart.to_dict()
    title = spec.pop("title")["text"]
    return render("picture.html", title=title, data=spec, script="picture.js").encode()


FORMATS: dict[str, Callable[[Any], bytes]] = {
    ".html": _html,
    ".json": lambda chart: chart.to_json().encode(),
    ".pdf": lambda chart: _needed("vl_convert").vegalite_to_pdf(chart.to_dict()),
    ".png": lambda chart: _needed("vl_convert").vegalite_to_png(chart.to_dict(), scale=2),
    ".svg": lambda chart: _needed("vl_convert").vegalite_to_svg(chart.to_dict()).encode(),
}
"""How a chart becomes a file, by the ending of its name; JSON is its Vega-Lite description."""
INTERACTIVE = {".html", ".json"}
"""The endings of files in which sliders move."""


@dataclass(frozen=True)
class Picture(ABC):
    """Arrays that a chart shows; the fields of each kind of picture say which.

    Parameters
    ----------
    title
        What is seen.
    """

    title: str

    @abstractmethod
    def draw(self, *, still: bool) -> Any:
        """Return the altair chart without its title; a still one needs no slider."""

    def chart(self, *, still: bool = False) -> Any:
        """Return the picture as an altair chart.

        Parameters
        ----------
        still
            Show all of it at once, without a slider, as it is printed.

        Returns
        -------
        altair.Chart
            The chart, which a notebook shows.
        """
        alt = altair()
        title = alt.Title(self.title, anchor="start", fontSize=13)
        return self.draw(still=still).properties(title=title)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the picture to a file: interactive HTML, SVG, PNG, PDF or Vega-Lite JSON.

        Parameters
        ----------
        path
            The file; its ending says what is written.

        Returns
        -------
        pathlib.Path
            The file.
        """
        check_path("A picture", path)
        file = Path(path)
        ending = file.suffix.lower()
        if ending not in FORMATS:
            raise InputError(
                f"A picture is written as {', '.join(FORMATS)}; received {file.name!r}. Give the "
                "file one of these endings."
            )
        write_whole(file, FORMATS[ending](self.chart(still=ending not in INTERACTIVE)))
        return file

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the chart for a notebook."""
        return self.chart()._repr_mimebundle_(**options)


@dataclass(frozen=True)
class Panels(Picture):
    """Pictures side by side.

    Parameters
    ----------
    title
        What is seen.
    pictures
        The pictures.
    columns
        How many are in a row; all if absent.
    """

    pictures: tuple[Picture, ...]
    columns: int | None = None

    def draw(self, *, still: bool) -> Any:
        """Return the charts, each with its title."""
        charts = [picture.chart(still=still) for picture in self.pictures]
        joined = altair().concat(*charts, columns=self.columns or len(charts))
        return joined.resolve_scale(color="independent")
