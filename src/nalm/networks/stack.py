"""Units one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from array_api_compat import array_namespace

from nalm import formula
from nalm._types import Array, Params
from nalm.distributions import source_of
from nalm.errors import InputError, NotDiscreteError, ZeroDivisorError
from nalm.formula import TOLERANCE
from nalm.units import Noise, Unit

if TYPE_CHECKING:
    import sympy


@final
@dataclass(frozen=True)
class Stack:
    """Units whose outputs feed the next; parameters are one dictionary per layer.

    >>> import numpy as np, nalm
    >>> stack = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))
    >>> params = (
    ...     {"weight": np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])},
    ...     {"weight": np.array([[1.0, 1.0]])},
    ... )
    >>> stack.formula(params, ["a", "b", "c", "d"])
    ((a + b)*(a + b + c + d),)
    """

    layers: tuple[Unit, ...]

    def __post_init__(self) -> None:
        layers = self.layers if isinstance(self.layers, list | tuple) else ()
        object.__setattr__(self, "layers", tuple(layers))
        if not self.layers or not all(isinstance(layer, Unit) for layer in self.layers):
            raise InputError(
                "A stack takes a tuple of one or more units, Stack((first, second)); "
                f"received {self.layers!r}."
            )
        for i, (first, second) in enumerate(zip(self.layers, self.layers[1:], strict=False)):
            if first.out_features != second.in_features:
                raise InputError(
                    f"Layer {i + 1} must take what layer {i} gives: {first.out_features} features; "
                    f"received in_features={second.in_features}."
                )

    @property
    def in_features(self) -> int:
        """The number of inputs of the first layer."""
        return self.layers[0].in_features

    @property
    def out_features(self) -> int:
        """The number of outputs of the last layer."""
        return self.layers[-1].out_features

    def init(self, key: object, dtype: object = None) -> tuple[dict[str, Array], ...]:
        """Draw the parameters of every layer from a JAX key or a NumPy generator."""
        if isinstance(key, np.random.Generator):
            return tuple(layer.init(key, dtype) for layer in self.layers)
        import jax

        source_of(key)
        keys = jax.random.split(key, len(self.layers))  # pyright: ignore[reportArgumentType]
        return tuple(layer.init(k, dtype) for layer, k in zip(self.layers, keys, strict=True))

    def __call__(
        self,
        params: Sequence[Params],
        x: Array,
        *,
        train: bool = False,
        noise: Callable[[Noise], Array] | None = None,
    ) -> Array:
        """Apply the layers; `noise` draws what a stochastic layer declares when `train=True`."""
        self.check(params)
        for i, (layer, p) in enumerate(zip(self.layers, params, strict=True)):
            declared = layer.noise(p, x) if train else None
            drawn = noise(declared) if noise and declared else None
            try:
                x = layer(p, x, train=train, noise=drawn)
            except ZeroDivisorError as error:
                raise ZeroDivisorError(f"Layer {i}: {error}") from None
        return x

    def constrain(self, params: Sequence[Params]) -> tuple[dict[str, Array], ...]:
        """Clamp the parameters of every layer into their allowed intervals."""
        self.check(params)
        return tuple(layer.constrain(p) for layer, p in zip(self.layers, params, strict=True))

    def penalties(self, params: Sequence[Params]) -> dict[str, Array]:
        """Return the regularisers of the weights, each summed over the layers that have it."""
        self.check(params)
        terms: dict[str, Array] = {}
        for layer, p in zip(self.layers, params, strict=True):
            for name, value in layer.penalties(p).items():
                terms[name] = terms[name] + value if name in terms else value
        return terms

    def effective(self, params: Sequence[Params]) -> tuple[dict[str, Array], ...]:
        """Return the transformed weights of every layer."""
        self.check(params)
        return tuple(layer.effective(p) for layer, p in zip(self.layers, params, strict=True))

    def sparsity_error(self, params: Sequence[Params]) -> Array:
        """Return the largest sparsity error of a layer that has one; NaN if none has."""
        self.check(params)
        pairs = list(zip(self.layers, params, strict=True))
        judged = [(layer, p) for layer, p in pairs if layer.has_sparsity_error] or pairs
        errors = [layer.sparsity_error(p) for layer, p in judged]
        xp = array_namespace(*errors)
        return xp.max(xp.stack(errors))

    def formula(
        self,
        params: Sequence[Params],
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple["sympy.Basic", ...]:
        """Read the composed formula, one sympy expression per output."""
        self.check(params)
        expressions: Sequence[Any] = formula.inputs(names, self.in_features)
        sample = formula.samples(x, self.in_features)
        for i, (layer, p) in enumerate(zip(self.layers, params, strict=True)):
            try:
                expressions = layer.formula(p, expressions, tolerance=tolerance, x=sample)
            except NotDiscreteError as error:
                raise NotDiscreteError(f"Layer {i}: {error}") from None
            sample = None if sample is None else layer(p, sample)
        return tuple(expressions)

    def latex(
        self,
        params: Sequence[Params],
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple[str, ...]:
        """Return the composed formulas as LaTeX."""
        expressions = self.formula(params, names, tolerance=tolerance, x=x)
        return tuple(formula.latex(expression) for expression in expressions)

    def check(self, params: Sequence[Params]) -> None:
        """Raise unless the parameters are one dictionary per layer."""
        if not isinstance(params, list | tuple) or len(params) != len(self.layers):
            raise InputError(
                f"A stack of {len(self.layers)} layers takes a sequence of {len(self.layers)} "
                f"parameter dictionaries; received {type(params).__name__}."
            )
