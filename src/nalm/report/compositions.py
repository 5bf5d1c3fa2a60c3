"""The table of compositions: a line for each task, a column for each network, the best first."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from nalm.sweeps.types import CellSummary
from nalm.tasks import composition

OPEN = 64
"""The most tasks of a table that is open from the start."""


@dataclass(frozen=True)
class Line:
    """One task: the cell of each network, None where it was not run."""

    op: str
    formula: str
    cells: tuple[CellSummary | None, ...]


@dataclass(frozen=True)
class Total:
    """How many tasks a network learns in more than half of its runs, and how many as published."""

    learned: int
    tasks: int
    published_learned: int
    published_tasks: int


@dataclass(frozen=True)
class Compositions:
    """The whole table."""

    heads: tuple[str, ...]
    """The networks."""
    lines: tuple[Line, ...]
    totals: tuple[Total, ...]

    @property
    def short(self) -> bool:
        """Whether it is short enough to be open from the start."""
        return len(self.lines) <= OPEN


def compositions(cells: Sequence[CellSummary]) -> Compositions | None:
    """Return the table, or None if the runs were not judged by algebra."""
    judged = {
        (cell.key.op, cell.key.unit, cell.key.setting): cell
        for cell in cells
        if cell.equal is not None
    }
    if not judged:
        return None
    learned: Counter[tuple[str, str]] = Counter()
    for (_, unit, setting), cell in judged.items():
        learned[unit, setting] += cell.equal or 0
    networks = [network for network, _ in learned.most_common()]
    ops = list(dict.fromkeys(op for op, _, _ in judged))
    return Compositions(
        heads=tuple(f"{unit} {setting}".strip() for unit, setting in networks),
        lines=tuple(
            Line(
                op,
                str(composition(op).expression()),
                tuple(judged.get((op, *network)) for network in networks),
            )
            for op in ops
        ),
        totals=tuple(
            _total([judged[op, *network] for op in ops if (op, *network) in judged])
            for network in networks
        ),
    )


def _total(cells: Sequence[CellSummary]) -> Total:
    comparisons = (cell.comparison() for cell in cells)
    published = [c.published.value for c in comparisons if c and not isnan(c.published.value)]
    return Total(
        learned=sum(2 * (cell.equal or 0) > cell.runs for cell in cells),
        tasks=len(cells),
        published_learned=round(sum(published)),
        published_tasks=len(published),
    )
