"""The SQLite file of results: how it is created, opened, locked and checked."""

import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from uuid import uuid4

from nalm.errors import StoreError
from nalm.sweeps.store.copying import copied

FILE = "results.sqlite"
LOCK = "writer.lock"
VERSION = 4
SCHEMA = {
    "meta": "name TEXT PRIMARY KEY, value TEXT NOT NULL",
    "descriptions": "id INTEGER PRIMARY KEY, digest TEXT NOT NULL, json TEXT NOT NULL",
    "tables": (
        "id INTEGER PRIMARY KEY, digest TEXT NOT NULL, columns INTEGER NOT NULL, data BLOB NOT NULL"
    ),
    "setups": (
        "id INTEGER PRIMARY KEY, digest TEXT NOT NULL, model INTEGER NOT NULL, "
        "task INTEGER NOT NULL, recipe INTEGER NOT NULL"
    ),
    "cells": (
        "id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, unit TEXT NOT NULL, op TEXT NOT NULL, "
        "range TEXT NOT NULL, inputs INTEGER NOT NULL, setting TEXT NOT NULL, "
        "steps INTEGER NOT NULL, threshold REAL NOT NULL, setup INTEGER NOT NULL, "
        "seeds TEXT NOT NULL, sum BLOB NOT NULL"
    ),
    "runs": (
        "id INTEGER PRIMARY KEY, environment INTEGER NOT NULL, finished INTEGER NOT NULL, "
        "digest BLOB NOT NULL, sum BLOB NOT NULL"
    ),
    "curves": "run INTEGER PRIMARY KEY, data BLOB NOT NULL",
    "judged": (
        "id INTEGER PRIMARY KEY, success INTEGER NOT NULL, solved_at INTEGER, sparsity REAL, "
        "test REAL, diverged INTEGER NOT NULL, equal INTEGER, sum BLOB NOT NULL"
    ),
    "saved": "id INTEGER PRIMARY KEY, runs BLOB NOT NULL, state BLOB NOT NULL, sum BLOB NOT NULL",
}
"""The columns of each table.

Every row can be checked: a description, a table and a setup by its digest, any other by its `sum`.
`runs.id` and `curves.run` are the number of a setup times 2**32 plus the seed, `judged.id` that of
a cell and the seed, so that no index can contradict a table.
"""
UNREADABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
"""Errors of the system, which say nothing about what is in a file."""
ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises: the second where a damaged name is part of its message."""
SMALL = 2**17
"""The most bytes of a store whose creation was broken off."""


def new_in_memory() -> sqlite3.Connection:
    """Return an empty database that is gone when it is closed."""
    database = sqlite3.connect(":memory:", check_same_thread=False)
    _create(database)
    return database


def open_to_write(folder: Path, opened: ExitStack) -> sqlite3.Connection:
    """Open or create the results of a folder; anything but a healthy file is refused untouched.

    The lock of the folder must be held. `opened` closes what is opened.
    """
    path = folder / FILE
    check_is_file(path)
    try:
        for left in folder.glob(f".{FILE}.*"):  # of creations that were killed
            left.unlink()
        if not path.exists() or path.stat().st_size == 0 or _is_unfinished(path):
            _set_aside(path)
            _create_beside(path)
        database = opened.enter_context(closing(sqlite3.connect(path)))
        database.execute("PRAGMA synchronous = FULL")
    except (*ERRORS, OSError) as error:
        raise problem(path, error) from None
    _check(database, path)
    return database


def open_to_read(path: Path, opened: ExitStack, *, trusted: bool = False) -> sqlite3.Connection:
    """Open a results file for reading, also while a sweep writes and on a read-only medium.

    One that is `trusted` was checked before in this process.
    """
    check_is_file(path)
    if not path.exists():
        raise StoreError(
            f"Results are read from a file; there is no {str(path)!r}. Run nalm bench EXPERIMENT "
            "--out FOLDER first."
        )
    try:
        database = _reading(path, opened)
    except (*ERRORS, OSError) as error:
        raise problem(path, error) from None
    if not trusted:
        _check(database, path)
    return database


def _reading(path: Path, opened: ExitStack) -> sqlite3.Connection:
    address = path.absolute().as_uri()
    database = sqlite3.connect(f"{address}?mode=ro", uri=True, check_same_thread=False)
    opened.callback(database.close)
    try:
        database.execute("SELECT 1 FROM sqlite_master").fetchone()
        return database
    except sqlite3.OperationalError as error:
        if _code(error) not in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
            raise
    database.close()
    if not _has_log(path):
        address, how = path.absolute().as_uri(), "immutable=1"
    else:  # SQLite needs files beside it to read what is not yet in the main file
        address, how = copied(path, opened).as_uri(), "mode=rw"
    database = sqlite3.connect(f"{address}?{how}", uri=True, check_same_thread=False)
    opened.callback(database.close)
    return database


def _has_log(path: Path) -> bool:
    logs = (path.with_name(path.name + ending) for ending in ("-wal", "-journal"))
    return any(log.exists() and log.stat().st_size for log in logs)


def lock(folder: Path, opened: ExitStack) -> None:
    """Hold the lock of a folder; the system frees it when this process ends, in any way."""
    path = folder / LOCK
    check_is_file(path)
    try:
        held = sqlite3.connect(path, timeout=0, isolation_level=None)
        opened.enter_context(closing(held))
        held.execute("BEGIN EXCLUSIVE")
    except ERRORS as error:
        code = _code(error)
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StoreError(
                f"Another process is writing to {str(folder)!r}. Wait for it, or choose another "
                "folder."
            ) from None
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreError(
                f"{str(path)!r} locks its folder for one writer; this file is not from nalm. "
                "Remove it, or choose another folder."
            ) from None
        raise unwritable(folder, error) from None


def check_is_file(path: Path) -> None:
    """Raise if there is something else than a file."""
    if path.exists() and not path.is_file():
        raise StoreError(
            f"Results are kept in files; {str(path)!r} is something else. Remove it, or choose "
            "another folder."
        )


def unwritable(folder: Path, error: Exception) -> StoreError:
    """Return the error of a folder that cannot be written."""
    return StoreError(
        f"Results go into a folder that can be written; {str(folder)!r} cannot: {error}. Choose "
        "another with --out (out= in Python), or change its permissions."
    )


def unhealthy(path: Path, error: object) -> StoreError:
    """Return the error of a file that is damaged or foreign."""
    return StoreError(
        f"{str(path)!r} is not a healthy results file: {error}. Nothing was changed; restore a "
        "copy, or leave this folder out."
    )


def problem(path: Path, error: Exception) -> StoreError:
    """Return the error of a file by its cause: the file, or the system it is on."""
    if isinstance(error, OSError) or _code(error) in UNREADABLE:
        return unwritable(path.parent, error)
    return unhealthy(path, error)


def _code(error: Exception) -> int | None:
    """Return the code of an error of SQLite without its details; None if SQLite gave none."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _statements() -> dict[str, str]:
    return {
        name: f"CREATE TABLE {name} ({columns}){' WITHOUT ROWID' if name == 'meta' else ''}"
        for name, columns in SCHEMA.items()
    }


