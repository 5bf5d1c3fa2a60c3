"""Results on disk: one SQLite file per folder, one row a run, one writer at a time."""

import json
import platform
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Self

from nalm.engine.entry import Entry
from nalm.engine.frames import pack, unpack
from nalm.engine.run import Curves, Run
from nalm.errors import NalmError
from nalm.specs import canonical, digest

VERSION = 2
SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  model TEXT NOT NULL,
  task TEXT NOT NULL,
  recipe TEXT NOT NULL,
  seed INTEGER NOT NULL,
  diverged_at INTEGER NOT NULL,
  curves BLOB NOT NULL,
  environment TEXT NOT NULL,
  finished TEXT NOT NULL
);
CREATE TABLE entries (
  experiment TEXT NOT NULL,
  name TEXT NOT NULL,
  op TEXT NOT NULL,
  range TEXT NOT NULL,
  inputs INTEGER NOT NULL,
  setting TEXT NOT NULL,
  seed INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  threshold REAL NOT NULL,
  run TEXT NOT NULL,
  PRIMARY KEY (experiment, name, op, range, inputs, setting, seed, steps)
);
"""


class StoreError(NalmError, RuntimeError):
    """A results folder that cannot be used: damaged, of another version, or in use."""


def identity(run: Run) -> str:
    """Return the key of a run: the SHA-256 of everything that defines it."""
    return digest([run.model, run.task, run.recipe, run.seed])


class Store:
    """The results of a folder, open for writing; others may read meanwhile."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"Results go into a folder that can be written; {str(self.folder)!r} cannot be "
                f"made: {error.strerror}. Choose another with --out (out= in Python)."
            ) from None
        self._lock = self._locked()
        try:
            self._database = open_results(self.folder)
        except BaseException:
            self._lock.close()
            raise

    def _locked(self) -> sqlite3.Connection:
        """Hold the lock of the folder; the system frees it when this process ends, however."""
        try:
            lock = sqlite3.connect(self.folder / "writer.lock", timeout=0, isolation_level=None)
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreError(
                    f"Another process is writing to {str(self.folder)!r}. Wait for it, or choose "
                    "another folder."
                ) from None
            raise _unwritable(self.folder, error) from None
        return lock

    def plan(self, entries: Sequence[Entry]) -> None:
        """Keep what is to be run, under which names."""
        rows = [
            (
                entry.experiment,
                *entry.place,
                entry.run.seed,
                entry.run.recipe.steps,
                entry.threshold,
                identity(entry.run),
            )
            for entry in entries
        ]
        try:
            with self._database:
                self._database.executemany(
                    f"INSERT OR REPLACE INTO entries VALUES ({', '.join('?' * 10)})", rows
                )
        except sqlite3.OperationalError as error:
            raise _unwritable(self.folder, error) from None

    def known(self) -> set[str]:
        """Return the identities of the runs that are done."""
        return {row[0] for row in self._database.execute("SELECT id FROM runs")}

    def add(self, runs: Sequence[Run], curves: Sequence[Curves]) -> None:
        """Store the results of runs, all or none."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        described = json.dumps(environment())
        rows = [
            (
                identity(run),
                canonical(run.model),
                canonical(run.task),
                canonical(run.recipe),
                run.seed,
                c.diverged_at,
                pack([c]),
                described,
                now,
            )
            for run, c in zip(runs, curves, strict=True)
        ]
        try:
            with self._database:
                self._database.executemany(
                    "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
                )
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"The results of {len(rows)} runs could not be written to {str(self.folder)!r}: "
                f"{error}. What was stored before is safe; make room and run the command again."
            ) from None

    def results(self, ids: Sequence[str]) -> Iterator[tuple[str, Curves]]:
        """Yield the identities of runs with their curves; those that are not done are left out."""
        for id_ in ids:
            row = self._database.execute("SELECT curves FROM runs WHERE id = ?", (id_,)).fetchone()
            if row:
                yield id_, unpack(row[0])[0]

    def close(self) -> None:
        """Close the file and free the folder."""
        self._database.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _unwritable(folder: Path, error: Exception) -> StoreError:
    return StoreError(
        f"Results go into a folder that can be written; {str(folder)!r} cannot: {error}. Choose "
        "another with --out (out= in Python), or change its permissions."
    )


def open_results(folder: Path) -> sqlite3.Connection:
    """Open or create the results of a folder; anything but a healthy store is refused untouched."""
    path = folder / "results.sqlite"
    new = not path.exists() or path.stat().st_size == 0
    database = sqlite3.connect(path)
    try:
        if new:
            database.execute("PRAGMA journal_mode=WAL")
            with database:
                database.executescript(SCHEMA)
                database.execute("INSERT INTO meta VALUES ('version', ?)", (str(VERSION),))
        (found,) = database.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        (healthy,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.DatabaseError, TypeError) as error:
        database.close()
        raise StoreError(
            f"{str(path)!r} is not a healthy results file: {error}. Nothing was changed; move it "
            "away or restore a copy."
        ) from None
    if found != str(VERSION):
        database.close()
        raise StoreError(
            f"{str(path)!r} has format {found}; this version of nalm writes format {VERSION}. "
            "Use another folder, or the version of nalm that wrote it."
        )
    if healthy != "ok":
        database.close()
        raise StoreError(f"{str(path)!r} is damaged: {healthy}. Nothing was changed.")
    return database


def environment() -> dict[str, str]:
    """Return what a result was made with."""
    return {name: version(name) for name in ("nalm", "jax", "jaxlib", "numpy")} | {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
    }
