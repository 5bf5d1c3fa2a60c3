"""Units one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from array_api_compat import array_namespace

from nalm import formula
from nalm._internal.checks import shown
from nalm._internal.types import Array, Params
from nalm.errors import InputError, NotDiscreteError, ZeroDivisorError
from nalm.formula import TOLERANCE
from nalm.units import Unit
from nalm.units._sources import split_key

if TYPE_CHECKING:
    import sympy


@final
@dataclass(frozen=True)
class Stack:
    """Units whose outputs feed the next; parameters are one dictionary per layer.

    Parameters
    ----------
    layers
        The units; each takes as many inputs as the one before gives outputs.

    Examples
    --------
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
                f"received {shown(self.layers)}."
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
        """Draw the parameters of every layer from a JAX key or a NumPy generator.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> stack = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))
        >>> [p["weight"].shape for p in stack.init(np.random.default_rng(0))]
        [(2, 4), (1, 2)]
        """
        keys = split_key(key, len(self.layers))
        return tuple(layer.init(k, dtype) for layer, k in zip(self.layers, keys, strict=True))

    def __call__(
        self,
        params: Sequence[Params],
        x: Array,
        *,
        train: bool = False,
        key: object = None,
        noise: Sequence[Array | None] | None = None,
    ) -> Array:
        """Apply the layers.

        Parameters
        ----------
        params
            One dictionary of parameters per layer.
        x
            Inputs along the last axis.
        train
            Whether this is training: stochastic layers take noise, and zeros are divided by.
        key
            A JAX key or NumPy generator; each stochastic layer draws noise of its own from it.
        noise
            The noise of each layer, instead of a key; None for layers that take none.

        Returns
        -------
        array
            Outputs along the last axis.

        Examples
        --------
        >>> import jax, nalm
        >>> stack = nalm.Stack((nalm.unit("snmu", 2, 2), nalm.unit("snmu", 2, 1)))
        >>> params = stack.init(jax.random.key(0))
        >>> stack(params, jax.numpy.ones((8, 2)), train=True, key=jax.random.key(1)).shape
        (8, 1)
        """
        self.check(params)
        keys = [None] * len(self.layers) if key is None else split_key(key, len(self.layers))
        drawn = [None] * len(self.layers) if noise is None else noise
        if callable(drawn) or len(drawn) != len(self.layers):
            raise InputError(
                f"The noise of a stack of {len(self.layers)} layers is a list with the noise or "
                "None for each; received "
                f"{type(drawn).__name__ if callable(drawn) else len(drawn)}. Pass key=... to have "
                "each layer draw its own."
            )
        steps = zip(self.layers, params, keys, drawn, strict=True)
        for i, (layer, p, layer_key, layer_noise) in enumerate(steps):
            try:
                x = layer(p, x, train=train, key=layer_key, noise=layer_noise)
            except ZeroDivisorError as error:
                raise ZeroDivisorError(f"Layer {i}: {error}") from None
        return x

    def constrain(self, params: Sequence[Params]) -> tuple[dict[str, Array], ...]:
        """Clamp the parameters of every layer into their intervals.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> nalm.Stack((nalm.unit("nmu", 1, 1),)).constrain([{"weight": np.array([[1.5]])}])
        ({'weight': array([[1.]])},)
        """
        self.check(params)
        return tuple(layer.constrain(p) for layer, p in zip(self.layers, params, strict=True))

    def penalties(self, params: Sequence[Params]) -> dict[str, Array]:
        """Return the penalties of the weights, each summed over the layers that have it.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> stack = nalm.Stack((nalm.unit("nmu", 1, 1), nalm.unit("nmu", 1, 1)))
        >>> params = [{"weight": np.array([[0.75]])}] * 2
        >>> float(stack.penalties(params)["discretise"])
        0.5
        """
        self.check(params)
        terms: dict[str, Array] = {}
        for layer, p in zip(self.layers, params, strict=True):
            for name, value in layer.penalties(p).items():
                terms[name] = terms[name] + value if name in terms else value
        return terms

    def effective(self, params: Sequence[Params]) -> tuple[dict[str, Array], ...]:
        """Return the transformed weights of every layer.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> stack = nalm.Stack((nalm.unit("nmu", 1, 1),))
        >>> stack.effective([{"weight": np.array([[1.0]])}])
        ({'weight': array([[1.]])},)
        """
        self.check(params)
        return tuple(layer.effective(p) for layer, p in zip(self.layers, params, strict=True))

    def sparsity_error(self, params: Sequence[Params]) -> Array:
        """Return the largest sparsity error of a layer that has one; NaN if none has.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> stack = nalm.Stack((nalm.unit("nmu", 1, 1),))
        >>> float(stack.sparsity_error([{"weight": np.array([[0.75]])}]))
        0.25
        """
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
        """Read the composed formula.

        Parameters
        ----------
        params
            One dictionary of parameters per layer, discrete within the tolerance.
        names
            A name or a sympy expression per input; `x1, x2, …` if absent.
        tolerance
            How far a weight may be from its discrete value.
        x
            Sample inputs, for gates that depend on them.

        Returns
        -------
        tuple
            One sympy expression per output.

        Examples
        --------
        >>> import nalm
        >>> stack = nalm.Stack((nalm.unit("nau", 2, 2), nalm.unit("nmu", 2, 1)))
        >>> stack.formula([stack.layers[0].exact("add"), stack.layers[1].exact("mul")])
        ((x1 + x2)**2,)
        """
        titles = [f"Layer {i}" for i in range(len(self.layers))]
        return composed_formula(self, params, titles, names, tolerance=tolerance, x=x)

    def latex(
        self,
        params: Sequence[Params],
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple[str, ...]:
        """Return the composed formulas as LaTeX; the parameters are those of `formula`.

        Examples
        --------
        >>> import nalm
        >>> stack = nalm.Stack((nalm.unit("nmu", 2, 1),))
        >>> stack.latex([stack.layers[0].exact("mul")], ["a", "b"])
        ('a b',)
        """
        expressions = self.formula(params, names, tolerance=tolerance, x=x)
        return tuple(formula.latex(expression) for expression in expressions)

    def check(self, params: Sequence[Params]) -> None:
        """Raise unless the parameters are one dictionary per layer."""
        if not isinstance(params, list | tuple) or len(params) != len(self.layers):
            raise InputError(
                f"A stack of {len(self.layers)} layers takes a sequence of {len(self.layers)} "
                f"parameter dictionaries; received {type(params).__name__}."
            )


def composed_formula(
    stack: Stack,
    params: Sequence[Params],
    titles: Sequence[str],
    names: Sequence[Any] | None,
    *,
    tolerance: float,
    x: Array | None,
) -> tuple["sympy.Basic", ...]:
    """Read the formula of a stack whose layers have these titles in messages."""
    stack.check(params)
    expressions: Sequence[Any] = formula.inputs(names, stack.in_features)
    sample = formula.samples(x, stack.in_features)
    for title, layer, p in zip(titles, stack.layers, params, strict=True):
        try:
            expressions = layer.formula(p, expressions, tolerance=tolerance, x=sample)
        except NotDiscreteError as error:
            raise NotDiscreteError(f"{title}: {error}") from None
        sample = None if sample is None else layer(p, sample)
    return tuple(expressions)