def _create(database: sqlite3.Connection) -> None:
    """Write the schema and its version, both or neither."""
    created = "; ".join(_statements().values())
    database.executescript(
        f"BEGIN; {created}; INSERT INTO meta VALUES ('version', '{VERSION}'); COMMIT;"
    )


def _create_beside(path: Path) -> None:
    """Create an empty results file; it gets its name when it is whole and on the disk."""
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with closing(sqlite3.connect(beside)) as database:
            database.execute("PRAGMA page_size = 8192")
            _create(database)
            database.execute("PRAGMA journal_mode = WAL")
        with closing(sqlite3.connect(f"{beside.absolute().as_uri()}?immutable=1", uri=True)) as new:
            _check(new, beside)  # closing does not say when something was left in the log
        beside.replace(path)
    finally:
        for extra in path.parent.glob(f"{beside.name}*"):
            with suppress(OSError):
                extra.unlink()
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Have the name of a new file on the disk, on systems that can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _is_unfinished(path: Path) -> bool:
    """Tell whether a file is a store whose creation was broken off: no run was ever in it."""
    if path.stat().st_size > SMALL or _has_log(path):
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            found = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
            known = {f"sqlite_autoindex_{name}_1" for name in SCHEMA} | set(SCHEMA)
            versions = database.execute("SELECT 1 FROM meta").fetchall() if "meta" in found else []
            filled = found & {"cells", "runs", "curves"}
            rows = [database.execute(f"SELECT 1 FROM {name}").fetchone() for name in filled]
    except ERRORS:
        return False
    return found <= known and not versions and not any(rows)


def _set_aside(path: Path) -> None:
    """Give what is left of a store another name: SQLite would read an old log into a new file."""
    for ending in ("-wal", "-shm", "-journal", ""):
        left = path.with_name(path.name + ending)
        if left.exists():
            left.replace(left.with_name(f"{left.name}.{uuid4().hex[:8]}.old"))


def _check(database: sqlite3.Connection, path: Path) -> None:
    """Raise unless a file is whole, and a results file of this format."""
    try:
        row = database.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        found = row[0] if row else "none"
        if found != str(VERSION):
            raise StoreError(
                f"{str(path)!r} has format {str(found)[:20]}; this version of nalm reads and "
                f"writes format {VERSION}. Use another folder, or the version of nalm that wrote "
                "it."
            )
        schema = dict(database.execute("SELECT name, sql FROM sqlite_master"))
        if schema != _statements():
            raise unhealthy(path, "its tables are not those of nalm")
        (said,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if said != "ok":
            raise unhealthy(path, str(said).replace("\n", " "))
    except (*ERRORS, TypeError) as error:
        raise problem(path, error) from None
