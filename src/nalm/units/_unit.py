"""What a unit is: the contract that every file of this folder fulfils.

The public methods are final and live here; a unit writes the equations they call.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
from array_api_compat import array_namespace

from nalm import formula
from nalm._ops import clip, to_numpy
from nalm._types import Array, Namespace, Params
from nalm.distributions import Distribution, source_of
from nalm.errors import InputError, UnknownNameError
from nalm.formula import TOLERANCE, Reader
from nalm.operations import Operation, operation
from nalm.units import _checks as checks
from nalm.units._declare import Domain, Noise, Parameter, Stochastic
from nalm.units._options import check_options

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Unit(ABC):
    """A small differentiable module whose weights, once discrete, are a formula.

    A unit is data: sizes and options. Parameters and randomness are passed in, and the array
    library is that of the input, so the same object serves JAX, NumPy and PyTorch.

    >>> import numpy as np, nalm
    >>> unit = nalm.unit("nmu", 3, 1)
    >>> params = unit.exact("mul")
    >>> unit(params, np.array([2.0, -3.0, 7.0]))
    array([-6.])
    >>> unit.formula(params, ["a", "b", "c"])
    (a*b,)
    """

    in_features: int
    out_features: int

    name: ClassVar[str]
    """The name in the registry."""
    papers: ClassVar[tuple[str, ...]]
    """Keys of `references.bib`."""
    represents: ClassVar[tuple[str, ...]]
    """The operations some parameters of the unit compute exactly."""
    discrete: ClassVar[Mapping[str, formula.Discrete]]
    """The values its effective weights have in a formula, by name of the weight."""
    has_sparsity_error: ClassVar[bool] = True
    """Whether a paper defines a sparsity error for it."""
    spreads: ClassVar[bool] = False
    """Whether its forward makes a number per weight and sample: large ones train fewer at once."""
    domain: ClassVar[Domain] = Domain()
    """Where `exact` parameters are exact."""

    def __post_init__(self) -> None:
        check_options(self)

    # --- what each unit writes -----------------------------------------------------------------

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters by name."""

    @abstractmethod
    def transform(self, xp: Namespace, params: Params) -> dict[str, Array]:
        """The effective weights, by name."""

    @abstractmethod
    def forward(
        self, xp: Namespace, params: Params, x: Array, train: bool, noise: Array | None
    ) -> Array:
        """The equation of the unit."""

    @abstractmethod
    def regularisers(self, xp: Namespace, params: Params, x: Array | None) -> dict[str, Array]:
        """Its unscaled penalties, by name."""

    @abstractmethod
    def sparsity(self, xp: Namespace, weights: Mapping[str, Array]) -> Array:
        """The sparsity error of effective weights."""

    @abstractmethod
    def represent(self, op: Operation, weight: np.ndarray) -> dict[str, np.ndarray]:
        """The parameters that compute `op`; `weight` is the operation's `(out, in)` rows."""

    @abstractmethod
    def read(self, read: formula.Reader, x: list["sympy.Expr"]) -> Sequence["sympy.Basic"]:
        """One expression per output, from weights that `read` makes exact."""

    # --- what every unit can do ----------------------------------------------------------------

    @final
    def init(self, key: object, dtype: object = None) -> dict[str, Array]:
        """Draw the parameters from a JAX key (JAX arrays) or a NumPy generator (NumPy arrays)."""
        parameters = self.parameters
        sources = source_of(key, dtype).split(len(parameters))
        return {
            name: parameter.init.draw(source, parameter.shape)
            for (name, parameter), source in zip(parameters.items(), sources, strict=True)
        }

    @final
    def __call__(
        self, params: Params, x: Array, *, train: bool = False, noise: Array | None = None
    ) -> Array:
        """Apply the unit over the last axis of `x`, in the dtype of `x`; leading axes are free."""
        xp = checks.namespace(self, x)
        params = checks.parameters_like(self, xp, params, x)
        if train:
            checks.noise(self, xp, params, x, noise)
        else:
            checks.refuse_zero_divisors(self, xp, params, x)
        return self.forward(xp, params, x, train, noise)

    @final
    def noise(self, params: Params, x: Array) -> Noise | None:
        """Declare the randomness that `train=True` needs on this input; None if it needs none."""
        if not isinstance(self, Stochastic):
            return None
        xp = checks.namespace(self, x)
        return Noise(*self.draws(xp, params, x), x.dtype)

    @final
    def constrain(self, params: Params) -> dict[str, Array]:
        """Clamp the parameters into their allowed intervals, as done after an optimiser step."""
        bounds = {name: parameter.bounds for name, parameter in self.parameters.items()}
        return {
            name: value
            if (interval := bounds[name]) is None
            else clip(array_namespace(value), value, *interval)
            for name, value in checks.parameters(self, params).items()
        }

    @final
    def penalties(self, params: Params, x: Array | None = None) -> dict[str, Array]:
        """Return the named regularisers, unscaled; those on the inputs only when `x` is given."""
        params = checks.parameters(self, params)
        return self.regularisers(array_namespace(*params.values()), params, x)

    @final
    def effective(self, params: Params) -> dict[str, Array]:
        """Return the transformed weights that carry the meaning."""
        params = checks.parameters(self, params)
        return self.transform(array_namespace(*params.values()), params)

    @final
    def sparsity_error(self, params: Params) -> Array:
        """Return how far the weights are from -1, 0 and 1; NaN where no paper defines it."""
        params = checks.parameters(self, params)
        xp = array_namespace(*params.values())
        return self.sparsity(xp, self.transform(xp, params))

    @property
    @final
    def ops(self) -> tuple[str, ...]:
        """The operations it can represent exactly with the sizes and options it has."""
        return tuple(op for op in self.represents if self._can(op))

    @final
    def exact(self, op: str, operands: Sequence[int] | None = None) -> dict[str, np.ndarray]:
        """Return discrete parameters with which every output is `op` of the operands.

        The operands are the first inputs unless their indices are given.
        """
        wanted = operation(op)
        if op not in self.represents:
            can = ", ".join(self.ops) or "no operation exactly"
            raise UnknownNameError(f"{self!r} cannot represent {op!r}; it can: {can}.")
        rows = wanted.rows((self.out_features, self.in_features), operands)
        params = self.represent(wanted, rows)
        for name, parameter in self.parameters.items():
            low, high = parameter.bounds or (-inf, inf)
            if np.min(params[name]) < low or np.max(params[name]) > high:
                raise InputError(
                    f"{self!r} cannot represent {op!r}: {name} must stay in [{low:g}, {high:g}]."
                )
        return params

    @final
    def formula(
        self,
        params: Params,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple["sympy.Basic", ...]:
        """Read one sympy expression per output off the rounded weights.

        Parameters
        ----------
        params
            The parameters, which must be discrete within the tolerance.
        names
            A name per input, or a sympy expression per input; `x1, x2, …` if absent.
        tolerance
            How far a weight may be from its discrete value.
        x
            Sample inputs; units whose gate depends on the input read it from them.
        """
        reader = self.reader(params, names, tolerance, x)
        return tuple(self.read(reader, reader.inputs))

    @final
    def reader(
        self, params: Params, names: Sequence[Any] | None, tolerance: float, x: Array | None
    ) -> Reader:
        """Return what `read` takes the weights from."""
        numbers = {
            name: to_numpy(value).astype(np.float64)
            for name, value in checks.parameters(self, params).items()
        }
        return Reader(
            type(self).__name__,
            self.transform(array_namespace(*numbers.values()), numbers),
            self.discrete,
            tolerance,
            formula.samples(x, self.in_features),
            formula.inputs(names, self.in_features),
        )

    @final
    def latex(
        self,
        params: Params,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple[str, ...]:
        """Return the formulas as LaTeX."""
        expressions = self.formula(params, names, tolerance=tolerance, x=x)
        return tuple(formula.latex(expression) for expression in expressions)

    @final
    def matrix(self, init: Distribution, bounds: tuple[float, float] | None = None) -> Parameter:
        """Declare an `(out, in)` parameter."""
        return Parameter((self.out_features, self.in_features), init, bounds)

    def _can(self, op: str) -> bool:
        try:
            self.exact(op)
        except InputError:
            return False
        return True
