"""A unit of one's own in every experiment that fits it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nalm.engine.recipe import Ramp, Recipe, lasting
from nalm.errors import UnknownNameError
from nalm.experiments.experiment import Cell
from nalm.experiments.own_checks import check, penalties_of
from nalm.networks import Model, Stack
from nalm.tasks import Composition, Task, label
from nalm.units import NAU, Unit


@dataclass(frozen=True)
class Demand:
    """What an experiment asks of a unit, apart from its recipe. A unit has one cell for each."""

    model: Model
    task: Task
    loss: str
    mse_from: int | None
    scaling: str | None
    input_noise: float

    @property
    def place(self) -> tuple[str, str, int]:
        """What a cell says of it beside its setting."""
        return self.task.op, label(self.task.train), self.task.inputs

    @property
    def training(self) -> str:
        """What is particular about the training."""
        loss = self.loss if self.mse_from is None else f"{self.loss} then mse"
        return ", ".join(said for said in (self.scaling, loss) if said and said != "mse")


def own_cells(
    cls: type[Unit], cells: Sequence[Cell], chosen: Sequence[Cell] | None = None
) -> list[Cell]:
    """Return the cells of a unit: what an experiment, or the chosen of its cells, asks of it.

    It is trained by the `recipe` of its class, stretched over the steps of the experiment. Without
    one that is Adam at rate 1e-3, and a penalty `discretise`, if it has one, grows to 10 between
    0.4 and 0.7 of the steps. Loss, scaling and noise are those of the experiment where it has
    particular ones. In tasks of two layers it takes the place of the second, and a NAU feeds it.
    """
    check(cls)
    demands = {cell.place: _demand(cls, cell) for cell in cells}
    alike: dict[Demand, list[Cell]] = {}
    for cell in cells:
        if demand := demands[cell.place]:
            alike.setdefault(demand, []).append(cell)
    settings = _settings(alike)
    wanted = {demands[cell.place] for cell in (cells if chosen is None else chosen)}
    found = [
        Cell(
            cls.name,
            demand.model,
            demand.task,
            _recipe(demand, _usual_steps(those)),
            settings[demand],
            those[0].threshold,
        )
        for demand, those in alike.items()
        if demand in wanted
    ]
    if not found:
        ops = ", ".join(cls(2, 1).ops) or "none"
        raise UnknownNameError(
            f"{cls.name} fits no task of this selection; it can represent: {ops}."
        )
    return found


def _demand(cls: type[Unit], cell: Cell) -> Demand | None:
    """Return what a cell asks of a unit; None where the unit cannot represent it."""
    task, asked = cell.task, cell.recipe
    if isinstance(task, Composition):
        return None
    operands = task.subsets(0)
    several = abs(operands).sum(axis=1).max() > 1
    if several and not isinstance(cell.model, Stack):
        return None
    width = cell.model.layers[-1].in_features if isinstance(cell.model, Stack) else 0
    unit = cls(width if several else task.inputs, 1)
    negated = not several and operands.min() < 0
    needed = {task.op, "sub"} if negated else {task.op}
    if not needed <= set(unit.ops):
        return None
    model = Stack((NAU(task.inputs, width), unit)) if several else unit
    return Demand(model, task, asked.loss, asked.mse_from, asked.scaling, asked.input_noise)


def _usual_steps(cells: Sequence[Cell]) -> int:
    """Return for how many steps most of the cells are trained; of two as frequent, the fewer."""
    counts = Counter(cell.recipe.steps for cell in cells)
    return min(counts, key=lambda steps: (-counts[steps], steps))


def _settings(alike: Mapping[Demand, Sequence[Cell]]) -> dict[Demand, str]:
    """Return what tells the demands of one place apart: what the settings of its cells share."""
    places: dict[tuple[str, str, int], list[Demand]] = {}
    for demand in alike:
        places.setdefault(demand.place, []).append(demand)
    found = {}
    for demands in places.values():
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
    """Return how a unit is trained that no paper says a recipe for."""
    unit = demand.model.layers[-1] if isinstance(demand.model, Stack) else demand.model
    penalised = "discretise" in penalties_of(unit)
    discretise = (("discretise", Ramp(10.0, int(0.4 * steps), int(0.7 * steps))),)
    said = getattr(unit, "recipe", None)
    recipe = lasting(said, steps) if said else Recipe(steps=steps)
    fed = demand.model is not unit and not penalised and recipe.optimiser != "lm"
    if fed or (penalised and not said):
        recipe = replace(recipe, penalties=(*recipe.penalties, *discretise))
    particular = {
        name: value
        for name in ("loss", "mse_from", "scaling", "input_noise")
        if (value := getattr(demand, name)) != getattr(Recipe, name)
    }
    return replace(recipe, **particular)
