"""A custom unit in every experiment that fits it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.experiments.experiment import Cell
from nalm.networks import Model, Stack
from nalm.networks.layers import layers
from nalm.sweeps.custom_checks import check, penalties_of
from nalm.sweeps.default_recipe import default_recipe, general_recipe
from nalm.sweeps.models import named
from nalm.tasks import Task
from nalm.training import Loss, Recipe
from nalm.units import NAU, Unit

Options = Mapping[str, Any]
"""Options of a unit by name."""
NO_OPTIONS: Options = MappingProxyType({})


@dataclass(frozen=True)
class Demand:
    """What an experiment asks of a unit, apart from its recipe. A unit has one cell for each."""

    model: Model
    task: Task
    range: str
    loss: Loss
    mse_from: int | None
    scaling: str | None
    input_noise: float

    @property
    def cell(self) -> tuple[str, str, int]:
        """What the key of a cell has of it beside its setting."""
        return self.task.op, self.range, self.task.inputs

    @property
    def training(self) -> str:
        """What is particular about the training."""
        loss = self.loss.name if self.mse_from is None else f"{self.loss.name} then mse"
        return ", ".join(said for said in (self.scaling, loss) if said and said != "mse")


def custom_cells(
    cls: type[Unit],
    cells: Sequence[Cell],
    chosen: Sequence[Cell] | None = None,
    options: Options = NO_OPTIONS,
) -> list[Cell]:
    """Return the cells of a unit: what an experiment, or the chosen of its cells, asks of it.

    It is trained by the `recipe` of its class, or else by `default_recipe`, stretched over the
    steps of the experiment. Loss, scaling and noise are those of the experiment where it has
    particular ones. In tasks of two layers it is the second, and a NAU is the first.
    """
    check(cls)
    demands = {cell.key: _demand(cls, options, cell) for cell in cells}
    alike: dict[Demand, list[Cell]] = {}
    for cell in cells:
        if demand := demands[cell.key]:
            alike.setdefault(demand, []).append(cell)
    settings = _settings(alike)
    wanted = {demands[cell.key] for cell in (cells if chosen is None else chosen)}
    found = [
        Cell(
            named(cls(2, 1, **options)),
            demand.model,
            demand.task,
            _recipe(demand, _usual_steps(those)),
            settings[demand],
            those[0].threshold,
            demand.range,
        )
        for demand, those in alike.items()
        if demand in wanted
    ]
    if not found:
        raise _fits_nothing(cls)
    return found


def cells_like(cls: type[Unit], cells: Sequence[Cell], options: Options = NO_OPTIONS) -> list[Cell]:
    """Return the cells of a unit that takes the part of others: same task, recipe and setting."""
    check(cls)
    name = named(cls(2, 1, **options))
    found: dict[Any, Cell] = {}
    for cell in cells:
        model = _model(cls, options, cell)
        if model is None:
            continue
        new = replace(cell, name=name, model=model)
        same = found.setdefault(new.key, new)
        if same.recipe != new.recipe:
            raise InputError(
                f"The experiment trains its units differently, so it has no recipe for {name} in "
                f"{new.key}. Add cells of {name} to the experiment."
            )
        _check_penalties(new)
    if not found:
        raise _fits_nothing(cls)
    return list(found.values())


def _check_penalties(cell: Cell) -> None:
    """Raise unless a model has the penalties of its recipe."""
    known = {name for unit in layers(cell.model).values() for name in penalties_of(unit)}
    for name, _ in cell.recipe.penalties:
        if name not in known:
            raise InputError(
                f"The recipe of this experiment has the penalty {name!r}, which {cell.name} does "
                f"not have. Add cells of {cell.name} to the experiment."
            )


def _fits_nothing(cls: type[Unit]) -> NalmError:
    ops = ", ".join(cls(2, 1).ops)
    if not ops:
        return InputError(
            f"A unit runs on the operations in its `represents`; {cls.__name__} has none. Add "
            'represents = ("mul",) and a method represent, or train it with nalm.train.'
        )
    return UnknownNameError(f"{cls.name} fits no task of this selection; it can represent: {ops}.")


def _demand(cls: type[Unit], options: Options, cell: Cell) -> Demand | None:
    """Return what a cell asks of a unit; None where the unit cannot represent it."""
    if cell.task.target.needs(cell.task.inputs) is None or not cell.task.learns_unit:
        return None
    model, asked = _model(cls, options, cell), cell.recipe
    if model is None:
        return None
    particular = asked.loss, asked.mse_from, asked.scaling, asked.input_noise
    return Demand(model, cell.task.for_any_unit, cell.key.range, *particular)


def _model(cls: type[Unit], options: Options, cell: Cell) -> Model | None:
    """Return the unit in the part of a cell's model; None where it cannot represent the target."""
    task = cell.task
    needs = task.target.needs(task.inputs)
    *feeding, last = layers(cell.model).values()
    if needs is None:
        return None if feeding else cls(task.inputs, 1, **options)
    if needs.layers > 1 + len(feeding):
        return None
    width = last.in_features if needs.layers > 1 else task.inputs
    unit = cls(width, 1, **options)
    if not needs.ops <= set(unit.ops):
        return None
    return Stack((NAU(task.inputs, width), unit)) if needs.layers > 1 else unit


def _usual_steps(cells: Sequence[Cell]) -> int:
    """Return for how many steps most of the cells are trained; of two as frequent, the fewer."""
    counts = Counter(cell.recipe.steps for cell in cells)
    return min(counts, key=lambda steps: (-counts[steps], steps))


def _settings(alike: Mapping[Demand, Sequence[Cell]]) -> dict[Demand, str]:
    """Return what tells the demands of one cell apart: what the settings of its cells share."""
    cells_of: dict[tuple[str, str, int], list[Demand]] = {}
    for demand in alike:
        cells_of.setdefault(demand.cell, []).append(demand)
    found = {}
    for demands in cells_of.values():
        shared = {demand: _shared(alike[demand]) for demand in demands}
        for demand, setting in shared.items():
            alone = list(shared.values()).count(setting) == 1
            parts = (setting, "" if alone else demand.training)
            found[demand] = ", ".join(filter(None, parts)) if len(demands) > 1 else ""
    return found


def _shared(cells: Sequence[Cell]) -> str:
    """Return the parts of a setting that all cells have."""
    first, *others = [cell.setting.split(", ") for cell in cells]
    return ", ".join(part for part in first if all(part in other for other in others))


def _recipe(demand: Demand, steps: int) -> Recipe:
    """Return how a unit without a published recipe is trained."""
    unit = demand.model.layers[-1] if isinstance(demand.model, Stack) else demand.model
    own = None if demand.task.trainer else getattr(unit, "recipe", None)
    recipe = (own or default_recipe(demand.model, demand.task)).stretched(steps)
    fed = demand.model is not unit and "discretise" not in penalties_of(unit)
    if own and fed and not recipe.optimizer.second_order:
        feeding = general_recipe(NAU(1, 1), steps).penalties
        recipe = replace(recipe, penalties=(*recipe.penalties, *feeding))
    particular = {
        name: value
        for name in ("loss", "mse_from", "scaling", "input_noise")
        if (value := getattr(demand, name)) != getattr(Recipe, name)
    }
    return replace(recipe, **particular)
