"""An optimizer as data: its name and its options, checked against optax."""

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Self, final

from nalm._internal.checks import shown
from nalm.errors import InputError, unknown
from nalm.training.optimizers._native import NATIVE, Native

if TYPE_CHECKING:
    from nalm.training.recipe import Recipe

Value = float | int | bool | str | None
KNOWN: dict[str, frozenset[str]] = {
    "adam": frozenset(),
    "sgd": frozenset({"momentum"}),
    "rmsprop": frozenset({"eps", "eps_in_sqrt", "initial_scale"}),
}
"""What published recipes use; it is known without optax, whose import takes a second."""


@final
@dataclass(frozen=True, init=False)
class Optimizer:
    """An optimizer of optax by its name there, or "lm", with options.

    Parameters
    ----------
    name
        Any optimizer of `optax` or `optax.contrib` that needs gradients alone, such as "adam",
        "adamw", "lion" or "muon"; or "lm" for Levenberg-Marquardt steps.
        `nalm.training.OPTIMIZERS` lists them.
    **options
        Arguments of the optax function: numbers, booleans, names or None. The learning rate is a
        field of the recipe instead.

    Examples
    --------
    >>> from nalm.training import Optimizer, Recipe
    >>> Recipe(optimizer=Optimizer("sgd", momentum=0.9)).optimizer
    Optimizer('sgd', momentum=0.9)
    >>> Optimizer("adamx")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nalm.errors.UnknownNameError: There is no optimizer 'adamx'. Did you mean 'adamax'? ...
    """

    name: str
    options: tuple[tuple[str, Value], ...]

    def __init__(self, name: str, /, **options: Value) -> None:
        _check(name, options)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", tuple(sorted(options.items())))

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.options)
        return f"Optimizer({self.name!r}{given})"

    @classmethod
    def from_json(cls, name: str, options: tuple[tuple[str, Value], ...] = ()) -> Self:
        """Return the optimizer of these fields, as they are written in files."""
        return cls(name, **dict(options))

    @property
    def native(self) -> Native | None:
        """What nalm knows of it if it is not optax's."""
        return NATIVE.get(self.name)

    @property
    def second_order(self) -> bool:
        """Whether its steps are made of the residuals of a batch instead of a gradient."""
        return self.native is not None

    def check(self, recipe: "Recipe") -> None:
        """Raise unless a recipe can be trained with this optimizer."""
        if self.native is None:
            if recipe.warm_start:
                raise InputError(
                    f"warm_start is for the optimizer 'lm'; received {shown(self.name)}."
                )
            return
        for name, value in self.native.only.items():
            if getattr(recipe, name) != value:
                raise InputError(
                    f"{self.native.why}: they are for {name}={value!r}; received "
                    f"{getattr(recipe, name)!r}. Choose another optimizer."
                )


def optimizer_of(given: str | Optimizer) -> Optimizer:
    """Return an optimizer by its name, or the one that is given."""
    if isinstance(given, Optimizer):
        return given
    if not isinstance(given, str):
        raise InputError(
            "optimizer is a name such as 'adam' or a nalm.training.Optimizer; received "
            f"{shown(given)}."
        )
    return Optimizer(given)


def _is_known(name: str, options: dict[str, Any]) -> bool:
    """Tell whether optax need not be asked."""
    numbers = all(isinstance(value, int | float) for value in options.values())
    return name in KNOWN and numbers and options.keys() <= KNOWN[name]


def _check(name: Any, options: dict[str, Any]) -> None:
    """Raise unless there is an optimizer of this name with these options."""
    if not isinstance(name, str):
        raise InputError(f"An optimizer has a name such as 'adam'; received {shown(name)}.")
    for option, value in options.items():
        if option == "learning_rate":
            raise InputError("The learning rate is a field of the recipe: learning_rate=.")
        number = isinstance(value, int | float) and isfinite(value)
        if not (number or value is None or isinstance(value, str)):
            raise InputError(
                f"Options of an optimizer are finite numbers, booleans, names or None; "
                f"received {option}={value!r}."
            )
    if name in NATIVE:
        if options:
            raise InputError(
                f"The optimizer {name!r} has no options; received {', '.join(options)}."
            )
    elif not _is_known(name, options):
        from nalm.training.optimizers import _optax

        if name not in _optax.candidates() and name not in _optax.REFUSED:
            raise unknown("optimizer", name, (*NATIVE, *_optax.names()))
        _optax.check(name, options)
