"""What an experiment is: models on tasks under recipes, each for several seeds, and a source."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nalm.engine.recipe import Recipe, lasting
from nalm.engine.run import Run
from nalm.errors import InputError, UnknownNameError, unknown
from nalm.networks import Composite, Model
from nalm.networks.layers import layers
from nalm.tasks import AnyTask, label


@dataclass(frozen=True)
class Cell:
    """One line of an experiment: a model on a task under a recipe."""

    name: str
    """What the model is called in tables."""
    model: Model
    task: AnyTask
    recipe: Recipe
    setting: str = ""
    """What else distinguishes it: the value of a swept quantity."""
    threshold: float | None = None
    """The test error of a success; simulated from the task where absent."""

    @property
    def place(self) -> tuple[str, str, str, int, str]:
        """What identifies it within its experiment."""
        return self.name, self.task.op, label(self.task.train), self.task.inputs, self.setting

    def units(self) -> set[str]:
        """Return the names by which the cell can be selected: its own and those of its units."""
        units = list(layers(self.model).values())
        parts = [part for unit in units if isinstance(unit, Composite) for part in unit.units]
        return {self.name, *(unit.name for unit in (*units, *parts))}


@dataclass(frozen=True)
class Experiment:
    """A published experiment as data."""

    id: str
    title: str
    source: str
    """The paper, by its key, and the section, table or figure."""
    seeds: int
    make: Callable[[], Iterable[Cell]]
    note: str = ""

    def cells(self) -> list[Cell]:
        """Return every line of the experiment."""
        return list(self.make())


def select(
    cells: Sequence[Cell],
    units: Sequence[str] | None,
    ops: Sequence[str] | None,
    ranges: Sequence[str] | None,
    *,
    settings: Sequence[str] | None = None,
    inputs: Sequence[int] | None = None,
) -> list[Cell]:
    """Return the cells with these names; a name that fits none of the cells is an error.

    The name of a model is that model alone; another unit's name is every model that has it.
    """
    chosen = list(cells)
    for op in ops or ():
        if op not in {cell.task.op for cell in cells}:
            raise unknown("operation in this experiment:", op, {cell.task.op for cell in cells})
    if ops:
        chosen = [cell for cell in chosen if cell.task.op in ops]
    known = {label(cell.task.train) for cell in cells}
    for name in ranges or ():
        if name not in known:
            raise unknown("range", name, known)
    if ranges:
        chosen = [cell for cell in chosen if label(cell.task.train) in ranges]
    for name in units or ():
        _check_unit(name, cells, chosen)
    if units:
        whole = {cell.name for cell in cells}
        chosen = [
            cell
            for cell in chosen
            if any(name == cell.name if name in whole else name in cell.units() for name in units)
        ]
    chosen = _with(chosen, "setting", settings, lambda cell: cell.setting)
    chosen = _with(chosen, "number of inputs", inputs, lambda cell: cell.task.inputs)
    if not chosen:
        raise InputError("The selection leaves nothing of the experiment.")
    return chosen


def _with(
    cells: list[Cell], kind: str, wanted: Sequence[Any] | None, of: Callable[[Cell], Any]
) -> list[Cell]:
    """Return the cells that have one of the wanted values, each of which some cell must have."""
    if wanted is None:
        return cells
    known = {of(cell) for cell in cells}
    for value in wanted:
        if value not in known:
            if known == {""}:
                raise UnknownNameError(
                    f"There are no {kind}s in this selection; received {value!r}. Leave them out."
                )
            raise unknown(f"{kind} in this selection:", value, [str(v) or "''" for v in known])
    return [cell for cell in cells if of(cell) in wanted]


def _check_unit(name: str, cells: Sequence[Cell], chosen: Sequence[Cell]) -> None:
    """Raise unless some chosen cell has this unit."""
    if any(name in cell.units() for cell in chosen):
        return
    able = sorted({cell.name for cell in chosen})
    if any(name in cell.units() for cell in cells):
        ops = ", ".join(sorted({cell.task.op for cell in chosen}))
        raise UnknownNameError(f"{name} cannot represent {ops}; these can: {', '.join(able)}.")
    raise unknown("unit in this experiment:", name, {n for cell in cells for n in cell.units()})


def runs_of(cell: Cell, seeds: int, steps: int | None = None) -> list[Run]:
    """Return the runs of a cell; with other steps, its schedules keep their proportion."""
    recipe = cell.recipe if steps is None else lasting(cell.recipe, steps)
    return [Run(cell.model, cell.task, recipe, seed) for seed in range(seeds)]
