"""What a store holds, judged: cells with their finished runs."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nalm.errors import NalmError
from nalm.sweeps.formulas import Formulas
from nalm.sweeps.runs import CellRuns, Judge, RunResult, Setup
from nalm.sweeps.sources import InFile, InMemory, ResultsFile, Source
from nalm.sweeps.statistics import Outcome
from nalm.sweeps.store import Store
from nalm.sweeps.store.rows import StoredCell, StoredRun
from nalm.sweeps.types import CellKey, Note, NoteKind
from nalm.training.description import decode
from nalm.training.packing import unpacked_run

LISTED = 5
"""How many damaged seeds are named."""


def read_cells(
    store: Store,
    wanted: Callable[[StoredCell], bool] = lambda _: True,
    notes: list[Note] | None = None,
) -> Iterator[CellRuns]:
    """Yield the cells of a store with their finished runs, in the order of planning.

    Curves stay in the file until they are asked for. What is damaged is left out, and named in the
    notes of its cell, or in `notes`.
    """
    tables, damaged_tables = store.tables()
    cells, damaged_cells = store.cells_and_notes()
    if notes is not None:
        notes += [*damaged_tables, *damaged_cells]
    judging, formulas = Judge(), Formulas()
    file = ResultsFile(store.path) if store.path else None
    for cell in filter(wanted, cells):
        setup = _setup(cell, tables)
        packed: dict[int, bytes] = {}
        source: Source = InFile(file, cell.described) if file else InMemory(packed)
        runs, damaged = [], []
        planned = cell.seeds if isinstance(cell.seeds, range) else frozenset(cell.seeds)
        for run in store.runs(cell):
            outcome = outcome_of(judging, setup, run)
            if outcome is None or run.packed is None:
                damaged.append(run.seed)
                continue
            if run.seed not in planned:  # of another cell with the same setup
                continue
            if file is None:
                packed[run.seed] = run.packed
            known = (run.environment, run.finished, formulas)
            runs.append(RunResult(setup, run.seed, outcome, source, *known))
        said = damage_note(cell.key, damaged, "left out; the same command trains them again")
        yield CellRuns(setup, cell.seeds, tuple(runs), said)


def outcome_of(judging: Judge, setup: Setup, run: StoredRun) -> Outcome | None:
    """Return what a stored run came to, judged if it was not; None if it is damaged."""
    if run.packed is None or run.outcome is not None:
        return run.outcome
    try:
        return judging.outcome(setup, unpacked_run(run.packed))
    except ValueError:
        return None


def damage_note(key: CellKey, seeds: Sequence[int], fate: str) -> tuple[Note, ...]:
    """Return which stored runs of a cell are damaged, and what became of them.

    >>> print(*damage_note(CellKey("nmu", "mul", "U[1,2)", 2), [3], "trained again"))
    1 stored run of nmu, mul, U[1,2), 2 inputs (seed 3) was damaged and is trained again.
    """
    if not seeds:
        return ()
    one = len(seeds) == 1
    listed = ", ".join(map(str, seeds[:LISTED])) + (", …" if len(seeds) > LISTED else "")
    runs, named = ("run", "seed") if one else ("runs", "seeds")
    was, is_ = ("was", "is") if one else ("were", "are")
    text = (
        f"{len(seeds):,} stored {runs} of {key} ({named} {listed}) {was} damaged and {is_} {fate}."
    )
    return (Note(NoteKind.DAMAGE, text),)


def _setup(cell: StoredCell, tables: Mapping[str, np.ndarray]) -> Setup:
    model, task, recipe = (_decoded(text, tables) for text in vars(cell.described).values())
    return Setup(
        cell.experiment,
        cell.key,
        cell.steps,
        cell.threshold,
        model,
        task,
        recipe,
        cell.described,
    )


def _decoded(text: str, tables: Mapping[str, np.ndarray]) -> Any:
    """Return what a JSON text describes; None if its custom code is not defined here."""
    try:
        return decode(json.loads(text), tables)
    except (NalmError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None
