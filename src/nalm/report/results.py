"""What results folders hold, ready to be shown: read only, also while a sweep goes on."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from nalm.engine.frames import unpack
from nalm.engine.run import Curves
from nalm.experiments import EXPERIMENTS
from nalm.experiments.compare import compared, groups
from nalm.experiments.size import place_of, published_steps, resized, sized
from nalm.networks.layers import has_sparsity_error
from nalm.report.formulas import Formulas
from nalm.stats import Outcome, judge
from nalm.store import VERSION, StoreError
from nalm.sweep.table import Place, rows_of

FILE = "results.sqlite"
QUERY = """
SELECT e.experiment, e.name, r.model, e.op, e.range, e.inputs, e.setting, e.seed, e.steps,
       e.threshold, r.task, r.recipe, r.curves, r.environment, r.finished
FROM entries e LEFT JOIN runs r ON r.id = e.run
ORDER BY e.steps DESC, e.rowid
"""
"""Every planned run with its result, the longest first."""
MODELS = """
SELECT DISTINCT e.experiment, e.name, r.model FROM entries e JOIN runs r ON r.id = e.run
"""
VERSION_DIGITS = 6
"""How many digits of the hash of a file tell two versions of a unit of one's own apart."""


@dataclass(frozen=True)
class Trial:
    """One run that is done."""

    seed: int
    outcome: Outcome
    threshold: float
    curves: Curves
    formula: str
    environment: str
    finished: str


@dataclass
class CellResults:
    """The runs of one cell, all with the same number of steps."""

    place: Place
    steps: int
    planned: dict[int, Trial | None] = field(default_factory=dict)
    """What came of each seed; None where the run is not done."""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def trials(self) -> list[Trial]:
        """The runs that are done."""
        return [trial for trial in self.planned.values() if trial]

    @property
    def missing(self) -> int:
        """The number of planned runs that are not done."""
        return len(self.planned) - len(self.trials)

    @property
    def formulas(self) -> list[tuple[str, int]]:
        """What was learnt, the most frequent first."""
        return Counter(trial.formula for trial in self.trials).most_common()


