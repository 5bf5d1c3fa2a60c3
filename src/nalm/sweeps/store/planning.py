"""Where the plan of a cell goes in a store: into the row it has, a damaged one, or a new one."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from nalm.sweeps.cell import Described
from nalm.sweeps.store.rows import CellRow, ranges_text, seeds_of
from nalm.sweeps.types import CellKey, Note, NoteKind


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


def with_generator(key: CellKey, described: Described) -> CellKey:
    """Return the key of a cell that says which generator its runs draw from.

    >>> recipe = '{"generator": "philox"}'
    >>> with_generator(CellKey("nmu", "mul", "U[1,2)", 2), Described("", "", recipe)).setting
    'generator philox'
    """
    label = f"generator {json.loads(described.recipe)['generator']}"
    return key._replace(setting=f"{key.setting}, {label}" if key.setting else label)


def drawn_otherwise(mine: Described, other: Described) -> bool:
    """Tell whether two setups differ in the generator of their random numbers only."""
    if mine == other or (mine.model, mine.task) != (other.model, other.task):
        return False
    first, second = (json.loads(setup.recipe) | {"generator": ""} for setup in (mine, other))
    return first == second


def relabelled(row: CellRow, described: Described) -> CellRow:
    """Return the row of a cell whose runs draw from a generator that is not asked for any more."""
    return row._replace(setting=with_generator(row.key, described).setting)


def kept_note(row: CellRow, new: Described) -> Note:
    """Return that the runs of a relabelled row are kept."""
    label = row.setting.rpartition("generator ")[2]
    asked = json.loads(new.recipe)["generator"]
    return Note(
        NoteKind.GENERATOR,
        f"Stored runs of {row.key} drew their random numbers from {label}; they are kept under "
        f"this name, and runs that draw from {asked} are trained beside them. Write --set "
        f"generator={label} to go on with those.",
    )
