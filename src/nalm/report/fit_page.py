"""The page about a fit: the law typeset, the evidence for it, charts, settings."""

import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nalm._internal.files import write_whole
from nalm.errors import InputError
from nalm.fitting.code import LANGUAGES
from nalm.fitting.constants import Constant
from nalm.fitting.findings import Findings
from nalm.fitting.tree.text import typeset
from nalm.formula.mathml import mathml
from nalm.report.fit_charts import POINTS, fit_charts, is_clamped
from nalm.report.fit_curves import CURVE
from nalm.report.html import render
from nalm.report.numbers import count, short
from nalm.sweeps.environment import environment

if TYPE_CHECKING:
    from markupsafe import Markup

LARGEST = 60
"""The largest complexity that is typeset; beyond it a formula is shown as text."""


class Fact(NamedTuple):
    """A row of a table with two columns."""

    name: str
    value: str


class Alternative(NamedTuple):
    """A row of the table of alternatives."""

    complexity: int
    error: float
    formula: str


class ConstantRow(NamedTuple):
    """A row of the table of constants."""

    name: str
    value: str
    interval: str
    hint: str


class Program(NamedTuple):
    """The formula in a language."""

    language: str
    text: str


class Suspect(NamedTuple):
    """A row that disagrees with the formula."""

    row: int
    value: str
    expected: str
    off: str


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
    law = found.law
    charts = fit_charts(found)
    return render(
        "fit.html",
        title=f"nalm fit: {found.data.target}",
        data=charts,
        script="fit.js",
        law=law,
        formula=_typeset(found),
        equation=found.equation,
        constants=[_constant_row(constant) for constant in law.constants],
        programs=[Program(name, law.to_code(name).strip()) for name in LANGUAGES],
        suspects=_suspects(found),
        clamped=is_clamped(found),
        curves=[name for name in charts if name.startswith(CURVE)],
        notes=[note.text for note in found.data.notes],
        evidence=_evidence(found),
        rows=len(found.data.y),
        drawn=POINTS,
        alternatives=[Alternative(a.complexity, a.error, a.text()) for a in law.alternatives],
        settings=_settings(found),
    )


def _typeset(found: Findings) -> "Markup | None":
    if found.law.complexity > LARGEST:
        return None
    from markupsafe import Markup

    expression = typeset(found.law.tree, found.law.symbols())
    return Markup(mathml(expression, found.data.target))


def _constant_row(constant: Constant) -> ConstantRow:
    low, high = constant.interval
    interval = "exact" if constant.exact else f"{low:.6g} to {high:.6g}"
    unit = f" {constant.unit}" if constant.unit else ""
    return ConstantRow(constant.name, constant.text() + unit, interval, constant.hint or "")


def _suspects(found: Findings) -> list[Suspect]:
    return [
        Suspect(
            found.row_number(o.row),
            short(o.value),
            short(o.expected),
            f"{o.value - o.expected:+.3g}",
        )
        for o in found.law.outliers
    ]


def _evidence(found: Findings) -> list[Fact]:
    law, edge = found.law, found.edge
    noise = "noise" if law.verified else "unexplained"
    which = "all rows but the suspect ones" if law.outliers else "all rows"
    facts = [
        Fact("rows", count(law.rows)),
        Fact("hidden from the search, to check its result", count(law.held_out)),
        Fact("left out because of missing values", count(found.data.left_out)),
        Fact(
            f"{noise} (standard deviation)",
            short(law.noise) if law.noise else "none beyond rounding",
        ),
        Fact(f"error on {which} (root mean square)", short(law.error)),
        Fact("spread of the target (standard deviation)", short(found.spread)),
    ]
    if edge is None:
        return facts
    refitted = ", to which its measured numbers were fitted again" if edge.refitted else ""
    return [
        *facts,
        Fact(
            f"edge test: error on the {edge.outer_rows:,} outermost rows", short(edge.outer_error)
        ),
        Fact(
            f"edge test: error on the {edge.inner_rows:,} others{refitted}",
            short(edge.inner_error),
        ),
    ]


def _settings(found: Findings) -> list[Fact]:
    chosen = asdict(found.settings) | {
        "target": found.data.target,
        "features": ", ".join(found.law.names),
        "seconds": f"{found.law.seconds:.2g}",
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        **asdict(environment()),
    }
    return [Fact(name, str(value)) for name, value in chosen.items() if value not in (None, ())]
