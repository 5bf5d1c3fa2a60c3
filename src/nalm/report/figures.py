"""A few figures of each experiment as files, with captions."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nalm._internal.checks import check_whole, shown
from nalm._internal.files import write_whole
from nalm.errors import InputError
from nalm.report.boards import boards
from nalm.report.chart_rows import chart_rows
from nalm.report.charts import LEGEND, PANELS, WIDTH, panel_chart
from nalm.report.heat_map import heat_map
from nalm.report.pictures import pictures
from nalm.report.results import ExperimentRuns

FORMATS = ("svg", "pdf", "png")
LONGEST = 100
"""The most characters of an experiment in the name of a file."""
MOST_LINES = 80
"""The most lines of a panel in a file; an experiment with more has a file for each operation."""
CAPTIONS = "captions.md"


@dataclass(frozen=True)
class FigureOptions:
    """How figures are written.

    Parameters
    ----------
    formats
        Of "svg", "pdf" and "png".
    width
        The width of a figure, in pixels.
    captions
        Whether a figure has its caption in it; `captions.md` has it in any case.
    """

    formats: tuple[str, ...] = ("svg",)
    width: int = WIDTH
    captions: bool = True

    def __post_init__(self) -> None:
        unknown = [name for name in self.formats if name not in FORMATS]
        if unknown or not self.formats:
            raise InputError(
                f"Figures are {', '.join(FORMATS)}; received {shown(', '.join(self.formats))}. "
                "Write svg,pdf for both, for example."
            )
        check_whole("the width of figures", self.width, 200)


@dataclass(frozen=True)
class Figure:
    """A figure without its format."""

    name: str
    caption: tuple[str, ...]
    draw: Callable[..., dict[str, Any]]


def write_figures(
    experiments: Sequence[ExperimentRuns], folder: Path, options: FigureOptions
) -> None:
    """Write the figures of each experiment, and a file with their captions."""
    folder.mkdir(parents=True, exist_ok=True)
    render, written, captions = _renderers(), set(), ["# Captions\n"]
    for experiment in experiments:
        if not experiment.runs:
            continue
        for figure in figures(experiment):
            name = _unused(figure.name, written)
            caption = figure.caption if options.captions else ()
            spec = figure.draw(caption=caption, width=options.width)
            for ending in options.formats:
                write_whole(folder / f"{name}.{ending}", render[ending](spec))
            captions.append(f"- `{name}`: {' '.join(figure.caption)}\n")
    write_whole(folder / CAPTIONS, "\n".join(captions).encode())


def figures(experiment: ExperimentRuns) -> Iterator[Figure]:
    """Yield the figures of an experiment: a heat map, and a panel for each quantity."""
    stem, title = file_name(experiment.name or "own"), experiment.title
    found = boards(experiment)
    runs = sorted({n for board in found for n in board.runs})
    size = f"{' or '.join(f'{n:,}' for n in runs)} runs per cell"
    what = found[0].measure.value.capitalize()
    said = (f"{title}. {what} with 95 % interval, {size}.",)

    def draw_map(**options: Any) -> dict[str, Any]:
        return heat_map(found, **options)

    yield Figure(f"{stem}-heat-map", said, draw_map)
    rows = chart_rows(experiment.summaries)
    lines = {row.full for row in rows}
    ops = list(dict.fromkeys(row.op for row in rows)) if len(lines) > MOST_LINES else [""]
    for op in ops:
        mine = [row for row in rows if not op or row.op == op]
        for quantity, panel in PANELS.items():
            drawn = [row for row in mine if row.panel == quantity and row.value is not None]
            if not drawn:
                continue
            name = "-".join(part for part in (stem, op and file_name(op), quantity.value) if part)
            about = ", ".join(part for part in (title, op) if part)

            def draw(quantity: Any = quantity, mine: Any = mine, **options: Any) -> dict[str, Any]:
                return panel_chart(quantity, mine, **options)

            yield Figure(name, (f"{about}. {panel.title}, {size}.", LEGEND), draw)
    yield from _picture_figures(experiment, f"{title}. ", size)


def _picture_figures(experiment: ExperimentRuns, title: str, size: str) -> Iterator[Figure]:
    """Yield the charts of an experiment with pictures, which have a size of their own."""
    seen = pictures(experiment.cells, experiment.summaries)
    for name, spec in (seen.charts if seen else {}).items():

        def draw(spec: Any = spec, **_: Any) -> dict[str, Any]:
            return spec

        about = f"{title}{name.replace('-', ' ').capitalize()}, {size}."
        yield Figure(f"{file_name(experiment.name or 'own')}-{name}", (about,), draw)


def file_name(text: str) -> str:
    """Return a text that is safe in the name of a file on every system.

    >>> file_name("add-mul"), file_name("(a + b)*c"), file_name("../etc"), file_name("::")
    ('add-mul', 'a_b_c', 'etc', 'unnamed')
    """
    return re.sub(r"[^A-Za-z0-9.-]+", "_", text).strip("._-")[:LONGEST] or "unnamed"


def _unused(name: str, used: set[str]) -> str:
    """Return the name, or with a number if it was used: two texts may have the same name."""
    found, number = name, 2
    while found.lower() in used:
        found, number = f"{name}-{number}", number + 1
    used.add(found.lower())
    return found


def _renderers() -> dict[str, Callable[[Any], bytes]]:
    import vl_convert

    return {
        "svg": lambda spec: vl_convert.vegalite_to_svg(spec).encode(),
        "png": lambda spec: vl_convert.vegalite_to_png(spec, scale=2),
        "pdf": vl_convert.vegalite_to_pdf,
    }
