"""What a unit can do as a layer of any framework, and layer classes made from the registry.

A framework's layer holds the parameters and draws the noise; the unit has the maths.
"""

import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Any

from array_api_compat import array_namespace

from nalm._internal.ops import to_numpy
from nalm._internal.types import Array, Params
from nalm.errors import InputError, NalmError
from nalm.formula import TOLERANCE, latex
from nalm.units import REGISTRY, Unit
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy

REQUIRED = inspect.Parameter.empty
"""The default of an argument that has none."""
CLASSES = {cls.__name__: cls for cls in REGISTRY.values()}
"""The published units by the name of their class."""


class UnitLayer:
    """The part of a layer that is the same in every framework."""

    unit: Unit

    @abstractmethod
    def _params(self) -> Mapping[str, Array]:
        """Return the parameters by name, as arrays of the framework."""

    @property
    def in_features(self) -> int:
        """The number of inputs."""
        return self.unit.in_features

    @property
    def out_features(self) -> int:
        """The number of outputs."""
        return self.unit.out_features

    def penalties(self, x: Array | None = None) -> Penalties:
        """Return the named penalties, unscaled and differentiable.

        Parameters
        ----------
        x
            Inputs; penalties that depend on them are there only if they are given.

        Returns
        -------
        Penalties
            A dictionary. A penalty that only other units have is zero.
        """
        params = self._params()
        first = next(iter(params.values()))
        zero = array_namespace(first).zeros((), dtype=first.dtype)
        return Penalties(self.unit.penalties(params, x), zero)

    def effective(self) -> dict[str, Array]:
        """Return the transformed weights that carry the meaning."""
        return self.unit.effective(self._params())

    def sparsity_error(self) -> Array:
        """Return how far the weights are from discrete."""
        return self.unit.sparsity_error(self._params())

    def formula(
        self,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple["sympy.Basic", ...]:
        """Read one sympy expression per output off the rounded weights."""
        return self.unit.formula(self.numbers(), names, tolerance=tolerance, x=x)

    def latex(
        self,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple[str, ...]:
        """Return the formulas as LaTeX."""
        return tuple(latex(e) for e in self.formula(names, tolerance=tolerance, x=x))

    def numbers(self) -> dict[str, Any]:
        """Return the parameters as NumPy arrays, as JAX, NumPy and `nalm.save` take them."""
        return {name: to_numpy(p) for name, p in self._params().items()}

    def _repr_html_(self) -> str:
        """Return the formula for a notebook, or a short description if there is none yet."""
        return self._repr_latex_() or f"<code>{escape(repr(self))}</code>"

    def _repr_latex_(self) -> str | None:
        """Return the formula for a notebook; None if the weights are not discrete."""
        try:
            return "$" + r", \quad ".join(self.latex()) + "$"
        except NalmError:
            return None

    def extra_repr(self) -> str:
        """Return sizes and options, for `print`."""
        options = [f.name for f in fields(self.unit)][2:]
        return ", ".join(
            [f"{self.in_features}, {self.out_features}"]
            + [f"{name}={getattr(self.unit, name)!r}" for name in options]
        )


def checked_unit(unit: Any) -> Unit:
    """Return a unit; anything else is refused."""
    if not isinstance(unit, Unit):
        raise InputError(f"A layer is made from a unit; received {unit!r}.")
    return unit


def check_names_are_free(layer: object, unit: Unit) -> None:
    """Raise if a parameter of the unit has the name of an attribute of the layer that holds it."""
    for name in unit.parameters:
        if hasattr(layer, name):
            raise InputError(
                f"A parameter has a name that its layer does not use itself; received {name!r} of "
                f"{type(unit).__name__}. Rename the parameter."
            )


def jax_dtype(params: Params) -> Any:
    """Return the widest dtype of parameters in JAX; None, its own, if they are whole numbers."""
    import jax.numpy as jnp

    widest = jnp.result_type(*map(jnp.asarray, params.values()))
    return widest if jnp.issubdtype(widest, jnp.floating) else None


def registered_class(module: str, name: str) -> type[Unit]:
    """Return the unit class of this name, for `__getattr__` of a framework's module."""
    if name not in CLASSES:
        near = get_close_matches(name, CLASSES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}.{hint}")
    return CLASSES[name]


class ClassSignature:
    """The signature of a class; an object of it has that of its call."""

    def __init__(self, signature: inspect.Signature) -> None:
        self.signature = signature

    def __get__(self, layer: object, _cls: type[Any]) -> inspect.Signature:
        if layer is not None:
            raise AttributeError("__signature__")
        return self.signature


def layer_class(
    base: type[Any],
    cls: type[Unit],
    module: str,
    start: Callable[..., None],
    arguments: Mapping[str, Any],
    **members: Any,
) -> type[Any]:
    """Return the layer class of a unit class: same name, same arguments.

    Parameters
    ----------
    base
        The framework's layer of any unit.
    cls
        The unit class.
    module
        The module that has the layer class.
    start
        Its `__init__`.
    arguments
        The keyword arguments that the framework adds, with their defaults.
    **members
        What else the class has.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    declared = list(inspect.signature(cls).parameters.values())
    signature = [
        *declared[:2],
        *(option.replace(kind=keyword) for option in declared[2:]),
        *(inspect.Parameter(n, keyword, default=default) for n, default in arguments.items()),
    ]
    start.__signature__ = inspect.Signature(  # pyright: ignore[reportFunctionMemberAccess]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *signature]
    )
    made = {
        "__init__": start,
        "__doc__": f"{inspect.getdoc(cls)}\n\nThe layer of `{cls.__module__}` for `{module}`.",
        "__module__": module,
        "__signature__": ClassSignature(inspect.Signature(signature)),
        **members,
    }
    metaclass: Any = type(base)
    return metaclass(cls.__name__, (base,), made)
