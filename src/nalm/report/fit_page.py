"""The page about a fit: the law typeset, the evidence for it, charts, settings."""

import os
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from nalm.errors import InputError
from nalm.fitting.findings import Findings
from nalm.fitting.text import typeset, written
from nalm.report.fit_charts import POINTS, fit_charts
from nalm.report.html import line, table, whole_page
from nalm.report.mathml import mathml
from nalm.store import environment
from nalm.writing import write_whole

LARGEST = 60
"""The largest complexity that is typeset; beyond it a formula is shown as text."""


def write_fit_report(found: Findings, path: str | os.PathLike[str]) -> Path:
    """Write one self-contained HTML file about a fit, and return its path."""
    target = Path(path)
    try:
        write_whole(target, fit_page(found).encode())
    except OSError as error:
        raise InputError(f"The report cannot be written: {error}.") from None
    return target


def fit_page(found: Findings) -> str:
    """Return the whole page."""
    main = _law(found) + _evidence(found) + _charts(found) + _settings(found)
    return whole_page(f"nalm fit: {found.data.target}", main, fit_charts(found), "fit.js")


def _law(found: Findings) -> str:
    law = found.law
    typed = ""
    if law.complexity <= LARGEST:
        expression = typeset(law.tree, law.symbols())
        typed = f'<div class="scroll formula">{mathml(found.data.target, expression)}</div>'
    said = (
        f"<p><b>Verified, {escape(law.outcome)}:</b> {escape(law.reason)}.</p>"
        if law.verified
        else f'<p class="warning"><b>Not found:</b> {escape(law.reason)}. '
        "What follows is the best approximation, not verified.</p>"
    )
    return f"<section>{said}{typed}<p><code>{escape(found.equation)}</code></p></section>"


def _evidence(found: Findings) -> str:
    law, edge = found.law, found.edge
    noise = "noise (standard deviation)" if law.verified else "unexplained (standard deviation)"
    rows = [
        ("rows", f"{law.rows:,}"),
        ("hidden from the search, to check its result", f"{law.held_out:,}"),
        ("left out because of missing values", f"{found.data.left_out:,}"),
        (noise, f"{law.noise:.3g}" if law.noise else "none beyond rounding"),
        ("error on all rows (root mean square)", f"{law.error:.3g}"),
        ("spread of the target (standard deviation)", f"{found.spread:.3g}"),
    ]
    if edge is not None:
        rows += [
            (f"edge test: error on the {edge.outer_rows:,} outermost rows", _g(edge.outer_error)),
            (
                f"edge test: error on the {edge.inner_rows:,} others{edge.refitted}",
                _g(edge.inner_error),
            ),
        ]
    notes = "".join(f"<p>Note: {escape(note)}</p>" for note in found.data.notes)
    lines = [line(escape(name), value) for name, value in rows]
    return f"<section><h2>Evidence</h2>{notes}{table(('what', 'value'), lines)}</section>"


def _g(value: float) -> str:
    return f"{value:.3g}"


def _charts(found: Findings) -> str:
    many = len(found.data.y) > POINTS
    some = f"<p>{POINTS:,} of {len(found.data.y):,} rows are drawn.</p>" if many else ""
    lines = [
        line(
            str(a.complexity),
            _g(a.error),
            f"<code>{escape(written(a.tree, found.law.names))}</code>",
        )
        for a in found.law.alternatives
    ]
    frontier = table(("complexity", "error", "formula"), lines)
    chart = '<div class="chart" data-chart="frontier"></div>' * (len(lines) > 1)
    return f"""
<section><h2>Predicted against true</h2>{some}
<div class="chart" data-chart="predicted"></div></section>
<section><h2>Residuals</h2><div class="chart" data-chart="residuals"></div></section>
<section><h2>Alternatives</h2>
<p>None of the same complexity, or simpler, is nearer to the rows that the search saw.</p>
{chart}{frontier}</section>"""


def _settings(found: Findings) -> str:
    chosen = asdict(found.settings) | {
        "target": found.data.target,
        "features": ", ".join(found.law.names),
        "seconds": f"{found.law.seconds:.2g}",
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        **environment(),
    }
    lines = [line(escape(name), f"<code>{escape(str(v))}</code>") for name, v in chosen.items()]
    return f"<section><h2>Settings and provenance</h2>{table(('what', 'value'), lines)}</section>"
