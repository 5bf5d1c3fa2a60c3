"""Stores of results: a small one, and copies of it with one value changed."""

import shutil
import sqlite3
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.faults.strategies import ODD_NUMBERS, WORDS
from hypothesis import strategies as st

import nalm
from nalm.tasks import single_module

FILE = "results.sqlite"


def sample_store(folder: Path) -> Path:
    """Return a folder with the results of two short cells."""
    recipe = {"log_every": 100, "steps": 200}
    for op in ("add", "mul"):
        nalm.train("nac", single_module(op), recipe, seeds=3, out=folder, workers=1)
    return folder


def fields(folder: Path) -> list[tuple[str, str, int]]:
    """Return every table, column and row of a store."""
    with sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True) as database:
        names = [
            n for (n,) in database.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        ]
        return [
            (name, column, row)
            for name in names
            for (_, column, *_) in database.execute(f'PRAGMA table_info("{name}")')
            for row in range(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])
        ]


ODD = st.one_of(
    st.none(),
    st.sampled_from(
        [number for number in ODD_NUMBERS if isinstance(number, float) or abs(number) < 2**63]
    ),
    st.sampled_from(WORDS),
    st.text(max_size=20),
    st.binary(max_size=20),
)
copies = count()


@st.composite
def with_cell(draw: st.DrawFn, folder: Path) -> Path:
    """Return a copy of a store in which one field has another value, of any type."""
    table, column, row = draw(st.sampled_from(fields(folder)))
    copy = folder.with_name(f"copy{next(copies) % 4}")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    set_field(copy, table, column, row, draw(ODD))
    return copy


def set_field(folder: Path, table: str, column: str, row: int, value: Any) -> None:
    """Change one field of a store, whatever its schema says about it."""
    database = sqlite3.connect(folder / FILE)
    try:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute("PRAGMA foreign_keys = OFF")
        keys = "rowid"
        (found,) = database.execute(f'SELECT {keys} FROM "{table}" LIMIT 1 OFFSET ?', [row])
        database.execute(
            f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {keys} = ?', [value, found[0]]
        )
        database.commit()
    except sqlite3.Error:  # a schema that does not allow it
        database.rollback()
    finally:
        database.close()
