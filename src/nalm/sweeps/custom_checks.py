"""What is checked of a custom unit before it is trained."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from itertools import product

import numpy as np

from nalm._internal.custom import is_custom, source_of
from nalm._internal.traced import shapes_of
from nalm._internal.types import Array, Params
from nalm.errors import InputError, NalmError, unknown
from nalm.formula.operations import operation
from nalm.training import Recipe
from nalm.units import REGISTRY, Unit


def check(cls: type[Unit]) -> None:
    """Raise unless the unit can be made, applied, penalised, and is what it says of itself."""
    _check_class(cls)
    if any(field.name == "recipe" for field in fields(cls)):
        raise InputError(
            f"The recipe of a unit is no option of it; {cls.__name__} has an annotated one. Write "
            "recipe = nalm.Recipe(...) without a type."
        )
    try:
        unit = cls(2, 1)
        check_forward(unit)
        params = unit.init(np.random.default_rng(0))
        y = unit(params, np.ones((3, 2)), train=False)
        penalties = penalties_of(unit)
        weights = unit.effective(params)
    except NalmError:
        raise
    except Exception as error:
        raise InputError(
            f"{cls.__name__} cannot be used: {type(error).__name__}: {error}"
        ) from error
    _check_shape(unit, (3,), np.shape(y))
    for name, value in penalties.items():
        if np.shape(value) != ():
            raise InputError(
                f"A penalty is one number; the penalty {name!r} of {cls.__name__} gave the "
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


def check_forward(unit: Unit) -> None:
    """Raise unless the equation of a unit can be traced by JAX, for one row and for a batch."""
    what = f"forward of {type(unit).__name__}"
    params = unit.init(np.random.default_rng(0), np.float32)
    for leading, train in product(((), (3,)), (False, True)):
        x = np.ones((*leading, unit.in_features), np.float32)
        y = shapes_of(what, partial(_applied, unit, train), params, x)
        _check_shape(unit, leading, y.shape)


def _applied(unit: Unit, train: bool, params: Params, x: Array) -> Array:
    """Return the outputs of a unit; raise what is wrong with its forward."""
    import jax

    name = type(unit).__name__
    try:
        return unit(params, x, train=train, key=jax.random.key(0))
    except KeyError as error:
        if error.args[0] in params:
            raise
        raise InputError(
            f"{name} has no parameter {error.args[0]!r}; its parameters are: {', '.join(params)}."
        ) from None
    except (IndexError, ValueError) as error:
        if x.ndim > 1 or isinstance(error, NalmError):
            raise
        first = str(error).partition("\n")[0].rstrip(".")
        raise InputError(
            f"forward of {name} takes x with any leading axes, also none; for x of shape "
            f"{x.shape} it raised {type(error).__name__}: {first}. Count axes from the last, as in "
            "x[..., 0]."
        ) from None


def _check_shape(unit: Unit, leading: tuple[int, ...], received: tuple[int, ...]) -> None:
    inputs, outputs = (*leading, unit.in_features), (*leading, unit.out_features)
    if received != outputs:
        raise InputError(
            f"{type(unit).__name__}({unit.in_features}, {unit.out_features}) takes inputs {inputs} "
            f"to outputs {outputs}; its forward gave {received}."
        )


def check_different(classes: Sequence[type[Unit]]) -> None:
    """Raise if two units have one name, or if a worker process cannot have one of them."""
    named: dict[str, type[Unit]] = {}
    for cls in classes:
        _check_class(cls)
        if is_custom(cls):
            source_of(cls)
        if named.setdefault(cls.name, cls) is not cls:
            raise InputError(
                f"Two custom units are called {cls.name!r}: {named[cls.name].__name__} and "
                f"{cls.__name__}. Give one of them another name."
            )


def _check_class(cls: type[Unit]) -> None:
    """Raise unless this is a class of units with a name of its own."""
    if not (isinstance(cls, type) and issubclass(cls, Unit)):
        raise InputError(f"A unit is a class that derives from nalm.Unit; received {cls!r}.")
    if REGISTRY.get(cls.name, cls) is not cls:
        raise InputError(f"There is a unit {cls.name!r} already; give yours another name.")


def penalties_of(unit: Unit) -> dict[str, Array]:
    """Return the penalties of a new unit, those of inputs included."""
    params = unit.init(np.random.default_rng(0))
    try:
        unit.penalties(params)
    except Exception as error:
        raise InputError(
            "Penalties are also asked for without inputs, x=None, and then leave out those that "
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
            raise unknown("penalty", name, penalties, owner=cls.__name__)
