"""A cell: runs that differ in their seed only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from nalm.errors import InputError
from nalm.networks import Composite, Model
from nalm.networks.layers import layers, title
from nalm.sweeps.thresholds import kept_threshold
from nalm.sweeps.types import CellKey, Note, NoteKind
from nalm.tasks import Task
from nalm.training import Recipe
from nalm.training.description import canonical
from nalm.training.run import Run


@dataclass(frozen=True)
class Cell:
    """One line of an experiment: a model on a task under a recipe.

    Parameters
    ----------
    name
        What the model is called in tables.
    model
        A unit or a network.
    task
        What is to be learnt.
    recipe
        How it is trained.
    setting
        What else distinguishes the cell: the value of a swept quantity.
    threshold
        The test error below which a run is solved; simulated from the task if absent.
    range
        What the ranges are called in tables, instead of the training range.

    Examples
    --------
    >>> import nalm
    >>> from nalm.experiments import Cell
    >>> from nalm.tasks import single_module
    >>> cell = Cell("nmu", nalm.unit("nmu", 2, 1), single_module("mul"), nalm.Recipe())
    >>> cell.key
    CellKey(unit='nmu', op='mul', range='U[1,2)', inputs=2, setting='')
    """

    name: str
    model: Model
    task: Task
    recipe: Recipe
    setting: str = ""
    threshold: float | None = None
    range: str | None = None

    def __post_init__(self) -> None:
        taken, inputs = self.model.in_features, self.task.inputs
        if taken != inputs:
            raise InputError(
                f"A model takes as many inputs as its task has; in the cell {self.key} it takes "
                f"{taken}. Make the model with in_features={inputs}, or the task with "
                f"inputs={taken}."
            )
        self.runs([0])  # a cell that no run can be made of is refused here

    @cached_property
    def key(self) -> CellKey:
        """What identifies it within its experiment."""
        task = self.task
        return CellKey(self.name, task.op, self.range or task.range, task.inputs, self.setting)

    @cached_property
    def limit(self) -> float:
        """The test error below which a run is solved."""
        if self.threshold is not None:
            return self.threshold
        return kept_threshold(self.task, self.described.task)

    @cached_property
    def described(self) -> "Described":
        """Its model, task and recipe as canonical JSON."""
        return Described(canonical(self.model), canonical(self.task), canonical(self.recipe))

    def units(self) -> set[str]:
        """Return the names by which the cell can be selected: its own and those of its units."""
        units = list(layers(self.model).values())
        parts = [part for unit in units if isinstance(unit, Composite) for part in unit.units]
        return {self.name, *(unit.name for unit in (*units, *parts))}

    def runs(self, seeds: Iterable[int]) -> list[Run]:
        """Return its runs."""
        return [Run(self.model, self.task, self.recipe, seed) for seed in seeds]


@dataclass(frozen=True)
class Described:
    """A model, a task and a recipe as canonical JSON."""

    model: str
    task: str
    recipe: str


def cell_of(model: Model, task: Task, recipe: Recipe, name: str | None = None) -> Cell:
    """Return a cell that belongs to no experiment, called by its layers."""
    return Cell(name or title(model), model, task, recipe)


def zero_divisor_notes(cells: Sequence[Cell]) -> tuple[Note, ...]:
    """Return which tasks divide by numbers near zero, once each."""
    tasks = {cell.task for cell in cells if cell.task.divides_by_zero}
    texts = {
        f"{task.op} over {task.range}: a divisor comes as near to zero as numbers are, so "
        "single targets are huge and may decide the errors."
        for task in tasks
    }
    return tuple(Note(NoteKind.ZERO_DIVISOR, text) for text in sorted(texts))
