"""A unit of one's own in every experiment that fits it."""

from collections.abc import Iterator, Mapping, Sequence

from nalm.engine.recipe import Ramp, Recipe, lasting
from nalm.errors import InputError, UnknownNameError, unknown
from nalm.experiments.experiment import Cell
from nalm.networks import Stack
from nalm.tasks import Composition
from nalm.units import NAU, Unit


def own_cells(cls: type[Unit], cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a unit: each task of an experiment that it can represent.

    It is trained by the `recipe` of its class, stretched over the steps of the experiment. Without
    one that is Adam at rate 1e-3, and a penalty `discretise`, if it has one, grows to 10 between
    0.4 and 0.7 of the steps. Where the task takes two layers, a NAU feeds it.
    """
    check(cls)
    found = {cell.place: cell for cell in _fitting(cls, cells)}
    if not found:
        ops = ", ".join(cls(2, 1).ops) or "none"
        raise UnknownNameError(
            f"{cls.name} fits no task of this selection; it can represent: {ops}."
        )
    return list(found.values())


def check(cls: type[Unit]) -> None:
    """Raise unless the unit can be made, applied and penalised."""
    import numpy as np

    try:
        unit = cls(2, 1)
        params = unit.init(np.random.default_rng(0))
        y = unit(params, np.ones((3, 2)))
        penalties = unit.penalties(params, np.ones((3, 2)))
        weights = unit.effective(params)
    except Exception as error:
        raise InputError(
            f"{cls.__name__} cannot be used: {type(error).__name__}: {error}"
        ) from error
    if y.shape != (3, 1):
        raise InputError(
            f"{cls.__name__}(2, 1) takes inputs (3, 2) to outputs (3, 1); its forward gave "
            f"{y.shape}."
        )
    for name, value in penalties.items():
        if np.shape(value) != ():
            raise InputError(
                f"A penalty is one number; the regulariser {name!r} of {cls.__name__} gave the "
                f"shape {np.shape(value)}. Take its mean, for example."
            )
    for name in unit.discrete:
        if name not in weights:
            raise InputError(
                f"The names of `discrete` are those of the weights that transform returns; "
                f"{cls.__name__} has {name!r}, and the weights {', '.join(weights)}."
            )
    _check_recipe(cls, penalties)


def _check_recipe(cls: type[Unit], penalties: Mapping[str, object]) -> None:
    """Raise unless what the class says of its training is a recipe for its penalties."""
    recipe = getattr(cls, "recipe", None)
    if recipe is None:
        return
    if not isinstance(recipe, Recipe):
        raise InputError(
            f"The recipe of a unit is a nalm.Recipe; that of {cls.__name__} is {recipe!r}. Write, "
            "for example: recipe = nalm.Recipe(learning_rate=1e-2)"
        )
    for name, _ in recipe.penalties:
        if name not in penalties:
            raise unknown(f"regulariser of {cls.__name__}:", name, penalties)


def _fitting(cls: type[Unit], cells: Sequence[Cell]) -> Iterator[Cell]:
    for cell in cells:
        task = cell.task
        if isinstance(task, Composition):
            continue
        width = 2 if task.sums else task.inputs
        unit = cls(width, 1)
        if task.op not in unit.ops:
            continue
        model = Stack((NAU(task.inputs, width), unit)) if task.sums else unit
        yield Cell(
            cls.name, model, task, recipe_of(unit, cell.recipe.steps), threshold=cell.threshold
        )


def recipe_of(unit: Unit, steps: int) -> Recipe:
    """Return how a unit is trained that no paper says a recipe for."""
    import numpy as np

    said = getattr(unit, "recipe", None)
    if said is not None:
        return lasting(said, steps)
    if "discretise" not in unit.penalties(unit.init(np.random.default_rng(0))):
        return Recipe(steps=steps)
    ramp = Ramp(10.0, int(0.4 * steps), int(0.7 * steps))
    return Recipe(steps=steps, penalties=(("discretise", ramp),))
