"""Results as they are kept: planned cells, and finished runs, one writer at a time.

Everything that reads results reads through `Store`. A row that is not what was written is never
read as data: it is named, and what belongs to it is rebuilt or trained again.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from nalm.errors import StoreError
from nalm.sweeps.cell import Cell, Described
from nalm.sweeps.environment import environment
from nalm.sweeps.statistics import Outcome
from nalm.sweeps.store import database as files
from nalm.sweeps.store.index import Index
from nalm.sweeps.store.place import Place
from nalm.sweeps.store.planning import (
    FoundCell,
    PlannedCell,
    drawn_otherwise,
    kept_note,
    placed,
    relabelled,
)
from nalm.sweeps.store.rows import (
    CellRow,
    RunKey,
    StoredCell,
    StoredRun,
    check,
    digest,
    judged_row,
    ranges_text,
    run_check,
    seeds_of,
    stored_run,
)
from nalm.sweeps.store.saved import SavedBlocks, block_id
from nalm.sweeps.types import Note, NoteKind

LARGEST_RUN = 2**27
"""The most bytes of the curves of a run."""
MOST_PLANNED = 20_000_000
"""The most runs that the cells of a store plan."""
RUNS = f"""
SELECT r.id, r.environment, r.finished, r.digest, r.sum,
       CASE WHEN length(c.data) <= {LARGEST_RUN} THEN c.data END,
       j.success, j.solved_at, j.sparsity, j.test, j.diverged, j.equal, j.sum