@dataclass
class ExperimentResults:
    """The cells of one experiment, with what is in print of it."""

    name: str
    cells: dict[Place, CellResults] = field(default_factory=dict)

    @property
    def trials(self) -> list[Trial]:
        """The runs that are done."""
        return [trial for cell in self.cells.values() for trial in cell.trials]

    @property
    def done(self) -> int:
        """The number of runs that are done."""
        return len(self.trials)

    @property
    def missing(self) -> int:
        """The number of planned runs that are not done."""
        return sum(cell.missing for cell in self.cells.values())

    @property
    def other_steps(self) -> set[Place]:
        """The cells that were trained for another number of steps than published."""
        published = _published_steps(self.name)
        return {
            place
            for place, cell in self.cells.items()
            if cell.trials and cell.steps != published.get(place, cell.steps)
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the statistics of every cell that has runs, beside what is in print."""
        judged = [(p, trial.outcome) for p, cell in self.cells.items() for trial in cell.trials]
        steps = {place: cell.steps for place, cell in self.cells.items()}
        seeds = EXPERIMENTS[self.name].seeds if self.name in EXPERIMENTS else None
        rows = sized(rows_of(judged), steps, _published_steps(self.name), seeds)
        return compared(self.name, rows, self.other_steps)

    def sizes(self) -> tuple[str, ...]:
        """Return how what was planned differs in size from what is in print."""
        planned = {place: len(cell.planned) for place, cell in self.cells.items()}
        return resized([{**row, "runs": planned[place_of(row)]} for row in self.rows()])

    def groups(self) -> list[dict[str, Any]]:
        """Return the published means over groups of ranges beside ours."""
        return [] if self.other_steps else groups(self.name, self.rows())


def read_results(*folders: str | Path) -> list[ExperimentResults]:
    """Read every experiment of some folders, in the order of the catalogue.

    Of a cell that was run with several numbers of steps, the longest that has a finished run
    counts; of a run that is in several folders, one.
    """
    lengths: dict[str, Lengths] = {}
    formulas = Formulas()
    paths = [path for folder in folders for path in result_files(folder)]
    versions = _versions(paths)
    for path in paths:
        for experiment, name, model, op, range_name, inputs, setting, *row in _rows(path, QUERY):
            names = versions.get((experiment, name), {})
            place = names.get(model) or name, op, range_name, inputs, setting
            _add(lengths.setdefault(experiment, {}), place, model, row, formulas)
    found = {name: ExperimentResults(name, _longest(cells)) for name, cells in lengths.items()}
    if not any(experiment.done for experiment in found.values()):
        listed = ", ".join(repr(str(path)) for path in paths)
        raise StoreError(f"{listed} has no finished run yet; nothing can be shown.")
    order = {name: i for i, name in enumerate(EXPERIMENTS)}
    ordered = sorted(found.values(), key=lambda e: order.get(e.name, len(order)))
    return [_in_order(experiment) for experiment in ordered]


def result_files(folder: str | Path) -> list[Path]:
    """Return the results of a folder, or else of the folders in it."""
    path = Path(folder) / FILE
    found = [path] if path.is_file() else sorted(Path(folder).glob(f"*/{FILE}"))
    if not found:
        raise StoreError(
            f"A report is made from a folder with results; {str(folder)!r} has no {FILE}, nor has "
            "a folder in it. Run nalm bench EXPERIMENT --out FOLDER first."
        )
    return found


def _versions(paths: Sequence[Path]) -> dict[tuple[str, str], dict[str, str]]:
    """Return the names of models of which there are several versions, by their JSON.

    A unit of one's own is another one when its file has changed.
    """
    found: dict[tuple[str, str], dict[str, str]] = {}
    for path in paths:
        for experiment, name, model in _rows(path, MODELS):
            found.setdefault((experiment, name), {})[model] = "".join(_digests(json.loads(model)))
    return {
        (experiment, name): {
            model: f"{name} {digest[:VERSION_DIGITS]}".strip() for model, digest in models.items()
        }
        for (experiment, name), models in found.items()
        if len(set(models.values())) > 1
    }


def _digests(described: Any) -> Iterator[str]:
    """Yield the hashes of the files of all units of a model."""
    if isinstance(described, dict):
        yield described.get("source", "")
        described = list(described.values())
    if isinstance(described, list):
        for part in described:
            yield from _digests(part)


def _rows(path: Path, query: str) -> Iterator[tuple]:
    try:
        with closing(_opened(path)) as database:
            (version,) = database.execute("SELECT value FROM meta WHERE name='version'").fetchone()
            if version != str(VERSION):
                raise StoreError(
                    f"{str(path)!r} has format {version}; this version of nalm reads {VERSION}."
                )
            yield from database.execute(query)
    except (sqlite3.DatabaseError, TypeError) as error:
        raise StoreError(
            f"{str(path)!r} is not a healthy results file: {error}. Nothing was changed; restore a "
            "copy, or leave this folder out."
        ) from None


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file for reading, also where nothing may be written, so that nobody else writes."""
    address = path.absolute().as_uri()
    database = sqlite3.connect(f"{address}?mode=ro", uri=True)
    try:
        database.execute("SELECT 1 FROM meta")
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error) and "unable to open" not in str(error):
            return database
        database.close()
        return sqlite3.connect(f"{address}?immutable=1", uri=True)
    return database


Lengths = dict[Place, dict[int, CellResults]]
"""The cells by their place and their number of steps."""


def _longest(lengths: Lengths) -> dict[Place, CellResults]:
    return {
        place: max(cells.values(), key=lambda cell: (bool(cell.trials), cell.steps))
        for place, cells in lengths.items()
    }


def _add(
    lengths: Lengths, place: Place, model: str, row: Sequence[Any], formulas: Formulas
) -> None:
    seed, steps, limit, task, recipe, curves, environment, finished = row
    cells = lengths.setdefault(place, {})
    if any(cell.steps > steps and cell.trials for cell in cells.values()):
        return
    cell = cells.setdefault(steps, CellResults(place, steps))
    if cell.planned.get(seed):
        return
    cell.planned[seed] = None
    if curves is None:
        return
    texts = {"model": model, "task": task, "recipe": recipe}
    cell.settings = cell.settings or {name: json.loads(text) for name, text in texts.items()}
    measured = unpack(curves)[0]
    known = formulas.model(model)
    cell.planned[seed] = Trial(
        seed,
        replace(
            judge(measured, limit, sparse=known is None or has_sparsity_error(known)),
            equal=formulas.equal(texts, measured),
        ),
        limit,
        measured,
        formulas.of(texts, measured),
        environment,
        finished,
    )


def _in_order(experiment: ExperimentResults) -> ExperimentResults:
    """Return the experiment with its cells in the order of the catalogue."""
    order = {place: i for i, place in enumerate(_published_steps(experiment.name))}
    places: Sequence[Place] = sorted(experiment.cells, key=lambda p: order.get(p, len(order)))
    return ExperimentResults(experiment.name, {place: experiment.cells[place] for place in places})


@lru_cache
def _published_steps(experiment: str) -> dict[Place, int]:
    if experiment not in EXPERIMENTS:
        return {}
    return published_steps(EXPERIMENTS[experiment].cells())
