"""All that is to be said about a fit of a file, for the command line, JSON and the report."""

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm import formula
from nalm.errors import InputError
from nalm.fitting.csv_file import Data, opened, read_table
from nalm.fitting.edge import EdgeTest, edge_test
from nalm.fitting.fit import Tell, fit
from nalm.fitting.law import Law
from nalm.fitting.text import named, typeset, written


@dataclass(frozen=True)
class Settings:
    """What the user chose."""

    source: str
    target: str | None = None
    features: str | None = None
    """Names as one line of CSV."""
    drop_missing: bool = False
    max_time: float | None = None
    effort: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Findings:
    """A law with the data it is about."""

    law: Law
    data: Data
    settings: Settings
    edge: EdgeTest | None

    @property
    def formula(self) -> str:
        """The right side of the law as text."""
        return written(self.law.tree, self.law.names)

    @property
    def equation(self) -> str:
        """The law as text."""
        return f"{named(self.data.target)} = {self.formula}"

    @property
    def spread(self) -> float:
        """The standard deviation of the target."""
        return float(np.std(self.data.y))

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
                    "formula": written(a.tree, law.names),
                    "complexity": a.complexity,
                    "error": finite(a.error),
                }
                for a in law.alternatives
            ],
            "notes": list(self.data.notes),
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


def read(settings: Settings) -> Data:
    """Return the columns that the settings ask for."""
    with opened(settings.source) as stream:
        return read_table(
            stream,
            settings.target,
            column_list(settings.features),
            drop_missing=settings.drop_missing,
        )


def column_list(text: str | None) -> list[str] | None:
    """Return names separated by commas; one with a comma in it is quoted.

    >>> column_list('a, "mass, kg"')
    ['a', 'mass, kg']
    """
    if text is None:
        return None
    return next(csv.reader(io.StringIO(text), skipinitialspace=True), [])


def find(data: Data, settings: Settings, tell: Tell | None = None) -> Findings:
    """Return what the search finds in the data."""
    if settings.seed < 0:
        raise InputError(f"A seed is a whole number of at least 0; received {settings.seed}.")
    law = fit(
        data.x,
        data.y,
        data.names,
        max_time=settings.max_time,
        effort=settings.effort,
        random_state=settings.seed,
        tell=tell,
    )
    return Findings(law, data, settings, edge_test(law, data.x, data.y))
