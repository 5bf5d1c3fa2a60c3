"""How much of a published experiment was run: its seeds and steps beside those in print."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nalm.experiments.experiment import Cell

Place = tuple[str, str, str, int, str]
PLACE = ("unit", "op", "range", "inputs", "setting")
"""The fields of a row that say which cell it is."""


def published_steps(cells: Iterable[Cell]) -> dict[Place, int]:
    """Return the number of steps of each cell."""
    return {cell.place: cell.recipe.steps for cell in cells}


def sized(
    rows: Sequence[dict[str, Any]],
    steps: Mapping[Place, int],
    in_print: Mapping[Place, int],
    seeds: int | None,
) -> list[dict[str, Any]]:
    """Return the rows with their steps, and the published steps and seeds where there are any."""
    return [
        {
            **row,
            "steps": steps[place_of(row)],
            "published_steps": in_print.get(place_of(row)),
            "published_runs": seeds if place_of(row) in in_print else None,
        }
        for row in rows
    ]


def place_of(row: Mapping[str, Any]) -> Place:
    """Return the cell of a row."""
    return row["unit"], row["op"], row["range"], row["inputs"], row["setting"]


def resized(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return how the rows differ in size from what is in print, once each.

    >>> row = {"runs": 5, "published_runs": 25, "steps": 10_000, "published_steps": 50_000}
    >>> resized([row, row])
    ('Reduced: 5 of 25 seeds, 10,000 of 50,000 steps, not compared with what is in print.',)
    >>> resized([row, row | {"runs": 25, "steps": 50_000}])[0][:24]
    'Reduced, 1 of 2 cells: 5'
    """
    found = Counter(said for row in rows if (said := _resized(row)))
    return tuple(
        f"{kind}{'' if count == len(rows) else f', {count} of {len(rows)} cells'}: {text}"
        for (kind, text), count in found.items()
    )


def _resized(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return whether a row is smaller or larger than published, and how; None if it is neither."""
    if row["published_steps"] is None:
        return None
    seeds, steps = (
        f"{row[mine]:,} of {row[theirs]:,} {name}" if row[mine] != row[theirs] else ""
        for mine, theirs, name in (
            ("runs", "published_runs", "seeds"),
            ("steps", "published_steps", "steps"),
        )
    )
    if not seeds and not steps:
        return None
    fewer = row["runs"] < row["published_runs"]
    kind = "Reduced" if fewer or row["steps"] < row["published_steps"] else "Larger than published"
    wider = "intervals are wider" if fewer else ""
    then = "not compared with what is in print" if steps else wider
    return kind, ", ".join(part for part in (seeds, steps, then) if part) + "."
