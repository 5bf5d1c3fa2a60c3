"""What a results folder holds, ready to be shown: read only, also while a sweep goes on."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nalm.engine.frames import unpack
from nalm.engine.run import Curves
from nalm.errors import NalmError
from nalm.experiments import EXPERIMENTS
from nalm.experiments.compare import compared, groups
from nalm.networks import Model
from nalm.networks.layers import flatten, unflatten
from nalm.specs import decode
from nalm.stats import Outcome, judge
from nalm.store import VERSION, StoreError
from nalm.sweep.table import Place, rows_of

QUERY = """
SELECT e.experiment, e.name, e.op, e.range, e.inputs, e.setting, e.seed, e.steps, e.threshold,
       r.model, r.task, r.recipe, r.curves, r.environment, r.finished
FROM entries e LEFT JOIN runs r ON r.id = e.run
WHERE e.steps = (
  SELECT max(o.steps) FROM entries o
  WHERE (o.experiment, o.name, o.op, o.range, o.inputs, o.setting)
      = (e.experiment, e.name, e.op, e.range, e.inputs, e.setting)
)
ORDER BY e.rowid
"""
"""Every planned run with its result; of a cell that was run with several numbers of steps, the
longest."""


@dataclass(frozen=True)
class Trial:
    """One run that is done."""

    seed: int
    outcome: Outcome
    threshold: float
    curves: Curves
    formula: str


@dataclass
class CellResults:
    """The runs of one cell."""

    place: Place
    trials: list[Trial] = field(default_factory=list)
    missing: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def formulas(self) -> list[tuple[str, int]]:
        """What was learnt, the most frequent first."""
        return Counter(trial.formula for trial in self.trials).most_common()


@dataclass
class ExperimentResults:
    """The cells of one experiment, with what is in print of it."""

    name: str
    cells: dict[Place, CellResults] = field(default_factory=dict)
    shortened: set[Place] = field(default_factory=set)
    environments: Counter = field(default_factory=Counter)
    finished: list[str] = field(default_factory=list)

    @property
    def done(self) -> int:
        """The number of runs that are done."""
        return sum(len(cell.trials) for cell in self.cells.values())

    @property
    def missing(self) -> int:
        """The number of planned runs that are not done."""
        return sum(cell.missing for cell in self.cells.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return the statistics of every cell that has runs, beside what is in print."""
        judged = [(p, trial.outcome) for p, cell in self.cells.items() for trial in cell.trials]
        return compared(self.name, rows_of(judged), self.shortened)

    def groups(self) -> list[dict[str, Any]]:
        """Return the published means over groups of ranges beside ours."""
        return [] if self.shortened else groups(self.name, self.rows())


def read_results(folder: str | Path) -> list[ExperimentResults]:
    """Read every experiment of a folder."""
    path = Path(folder) / "results.sqlite"
    if not path.is_file():
        raise StoreError(
            f"A report is made from a folder with results; {str(folder)!r} has no results.sqlite. "
            "Run nalm bench EXPERIMENT --out FOLDER first."
        )
    found: dict[str, ExperimentResults] = {}
    formulas = Formulas()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (version,) = database.execute("SELECT value FROM meta WHERE name='version'").fetchone()
            if version != str(VERSION):
                raise StoreError(
                    f"{str(path)!r} has format {version}; this version of nalm reads {VERSION}."
                )
            for row in database.execute(QUERY):
                _add(found.setdefault(row[0], ExperimentResults(row[0])), row[1:], formulas)
    except (sqlite3.DatabaseError, TypeError) as error:
        raise StoreError(f"{str(path)!r} is not a healthy results file: {error}.") from None
    if not any(experiment.done for experiment in found.values()):
        raise StoreError(f"{str(path)!r} has no finished run yet; nothing can be shown.")
    return list(found.values())


def _add(experiment: ExperimentResults, row: tuple, formulas: "Formulas") -> None:
    place: Place = row[:5]
    seed, steps, limit, model, task, recipe, curves, environment, finished = row[5:]
    cell = experiment.cells.setdefault(place, CellResults(place))
    if curves is None:
        cell.missing += 1
        return
    if not cell.settings:
        texts = {"model": model, "task": task, "recipe": recipe}
        cell.settings = {name: json.loads(text) for name, text in texts.items()}
        if steps < _published_steps(experiment.name).get(place, 0):
            experiment.shortened.add(place)
    measured = unpack(curves)[0]
    outcome = judge(measured, limit)
    formula = formulas.of(model, measured)
    cell.trials.append(Trial(seed, outcome, limit, measured, formula))
    experiment.environments[environment] += 1
    experiment.finished.append(finished)


@lru_cache
def _published_steps(experiment: str) -> dict[Place, int]:
    if experiment not in EXPERIMENTS:
        return {}
    return {cell.place: cell.recipe.steps for cell in EXPERIMENTS[experiment].cells()}


class Formulas:
    """Reads what runs learnt; runs whose rounded weights are equal share a formula."""

    def __init__(self) -> None:
        self.read: dict[Any, str] = {}

    def of(self, model: str, curves: Curves) -> str:
        """Return the formula at the best validation error, or why there is none."""
        try:
            known = decode(json.loads(model))
            weights = flatten(known, known.effective(unflatten(known, curves.best)))
        except (NalmError, KeyError):
            return "the unit is not known here"
        rounded = tuple((n, np.round(v, 2).tobytes()) for n, v in sorted(weights.items()))
        if (model, rounded) not in self.read:
            self.read[model, rounded] = _formula(known, curves.best)
        return self.read[model, rounded]


def _formula(model: Model, params: dict[str, np.ndarray]) -> str:
    if model.in_features > 26:
        return f"a formula of {model.in_features} inputs, not shown"
    try:
        (expression,) = model.formula(unflatten(model, params))
    except NalmError:
        return "weights not discrete"
    return str(expression)
