"""Cells that are like those of an experiment, but not published: moved, changed, retrained."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nalm._internal.checks import shown
from nalm.errors import InputError, UnknownNameError, unknown
from nalm.formula.operations import operation
from nalm.networks import Model, Stack
from nalm.networks.layers import layers
from nalm.sweeps import Cell
from nalm.sweeps.default_recipe import default_recipe
from nalm.sweeps.models import split_options
from nalm.tasks import Distribution
from nalm.training import Recipe
from nalm.units import Unit, unit_class
from nalm.units._options import check_names

RECIPES: dict[str, Callable[[Recipe], Recipe]] = {
    "published": lambda recipe: recipe,
    "lm": Recipe.with_second_order,
    "lm-warm": partial(Recipe.with_second_order, warm_start=True),
}
"""How the recipe of a cell is replaced, by name."""


def moved(cells: Sequence[Cell], train: Distribution, test: Distribution, label: str) -> list[Cell]:
    """Return the cells over another range: one for each model, operation, size and setting.

    Parameters
    ----------
    cells
        The cells of an experiment.
    train, test
        The training and the test range.
    label
        What the two are called in tables.
    """
    first: dict[Any, Cell] = {}
    for cell in cells:
        first.setdefault(cell.key._replace(range=""), cell)
    return [
        replace(cell, task=replace(cell.task, train=train, test=test), range=label)
        for cell in first.values()
    ]


def with_operation(cells: Sequence[Cell], op: str) -> list[Cell]:
    """Return the cells for another operation, for every model that can represent it.

    A single unit is trained by its published recipe for the operation.
    """
    operation(op)
    found: dict[Any, Cell] = {}
    for cell in cells:
        target = cell.task.target.with_operation(op)
        if target is None:
            continue
        task = replace(cell.task, target=target)
        if not able(cell.model, task):
            continue
        single = isinstance(cell.model, Unit) and not cell.setting
        recipe = default_recipe(cell.model, task) if single else cell.recipe
        changed = replace(cell, task=task, recipe=recipe)
        found.setdefault(changed.key, changed)
    if not found:
        raise UnknownNameError(
            f"No model of this experiment can represent {op}. Name units that can with --units "
            "(units=); nalm units lists them."
        )
    return list(found.values())


def able(model: Model, task: Any) -> bool:
    """Tell whether a model can represent a task: a unit alone, or as the last of two layers."""
    needs = task.target.needs(task.inputs)
    if needs is None or (needs.layers > 1 and not isinstance(model, Stack)):
        return False
    *_, last = layers(model).values()
    return needs.ops <= set(last.ops)


def with_unit_options(cells: Sequence[Cell], text: str) -> list[Cell]:
    """Return the cells of a unit with options, `nru(tanh_scale=10)`, under that name."""
    name, options = split_options(text)
    check_names(unit_class(name), options)
    return [
        replace(
            cell, name=cell.name.replace(name, text, 1), model=_changed(cell.model, name, options)
        )
        for cell in cells
    ]


def _changed(model: Model, name: str, options: Mapping[str, Any]) -> Model:
    if isinstance(model, Stack):
        return Stack(tuple(_changed_layer(layer, name, options) for layer in model.layers))
    return _changed_layer(model, name, options)


def _changed_layer(layer: Unit, name: str, options: Mapping[str, Any]) -> Unit:
    return replace(layer, **options) if layer.name == name else layer


def trained_by(cells: Sequence[Cell], recipe: str | Recipe | Mapping[str, Any]) -> list[Cell]:
    """Return cells under another recipe, which their setting names.

    Parameters
    ----------
    cells
        The cells.
    recipe
        "published", "lm" or "lm-warm"; a `Recipe` for all of them; or values of single fields,
        as `Recipe.with_options` takes them.
    """
    if isinstance(recipe, str):
        if recipe not in RECIPES:
            raise unknown("recipe", recipe, RECIPES)
        return list(cells) if recipe == "published" else _under(cells, recipe, RECIPES[recipe])
    if isinstance(recipe, Recipe | Mapping):
        if not recipe:
            return list(cells)
        return _under(cells, _setting(recipe), lambda old: old.changed_by(recipe))
    raise InputError(
        "recipe is 'published', 'lm', 'lm-warm', a nalm.Recipe, or values of its fields such as "
        f"{{'learning_rate': 5e-3}}; received {shown(recipe)}."
    )


def _setting(recipe: Recipe | Mapping[str, Any]) -> str:
    """Return what a changed recipe is called in tables."""
    if isinstance(recipe, Recipe):
        return "custom recipe"
    return ", ".join(f"{name}={value}" for name, value in recipe.items())


def _under(cells: Sequence[Cell], name: str, changed: Callable[[Recipe], Recipe]) -> list[Cell]:
    found: dict[object, Cell] = {}
    first: dict[object, Cell] = {}
    for cell in cells:
        setting = " ".join(part for part in (cell.setting, name) if part)
        new = replace(cell, recipe=changed(cell.recipe), setting=setting)
        run = new.model, new.task, new.recipe
        if run in found:
            raise _same_runs(name, first[run], cell)
        found[run], first[run] = new, cell
    return list(found.values())


def _same_runs(name: str, one: Cell, other: Cell) -> InputError:
    """Return the error for two cells that differ only in how they are trained."""
    what, a, b = "settings", one.setting, other.setting
    if a == b:
        what, a, b = "units", one.name, other.name
    return InputError(
        f"With {name}, the {what} {a!r} and {b!r} are the same runs. Choose one: "
        f"--{what} {a!r} ({what}={a!r} in Python)."
    )
