"""What was learned, by algebra: a line for each task, a column for each network, the best first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

from nalm.sweeps import CellKey, CellRuns, CellSummary

OPEN = 64
"""The most tasks of a table that is open from the start."""


@dataclass(frozen=True)
class Line:
    """One task: the cell of each network, None where it was not run."""

    op: str
    range: str
    formula: str
    """The target as a formula, where that is not its name; else empty."""
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

    @property
    def published(self) -> bool:
        """Whether any of it is published."""
        return any(total.published_tasks for total in self.totals)


def compositions(
    cells: Sequence[CellSummary], targets: Mapping[CellKey, str]
) -> Compositions | None:
    """Return the table, or None if the runs were not judged by algebra.

    Parameters
    ----------
    cells
        The statistics of all cells.
    targets
        The targets as formulas, where they are known.
    """
    learned: Counter[tuple[str, str]] = Counter()
    lines: dict[_Task, dict[tuple[str, str], CellSummary]] = {}
    for cell in cells:
        if cell.equal is not None:
            key, network = cell.key, (cell.key.unit, cell.key.setting)
            learned[network] += cell.equal
            formula = targets.get(key, "")
            task = _Task(key.op, key.range, key.inputs, "" if formula == key.op else formula)
            lines.setdefault(task, {})[network] = cell
    if not lines:
        return None
    networks = [network for network, _ in learned.most_common()]
    return Compositions(
        heads=tuple(f"{unit} {setting}".strip() for unit, setting in networks),
        lines=tuple(
            Line(task.op, task.range, task.formula, tuple(found.get(n) for n in networks))
            for task, found in lines.items()
        ),
        totals=tuple(
            _total([found[network] for found in lines.values() if network in found])
            for network in networks
        ),
    )


class _Task(NamedTuple):
    """What identifies the task of a line."""

    op: str
    range: str
    inputs: int
    formula: str


def target_formula(cell: CellRuns) -> str:
    """Return the target of a cell as a formula of its inputs; empty if it is not known."""
    task = cell.setup.task
    if task is None:
        return ""
    expression = task.expression(task.target.input_names(task.inputs))
    return "" if expression is None else str(expression)


def _total(cells: Sequence[CellSummary]) -> Total:
    comparisons = (cell.comparison() for cell in cells)
    published = [c.published.value for c in comparisons if c and not isnan(c.published.value)]
    return Total(
        learned=sum(2 * (cell.equal or 0) > cell.runs for cell in cells),
        tasks=len(cells),
        published_learned=round(sum(published)),
        published_tasks=len(published),
    )
