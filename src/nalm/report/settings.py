"""Settings in words: what a model is, what it learns, and how it is trained."""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

from nalm.networks import Model
from nalm.networks.layers import layers
from nalm.report.chart_rows import printable
from nalm.report.numbers import number
from nalm.sweeps import CellRuns
from nalm.tasks import Task
from nalm.training import Recipe, Schedule

UNKNOWN = "not known: its custom code is not defined here"
SAID = {"learning_rate", "steps", "batch", "optimizer", "loss", "penalties", "log_every"}
SAID |= {"evaluation", "generator"}
"""The fields of a recipe that have a sentence of their own."""


@dataclass(frozen=True)
class Settings:
    """What some cells have in common."""

    unit: str
    setting: str
    cells: tuple[CellRuns, ...]
    model: str
    recipe: str

    @property
    def ops(self) -> tuple[str, ...]:
        """The operations of its cells."""
        return tuple(dict.fromkeys(cell.key.op for cell in self.cells))

    @property
    def tasks(self) -> tuple[str, ...]:
        """What is learnt in its cells, each once."""
        return tuple(dict.fromkeys(task_words(cell.setup.task, cell.key.op) for cell in self.cells))


def settings(cells: Sequence[CellRuns]) -> tuple[Settings, ...]:
    """Return the settings of cells, each once with the cells that share them."""
    found: dict[tuple[str, ...], list[CellRuns]] = {}
    for cell in cells:
        setup = cell.setup
        words = (model_words(setup.model), recipe_words(setup.recipe))
        found.setdefault((cell.key.unit, cell.key.setting, *words), []).append(cell)
    return tuple(
        Settings(unit, setting, tuple(mine), model, recipe)
        for (unit, setting, model, recipe), mine in found.items()
    )


def model_words(model: Model | None) -> str:
    """Return what a model is.

    >>> import nalm
    >>> model_words(nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1))))
    'nau, 4 inputs to 2 outputs; then nmu, 2 inputs to 1 output'
    """
    if model is None:
        return UNKNOWN
    return "; then ".join(_layer(layer) for layer in layers(model).values())


def task_words(task: Task | None, op: str) -> str:
    """Return what is learnt.

    >>> from nalm.tasks import single_module
    >>> task_words(single_module("mul"), "mul")
    'mul of 2 inputs, trained on U[1,2), tested on U[2,6)'
    """
    if task is None:
        return f"{op}: {UNKNOWN}"
    inputs = _counted(task.inputs, "input")
    train, test = task.train.label, task.test.label
    return printable(f"{op} of {inputs}, trained on {train}, tested on {test}")


def recipe_words(recipe: Recipe | None) -> str:
    r"""Return how a model is trained.

    >>> from nalm.training import Ramp
    >>> print(recipe_words(Recipe(clip_norm=1.0)).replace("; ", ";\n"))
    adam with learning rate 0.001, 50,000 steps of 128 samples, loss mse;
    clip norm 1;
    evaluated every 1,000 steps on 10,000 samples
    """
    if recipe is None:
        return UNKNOWN
    options = "".join(f", {name} {_value(value)}" for name, value in recipe.optimizer.options)
    parts = [
        f"{recipe.optimizer.name}{options} with learning rate {number(recipe.learning_rate)}, "
        f"{recipe.steps:,} steps of {recipe.batch:,} samples, loss {_value(recipe.loss)}"
    ]
    parts += [f"penalty {name}: {_value(schedule)}" for name, schedule in recipe.penalties]
    parts += _changed(recipe, SAID)
    parts.append(f"evaluated every {recipe.log_every:,} steps on {recipe.evaluation:,} samples")
    return printable("; ".join(parts))


def _layer(layer: Any) -> str:
    sizes = (_counted(layer.in_features, "input"), _counted(layer.out_features, "output"))
    options = list(_changed(layer, {"in_features", "out_features", "units"}))
    inside = f" ({', '.join(options)})" if options else ""
    return printable(f"{layer.name}{inside}, {sizes[0]} to {sizes[1]}")


def _changed(thing: Any, left_out: set[str]) -> Iterator[str]:
    """Yield the fields of a dataclass that are not at their default, in words."""
    for own in fields(thing):
        value = getattr(thing, own.name)
        if own.name not in left_out and (own.default is MISSING or value != own.default):
            yield f"{own.name.replace('_', ' ')} {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, Schedule):
        return value.words
    if is_dataclass(value) and not isinstance(value, type):
        inside = [f"{f.name} {_value(getattr(value, f.name))}" for f in fields(value)]
        return type(value).__name__.lower() + (f" ({', '.join(inside)})" if inside else "")
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(map(_value, value)) or "none"
    return number(value) if isinstance(value, int | float) else str(value)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
