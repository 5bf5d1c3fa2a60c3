"""The fit of a file with its evidence: what the command line, JSON and the report show."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nalm import formula
from nalm._internal.progress import Watcher
from nalm.errors import InputError
from nalm.fitting.evidence.edge_test import EdgeTest, edge_test
from nalm.fitting.fit import fit
from nalm.fitting.inputs import checked_sigma
from nalm.fitting.law import Law
from nalm.fitting.law_file import load_laws
from nalm.fitting.search.search import Clock
from nalm.fitting.tables.table import TableData
from nalm.fitting.tree.functions import ALL
from nalm.fitting.tree.text import typeset
from nalm.fitting.units import HEADER, Units, units_of


@dataclass(frozen=True)
class FitSettings:
    """What the user chose."""

    source: str
    target: str | None = None
    features: tuple[str, ...] | None = None
    functions: str = ALL
    drop_missing: bool = False
    max_time: float | None = None
    effort: int = 1
    random_state: int = 0
    sigma: str | None = None
    form: str | None = None
    units: str | None = None
    start: str | None = None
    others: tuple[str, ...] = ()
    """Other targets, which are no features unless they are named as such."""


@dataclass(frozen=True)
class Findings:
    """A law with the data it is about."""

    law: Law
    data: TableData
    settings: FitSettings
    edge: EdgeTest | None

    @property
    def formula(self) -> str:
        """The right side of the law as text."""
        return self.law.text()

    @property
    def equation(self) -> str:
        """The law as text."""
        return self.law.equation

    @property
    def spread(self) -> float:
        """The standard deviation of the target."""
        return float(np.std(self.data.y))

    def row_number(self, index: int) -> int:
        """Return the number of a row in the file, where the first below the header is 1."""
        return int(self.data.numbers[index])

    def latex(self) -> str:
        """Return the law as LaTeX."""
        import sympy

        target = formula.latex(sympy.Symbol(self.data.target))
        return f"{target} = {formula.latex(typeset(self.law.tree, self.law.symbols()))}"

    def record(self) -> dict[str, Any]:
        """Return everything as JSON can hold it; an error that is not finite is null."""
        law = self.law
        return {
            "target": self.data.target,
            "features": list(law.names),
            "formula": self.formula,
            "latex": self.latex(),
            "verified": law.verified,
            "outcome": law.outcome,
            "reason": law.reason,
            "rows": law.rows,
            "held_out": law.held_out,
            "left_out": self.data.left_out,
            "noise": law.noise,
            "error": finite(law.error),
            "spread": finite(self.spread),
            "edge": None if self.edge is None else _edge(self.edge),
            "complexity": law.complexity,
            "alternatives": [
                {
                    "formula": a.text(),
                    "complexity": a.complexity,
                    "error": finite(a.error),
                }
                for a in law.alternatives
            ],
            "constants": [
                {
                    "name": c.name,
                    "value": float(c.value),
                    "text": c.text(),
                    "exact": c.exact,
                    "error": finite(c.error),
                    "interval": [finite(limit) for limit in c.interval],
                    "unit": c.unit,
                    "hint": c.hint,
                }
                for c in law.constants
            ],
            "outliers": [
                {
                    "row": self.row_number(o.row),
                    "value": o.value,
                    "expected": finite(o.expected),
                }
                for o in law.outliers
            ],
            "notes": [note.text for note in self.data.notes],
            "seconds": round(law.seconds, 3),
        }


def _edge(edge: EdgeTest) -> dict[str, Any]:
    return {
        "inner_rows": edge.inner_rows,
        "inner_error": finite(edge.inner_error),
        "outer_rows": edge.outer_rows,
        "outer_error": finite(edge.outer_error),
    }


def finite(value: float) -> float | None:
    """Return a number, or None if it is not finite."""
    return float(value) if np.isfinite(value) else None


def _units(given: str | None, data: TableData) -> Units | None:
    """Return units from text: "header", or pairs such as mass=kg separated by commas."""
    if given is None or given.strip() == HEADER:
        return units_of(given and HEADER, data.names, data.target)
    pairs = [part.rpartition("=") for part in given.split(",")]
    wrong = next((part for name, sign, part in pairs if not (name.strip() and sign)), None)
    if wrong is not None:
        raise InputError(
            f'Units are "{HEADER}" or pairs such as mass=kg,force=N; received {wrong.strip()!r}.'
        )
    units = {name.strip(): unit.strip() for name, _, unit in pairs}
    used = {name: unit for name, unit in units.items() if name not in data.unused}
    return units_of(used, data.names, data.target)


def _laws(path: str | None) -> list[Law] | None:
    """Return the laws of a file to start from."""
    if path is None:
        return None
    try:
        return load_laws(path)
    except OSError as error:
        raise InputError(f"start is a file of laws that can be read; {error}") from None


def find(
    data: TableData, settings: FitSettings, progress: bool | Watcher | None = None
) -> Findings:
    """Return what the search finds in the data."""
    clock = Clock(settings.max_time)
    if data.sigma is not None:
        checked_sigma(data.sigma, data.numbers)
    law = fit(
        data.x,
        data.y,
        data.names,
        form=settings.form,
        functions=settings.functions,
        units=_units(settings.units, data),
        start=_laws(settings.start),
        sigma=data.sigma,
        max_time=settings.max_time,
        effort=settings.effort,
        random_state=settings.random_state,
        progress=progress,
    )
    law = replace(law, target=data.target)
    agree = np.ones(len(data.y), bool)
    agree[[outlier.row for outlier in law.outliers]] = False
    edge = edge_test(law.tree, data.x[agree], data.y[agree], clock)
    return Findings(law, data, settings, edge)
