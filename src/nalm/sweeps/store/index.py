"""What the rows of a store refer to: descriptions, setups and tables, each kept once.

Each is known by its digest, so that a damaged one is noticed, and rebuilt when it is planned again.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nalm.sweeps.cell import Cell, Described
from nalm.sweeps.store.rows import digest
from nalm.sweeps.types import Note, NoteKind
from nalm.tasks.distributions.rows import digest_of

LONGEST = 2**22
"""The most characters of a description."""
DESCRIPTIONS = f"""
SELECT id, digest, CASE WHEN length(json) <= {LONGEST} THEN json END FROM descriptions
"""
UNKNOWN = "unknown: its description is damaged"

Rows = Callable[..., Iterator[tuple[Any, ...]]]


class Index:
    """The descriptions, setups and tables of a store."""

    def __init__(self, rows: Rows, execute: Callable[..., Any]) -> None:
        self._rows, self._execute = rows, execute
        self.load()

    def load(self) -> None:
        """Read all descriptions and setups."""
        self._texts: dict[int, str] = {}
        self._ids: dict[str, int] = {}
        self._bad_texts: list[tuple[Any, ...]] = []
        for id_, found, text in self._rows(DESCRIPTIONS):
            if type(text) is str and digest(text) == found:
                self._texts[id_], self._ids[found] = text, id_
            else:
                self._bad_texts.append((id_, found, text))
        self._setups: dict[int, tuple[str, Described]] = {}
        self._numbers: dict[str, int] = {}
        self._bad_setups: list[tuple[Any, ...]] = []
        for id_, found, *parts in self._rows("SELECT id, digest, model, task, recipe FROM setups"):
            texts = [self._texts.get(part) for part in parts if type(part) is int]
            known = [text for text in texts if text is not None]
            described = Described(*known) if len(known) == len(parts) else None
            if described is not None and setup_digest(described) == found:
                self._setups[id_], self._numbers[found] = (found, described), id_
            else:
                self._bad_setups.append((id_, found, *parts))

    @property
    def damaged(self) -> list[str]:
        """What is damaged, in sentences."""
        return [f"Description {id_} is damaged." for id_, *_ in self._bad_texts] + [
            f"The description of setup {id_} is damaged." for id_, *_ in self._bad_setups
        ]

    # --- writing -------------------------------------------------------------------------------

    def keep(self, cell: Cell) -> list[Note]:
        """Keep what a cell refers to, and return what was damaged of it and is rebuilt."""
        notes: list[Note] = []
        for name, table in cell.task.tables().items():
            self._keep_table(cell, name, table, notes)
        texts = (cell.described.model, cell.described.task, cell.described.recipe)
        parts = tuple(self.describe(text, f"of {cell.key}", notes) for text in texts)
        wanted = setup_digest(cell.described)
        if wanted in self._numbers:
            return notes
        for id_, found, *refers in self._bad_setups:
            if found == wanted or tuple(refers) == parts:
                values = (wanted, *parts, id_)
                self._execute(
                    "UPDATE setups SET digest = ?, model = ?, task = ?, recipe = ? WHERE id = ?",
                    values,
                )
                if (found, *refers) != (wanted, *parts):
                    notes.append(_rebuilt(f"setup of {cell.key}"))
                break
        else:
            values = (wanted, *parts)
            id_ = self._execute("INSERT INTO setups VALUES (NULL, ?, ?, ?, ?)", values).lastrowid
        self._setups[id_], self._numbers[wanted] = (wanted, cell.described), id_
        return notes

    def describe(self, text: str, of: str = "", notes: list[Note] | None = None) -> int:
        """Keep a text once, and return its number."""
        wanted = digest(text)
        if wanted in self._ids:
            return self._ids[wanted]
        for id_, found, json in self._bad_texts:
            if found == wanted or json == text:
                values = (wanted, text, id_)
                self._execute("UPDATE descriptions SET digest = ?, json = ? WHERE id = ?", values)
                if notes is not None:
                    notes.append(_rebuilt(f"description {of}"))
                break
        else:
            id_ = self._execute(
                "INSERT INTO descriptions VALUES (NULL, ?, ?)", (wanted, text)
            ).lastrowid
        self._texts[id_], self._ids[wanted] = text, id_
        return id_

    def _keep_table(self, cell: Cell, name: str, table: np.ndarray, notes: list[Note]) -> None:
        numbers = np.ascontiguousarray(table, "<f8")
        new = (name, numbers.shape[1], numbers.tobytes())
        rows = list(self._rows("SELECT id, digest, columns, data FROM tables"))
        if any(tuple(row) == new for _, *row in rows):
            return
        for id_, found, _, data in rows:
            if found == name or data == new[-1]:
                notes.append(_rebuilt(f"table of {cell.key}"))
                self._execute("DELETE FROM tables WHERE id = ?", (id_,))
        self._execute("INSERT INTO tables VALUES (NULL, ?, ?, ?)", new)

    # --- reading -------------------------------------------------------------------------------

    def setup(self, described: Described) -> int | None:
        """Return the number of a model, task and recipe; None if they are not known."""
        return self._numbers.get(setup_digest(described))

    def described(self, setup: int) -> Described | None:
        """Return the model, task and recipe of a setup; None if it is not known or damaged."""
        return self._setups[setup][1] if setup in self._setups else None

    def digest_of(self, setup: int) -> str:
        """Return the digest of a setup; empty if it is not known or damaged."""
        return self._setups[setup][0] if setup in self._setups else ""

    def bytes_of(self, setup: int) -> bytes:
        """Return the digest of a known setup as bytes."""
        return bytes.fromhex(self._setups[setup][0])

    def text(self, id_: int) -> str:
        """Return a description, or that it is not known."""
        return self._texts.get(id_, UNKNOWN)

    def tables(self) -> tuple[dict[str, np.ndarray], list[Note]]:
        """Return the tables by digest, and which are damaged and left out."""
        found: dict[str, np.ndarray] = {}
        notes: list[Note] = []
        for id_, name, columns, data in self._rows("SELECT id, digest, columns, data FROM tables"):
            whole = type(columns) is int and type(data) is bytes and 0 < columns <= len(data)
            if whole and len(data) % (8 * columns) == 0:
                table = np.frombuffer(data, "<f8").reshape(-1, columns)
                if digest_of(table) == name:
                    found[name] = table
                    continue
            notes.append(Note(NoteKind.DAMAGE, f"Table {id_} is damaged and left out."))
        return found, notes


def setup_digest(described: Described) -> str:
    """Return the digest of a model, a task and a recipe."""
    return digest(f"[{described.model},{described.task},{described.recipe}]")


def _rebuilt(what: str) -> Note:
    return Note(NoteKind.DAMAGE, f"The stored {what} was damaged; it has been rebuilt.")
