"""What is checked of a unit of one's own before it is trained."""

from dataclasses import fields

import numpy as np

from nalm._types import Array
from nalm.engine.recipe import Recipe
from nalm.errors import InputError, unknown
from nalm.operations import operation
from nalm.units import Unit


def check(cls: type[Unit]) -> None:
    """Raise unless the unit can be made, applied, penalised, and is what it says of itself."""
    if any(field.name == "recipe" for field in fields(cls)):
        raise InputError(
            f"The recipe of a unit is no option of it; {cls.__name__} has an annotated one. Write "
            "recipe = nalm.Recipe(...) without a type."
        )
    try:
        unit = cls(2, 1)
        params = unit.init(np.random.default_rng(0))
        y = unit(params, np.ones((3, 2)), train=False)
        penalties = penalties_of(unit)
        weights = unit.effective(params)
    except InputError:
        raise
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
    _check_operations(unit)
    _check_recipe(cls, list(penalties))


def penalties_of(unit: Unit) -> dict[str, Array]:
    """Return the penalties of a new unit, those of inputs included."""
    params = unit.init(np.random.default_rng(0))
    try:
        unit.penalties(params)
    except Exception as error:
        raise InputError(
            "Regularisers are also asked for without inputs, x=None, and then leave out those that "
            f"need them; {type(unit).__name__} raised {type(error).__name__}: {error}"
        ) from error
    return unit.penalties(params, np.ones((3, unit.in_features)))


def _check_operations(unit: Unit) -> None:
    """Raise unless exact parameters compute the sums and products that the unit says it can."""
    x = np.random.default_rng(0).uniform(1.0, 2.0, (8, unit.in_features))
    for op in unit.ops:
        wanted = operation(op)
        if wanted.kind not in {"sum", "power"}:
            continue
        y = unit(unit.exact(op), x)[:, 0]
        target = wanted.apply(np, list(x.T[: len(wanted.weights)]))
        if not np.allclose(y, target, rtol=1e-3):
            raise InputError(
                f"{type(unit).__name__} says that it represents {op!r}, but with the parameters "
                f"that its represent gives, it takes {x[0].tolist()} to {y[0]:g} instead of "
                f"{target[0]:g}. Correct represent, or leave {op!r} out of represents."
            )


def _check_recipe(cls: type[Unit], penalties: list[str]) -> None:
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
