"""What a unit file writes: two methods that it must have, and five that it may add.

`Unit` derives everything public from these, so a unit file never overrides a public method.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass, field
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

import numpy as np

from nalm._internal.subclasses import check_signatures, make_dataclass
from nalm._internal.types import Array, Namespace, Params
from nalm.errors import InputError, NotDiscreteError, UnknownNameError
from nalm.formula import Discrete, Reader
from nalm.formula.operations import Operation, operation
from nalm.units._declare import Domain, Parameter
from nalm.units._options import check_names, check_options, option
from nalm.units.ops import sparsity_error, undefined

if TYPE_CHECKING:
    import sympy

INSTEAD = {
    "__call__": "forward",
    "effective": "transform",
    "exact": "represent",
    "formula": "read",
    "latex": "read",
    "noise": "draws, and derive from Stochastic as well",
    "penalties": "penalty_terms",
    "sparsity_error": "sparsity",
}
"""What a unit writes to change a public method."""
WRITTEN = ("forward", "transform", "penalty_terms", "sparsity", "represent", "read")
"""The methods that a unit writes, with the arguments that they have in `Contract`."""


@dataclass_transform(frozen_default=True, field_specifiers=(option, field))
@dataclass(frozen=True)
class Contract(ABC):
    """The sizes of a unit, what it says of itself, and its equations.

    A class that derives from this becomes a frozen dataclass: its annotated attributes are options.
    """

    in_features: int
    out_features: int

    name: ClassVar[str] = ""
    """The name in tables and files; that of the class in snake case unless given."""
    papers: ClassVar[tuple[str, ...]] = ()
    """Keys of `references.bib`."""
    represents: ClassVar[tuple[str, ...]] = ()
    """The operations that some parameters of the unit compute exactly."""
    discrete: ClassVar[Mapping[str, Discrete]] = MappingProxyType({})
    """The values that its effective weights have in a formula, by name of the weight."""
    has_sparsity_error: ClassVar[bool] = True
    """Whether it has a sparsity error; not if it has no discrete weights."""
    _declares_sparsity: ClassVar[bool] = False
    spreads: ClassVar[bool] = False
    """Whether its forward makes a number per weight and sample: large ones train fewer at once."""
    domain: ClassVar[Domain] = Domain()
    """Where `exact` parameters are exact."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _check_class(cls)
        make_dataclass(cls)
        if "name" not in vars(cls):
            cls.name = _snake_case(cls.__name__)
        cls._declares_sparsity = cls._declares_sparsity or "has_sparsity_error" in vars(cls)
        if not cls._declares_sparsity:
            cls.has_sparsity_error = bool(cls.discrete) or cls.sparsity is not Contract.sparsity

    def __new__(cls, *_sizes: Any, **options: Any) -> Self:
        """Make a unit, unless it has no option of one of these names."""
        check_names(cls, options.keys() - {"in_features", "out_features"})
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_options(self)

    # --- what each unit writes -----------------------------------------------------------------

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters by name; `self.matrix(init, bounds)` declares one of shape (out, in)."""

    @abstractmethod
    def forward(
        self, xp: Namespace, params: Params, x: Array, train: bool, noise: Array | None
    ) -> Array:
        """The equation of the unit, over the last axis of `x`, with functions of `xp` only."""

    # --- what a unit may add -------------------------------------------------------------------

    def transform(self, xp: Namespace, params: Params) -> dict[str, Array]:
        """The effective weights, by name: the parameters themselves unless a unit says more."""
        return dict(params)

    def penalty_terms(self, xp: Namespace, params: Params, x: Array | None) -> dict[str, Array]:
        """Its unscaled penalties, by name: none unless a unit says more."""
        return {}

    def sparsity(self, xp: Namespace, weights: Mapping[str, Array]) -> Array:
        """The sparsity error of effective weights: the largest of all that are discrete."""
        if not self.has_sparsity_error:
            return undefined(xp, next(iter(weights.values())))
        judged = [weights[name] for name in self.discrete if name in weights]
        return xp.max(xp.stack([sparsity_error(xp, weight) for weight in judged]))

    def represent(self, op: Operation, weight: np.ndarray) -> dict[str, np.ndarray]:
        """The parameters that compute `op`; `weight` is the operation's `(out, in)` rows."""
        raise UnknownNameError(
            f"{self!r} has no parameters for {op.name!r}: {type(self).__name__} has no method "
            "represent(self, op, weight). Add it, or take the operation out of represents."
        )

    def read(self, read: Reader, x: list["sympy.Expr"]) -> Sequence["sympy.Basic"]:
        """One expression per output, from weights that `read` makes exact."""
        raise NotDiscreteError(
            f"{type(self).__name__} has no formula. A unit has one if its class declares the "
            "values of its weights in `discrete` and a method read(self, read, x), or derives from "
            "Additive or Multiplicative, which have it."
        )


def _refuse_change(_unit: object, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


Contract.__setattr__ = _refuse_change
Contract.__delattr__ = _refuse_change


def _check_class(cls: type[Contract]) -> None:
    """Raise unless a class overrides nothing that is final and says of itself what can be."""
    for name in vars(cls):
        for base in cls.__mro__[1:]:
            member = vars(base).get(name)
            if getattr(getattr(member, "fget", member), "__final__", False):
                instead = f" Write {INSTEAD[name]} instead." if name in INSTEAD else ""
                raise InputError(
                    f"{cls.__name__} cannot override {name}, which is final in every unit that "
                    f"derives from {base.__name__}."
                    f"{instead}"
                )
    check_signatures(cls, Contract, WRITTEN)
    if isinstance(vars(cls).get("parameters"), FunctionType):
        raise InputError(
            f"parameters of {cls.__name__} must be a property. Write @property above it."
        )
    if not isinstance(cls.represents, tuple | list):
        raise InputError(
            f"represents is a tuple of operations; that of {cls.__name__} is {cls.represents!r}. "
            'Write, for example: represents = ("add", "sub")'
        )
    for op in cls.represents:
        operation(op)


def _snake_case(name: str) -> str:
    """Return the name of a class in snake case.

    >>> [_snake_case(name) for name in ("SignedSum", "NMU", "RealNPU", "NACMulNMU")]
    ['signed_sum', 'nmu', 'real_npu', 'nac_mul_nmu']
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return words.lower()
