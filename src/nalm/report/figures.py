"""The charts of experiments as files: SVG, PNG and PDF."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nalm._internal.files import write_whole
from nalm.report.chart_rows import chart_rows
from nalm.report.charts import PANELS, panel_chart
from nalm.report.results import ExperimentRuns

LONGEST = 100
"""The most characters of an operation or experiment in the name of a file."""


def write_figures(experiments: Sequence[ExperimentRuns], folder: Path) -> None:
    """Write the panels of each experiment and operation as SVG, PNG and PDF."""
    folder.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    for experiment in experiments:
        rows = chart_rows(experiment.summaries)
        for op in dict.fromkeys(row.op for row in rows):
            mine = [row for row in rows if row.op == op]
            stem = _unused(f"{file_name(experiment.name or 'own')}-{file_name(op)}", written)
            for quantity in PANELS:
                if not any(row.panel == quantity for row in mine):
                    continue
                subtitle = f"{experiment.name or 'own runs'}, {op}"
                spec = panel_chart(quantity, mine, subtitle)
                for ending, render in _renderers().items():
                    write_whole(folder / f"{stem}-{quantity.value}.{ending}", render(spec))


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