FROM runs r
LEFT JOIN curves c ON c.run = r.id
LEFT JOIN judged j ON j.id = r.id - ? + ?
WHERE r.id >= ? AND r.id < ?
ORDER BY r.id
"""


def identity(described: Described, seed: int) -> str:
    """Return the identity of a run: the SHA-256 of the JSON of everything that defines it."""
    return digest(f"[{described.model},{described.task},{described.recipe},{seed}]")


class Store:
    """The results of a folder.

    Parameters
    ----------
    folder
        Where results are kept, open for writing; others may read meanwhile. See also `in_memory`
        and `read`.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"Results go into a folder that can be written; {str(self.folder)!r} cannot be "
                f"made: {error.strerror}. Choose another with --out (out= in Python)."
            ) from None
        with ExitStack() as opened:
            files.lock(self.folder, opened)
            database = files.open_to_write(self.folder, opened)
            self._start(self.folder / files.FILE, database, opened.pop_all())
        self._place = Place(self.folder)

    @classmethod
    def in_memory(cls) -> Self:
        """Return a store without a folder, which is gone when it is closed."""
        opened = ExitStack()
        database = files.new_in_memory()
        opened.callback(database.close)
        return cls._of(None, database, opened)

    @classmethod
    def read(cls, path: str | Path, *, trusted: bool = False) -> Self:
        """Return the results of a file, or of the file in a folder, for reading only.

        A sweep may go on meanwhile; what it has committed is seen. A file that is `trusted` was
        checked before in this process.
        """
        file = Path(path) / files.FILE if Path(path).is_dir() else Path(path)
        with ExitStack() as opened:
            database = files.open_to_read(file, opened, trusted=trusted)
            return cls._of(file, database, opened.pop_all())

    @classmethod
    def _of(cls, path: Path | None, database: sqlite3.Connection, opened: ExitStack) -> Self:
        store = cls.__new__(cls)
        store.folder = path.parent if path else Path(":memory:")
        store._start(path, database, opened)
        return store

    def _start(self, path: Path | None, database: sqlite3.Connection, opened: ExitStack) -> None:
        self.path = path
        self._database, self._opened = database, opened
        self._place: Place | None = None
        self._pending: list[tuple[Any, ...]] = []
        self._index = Index(self._rows, database.execute)
        self.saved = SavedBlocks(self._rows, database.execute, self._writing)
        """Blocks on their way."""

    # --- writing -------------------------------------------------------------------------------

    def plan(
        self, experiment: str, cells: Sequence[Cell], seeds: Sequence[int]
    ) -> list[PlannedCell]:
        """Keep what is to be run, and return the cells as the store knows them.

        A cell that was planned before with another model, task, recipe or threshold is planned
        anew; its runs stay. If only the generator of random numbers is another, the older cell
        stays, too, and has the generator in its key.
        """
        with self._writing("The plan"):
            self._index.load()
            notes = [self._index.keep(cell) for cell in cells]
            self._index.load()
            stored = self._cell_rows()
            return [
                self._plan_cell(stored, experiment, cell, seeds, said)
                for cell, said in zip(cells, notes, strict=True)
            ]

    def _plan_cell(
        self,
        stored: Sequence[FoundCell],
        experiment: str,
        cell: Cell,
        seeds: Sequence[int],
        notes: Sequence[Note],
    ) -> PlannedCell:
        setup = self._index.setup(cell.described)
        assert setup is not None
        steps, limit = cell.recipe.steps, float(cell.limit)
        placing = placed(
            CellRow(experiment, *cell.key, steps, limit, setup, ranges_text(seeds)), stored
        )
        kept = self._set_aside(placing.dropped, stored, cell.described)
        number = placing.id
        if not placing.unchanged:
            number = self._write_cell(number, placing.row)
        assert number is not None
        return PlannedCell(number, setup, limit, (*notes, *placing.notes, *kept))

    def _set_aside(
        self, dropped: Sequence[int], stored: Sequence[FoundCell], new: Described
    ) -> list[Note]:
        """Remove rows whose cell is defined otherwise; those of other random numbers are kept."""
        notes = []
        for id_, row, _ in stored:
            if id_ not in dropped:
                continue
            self._database.execute("DELETE FROM cells WHERE id = ?", (id_,))
            old = self._index.described(row.setup)
            if old and drawn_otherwise(old, new):
                label = relabelled(row, old)
                placing = placed(label, stored)
                if not placing.unchanged:
                    self._write_cell(placing.id, placing.row)
                notes.append(kept_note(label, new))
        return notes

    def _write_cell(self, number: int | None, row: CellRow) -> int | None:
        values = (number, *row, row.check(self._index.digest_of(row.setup)))
        marks = ", ".join("?" * len(values))
        return self._database.execute(
            f"INSERT OR REPLACE INTO cells VALUES ({marks})", values
        ).lastrowid

    def add(
        self, runs: Sequence[RunKey], packed: Sequence[bytes], made_with: str | None = None
    ) -> None:
        """Store the curves of a block, as `nalm.training.packing` writes them; all or none.

        `made_with` is the environment of the worker as JSON; this one's if absent. What was saved
        of the block on the way is removed.
        """
        now = int(time.time())
        with self._writing(f"The results of {len(runs)} runs"):
            place = self._index.describe(made_with or environment().text)
            rows = []
            for run, data in zip(runs, packed, strict=True):
                content, setup = check(data), self._index.bytes_of(run.setup)
                sum_ = run_check(setup, run.seed, place, now, content)
                rows.append((run.number, place, now, content, sum_))
            curves = ((run.number, data) for run, data in zip(runs, packed, strict=True))
            self._database.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)", rows)
            self._database.executemany("INSERT OR REPLACE INTO curves VALUES (?, ?)", curves)
            self._database.execute("DELETE FROM saved WHERE id = ?", (block_id(runs),))
            self._write_judged()

    def judge(self, cell: PlannedCell, seed: int, packed: bytes, outcome: Outcome) -> None:
        """Keep what a run came to; it is written with the next block, or by `flush`."""
        row, setup = judged_row(outcome), self._index.bytes_of(cell.setup)
        sum_ = row.check(setup, seed, cell.threshold, check(packed))
        self._pending.append((RunKey(cell.id, seed).number, *row, sum_))

    def flush(self) -> None:
        """Write what runs came to, and make sure that all of it is where it belongs."""
        with self._writing("What runs came to"):
            self._write_judged()

    @property
    def waiting(self) -> int:
        """How many outcomes are not written yet."""
        return len(self._pending)

    def _write_judged(self) -> None:
        self._database.executemany(
            "INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self._pending
        )
        self._pending.clear()

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        """Commit what is done within, or nothing of it; raise unless it is where it belongs."""
        try:
            with self._database:
                yield
        except files.ERRORS as error:
            with suppress(StoreError):
                self._index.load()  # without what was not written
            raise StoreError(
                f"{what} could not be written to {str(self.folder)!r}: {error}. What was stored "
                "before is safe; make room or change permissions, and run the command again."
            ) from None
        if self._place:
            self._place.check()

    # --- reading -------------------------------------------------------------------------------

    def finished(self) -> int:
        """Return how many runs are done."""
        ((count,),) = self._rows("SELECT COUNT(*) FROM runs", (int,))
        return count

    def tables(self) -> tuple[dict[str, np.ndarray], list[Note]]:
        """Return the tables whose rows tasks draw, by digest, and which are damaged."""
        return self._index.tables()

    def cells(self) -> list[StoredCell]:
        """Return every planned cell that is not damaged, in the order of planning."""
        return self.cells_and_notes()[0]

    def cells_and_notes(self) -> tuple[list[StoredCell], list[Note]]:
        """Return the planned cells in their order, and what is damaged and left out."""
        self._index.load()
        notes = [Note(NoteKind.DAMAGE, text) for text in self._index.damaged]
        found: list[StoredCell] = []
        planned = 0
        for id_, row, sound in self._cell_rows():
            described = self._index.described(row.setup) if sound else None
            if described is None or not row.sane:
                text = f"Cell {id_} of {str(self.folder)!r} is damaged and left out."
                notes.append(Note(NoteKind.DAMAGE, text))
                continue
            try:
                seeds = seeds_of(row.seeds)
                planned += len(seeds)
                if planned > MOST_PLANNED:
                    raise ValueError(f"it plans more than {MOST_PLANNED:,} runs")
            except (ValueError, TypeError, RecursionError) as error:
                raise files.unhealthy(self.folder / files.FILE, error) from None
            place = (row.experiment, row.key, row.steps, row.threshold, row.setup)
            found.append(StoredCell(id_, *place, described, seeds))
        return found, notes

    def _cell_rows(self) -> list[FoundCell]:
        """Return the rows of all cells, and whether each is sound."""
        found = []
        for id_, *values, sum_ in self._rows("SELECT * FROM cells ORDER BY id"):
            row = CellRow(*values)
            setup = self._index.digest_of(row.setup) if type(row.setup) is int else ""
            found.append(FoundCell(id_, row, bool(setup) and row.sound(setup, sum_)))
        return found

    def runs(self, cell: StoredCell | PlannedCell) -> Iterator[StoredRun]:
        """Yield the finished runs of a cell by seed, each checked; a damaged one has no curves."""
        after = RunKey(cell.setup + 1, 0).number
        return self._runs(cell, RunKey(cell.setup, 0).number, after)

    def packed(self, described: Described, seed: int) -> bytes:
        """Return the curves of a run as they were packed."""
        setup = self._index.setup(described)
        if setup is not None:
            number = RunKey(setup, seed).number
            for run in self._runs(PlannedCell(0, setup, 0.0), number, number + 1):
                if run.packed is not None:
                    return run.packed
        raise files.unhealthy(self.folder / files.FILE, f"the run with seed {seed} is damaged")

    def _runs(self, cell: StoredCell | PlannedCell, first: int, after: int) -> Iterator[StoredRun]:
        base, judged = RunKey(cell.setup, 0).number, RunKey(cell.id, 0).number
        setup = self._index.bytes_of(cell.setup)
        for number, *row in self._rows(RUNS, None, base, judged, first, after):
            seed = number - base
            yield stored_run(seed, row, setup, cell.threshold, self._index.text)

    def _rows(
        self, query: str, types: Sequence[type] | None = None, *values: object
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; given types are required: SQLite keeps whatever it gets."""
        try:
            for row in self._database.execute(query, values):
                for value, expected in zip(row, types or (), strict=types is not None):
                    if type(value) is not expected:
                        raise TypeError(f"expected {expected.__name__}, found {value!r:.80}")
                yield row
        except (*files.ERRORS, TypeError) as error:
            raise files.problem(self.folder / files.FILE, error) from None

    def close(self) -> None:
        """Close the file and free the folder."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
