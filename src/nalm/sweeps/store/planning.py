"""Where the plan of a cell goes in a store: into the row it has, a damaged one, or a new one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from nalm.sweeps.store.rows import CellRow, ranges_text, seeds_of
from nalm.sweeps.types import Note, NoteKind


@dataclass(frozen=True)
class PlannedCell:
    """A cell as a store knows it."""

    id: int
    """Its number in the store."""
    setup: int
    """The number of its model, task and recipe."""
    threshold: float
    notes: tuple[Note, ...] = ()
    """What was damaged of it, and was rebuilt."""


class FoundCell(NamedTuple):
    """A row of a store."""

    id: int
    row: CellRow
    sound: bool
    """Whether it is what was written."""


@dataclass(frozen=True)
class Placing:
    """What becomes of the rows of a store when a cell is planned."""

    row: CellRow
    id: int | None = None
    """The row that it replaces; None for a new one."""
    dropped: tuple[int, ...] = ()
    """Rows of the same place that define it otherwise."""
    unchanged: bool = False
    notes: tuple[Note, ...] = ()


def placed(new: CellRow, stored: Iterable[FoundCell]) -> Placing:
    """Return where a cell goes; seeds that were planned before stay planned."""
    same = [found for found in stored if found.sound and found.row.place == new.place]
    for id_, row, _ in same:
        if (row.threshold, row.setup) == (new.threshold, new.setup):
            if row.seeds != new.seeds:
                both = {*seeds_of(row.seeds), *seeds_of(new.seeds)}
                new = new._replace(seeds=ranges_text(both))
            return Placing(new, id_, unchanged=row == new)
    dropped = tuple(id_ for id_, *_ in same)
    for id_, row, sound in stored:
        if not sound and row.near(new):
            text = f"The stored cell {new.key} was damaged; it is planned anew."
            return Placing(new, id_, dropped, notes=(Note(NoteKind.DAMAGE, text),))
    return Placing(new, None, dropped)
