"""What every unit can do: the public methods, all final, made from what a unit file writes."""

from html import escape
from typing import final

from array_api_compat import array_namespace

from nalm._internal.ops import clip
from nalm._internal.types import Array, Params
from nalm.units import _checks as checks
from nalm.units._declare import Noise, Parameter, Stochastic
from nalm.units._sources import source_of
from nalm.units._symbolic import Symbolic
from nalm.units.initial import Distribution


class Unit(Symbolic):
    """A small differentiable module whose weights, once discrete, are a formula.

    A unit is data: sizes and options. Parameters and randomness are passed in, and the array
    library is that of the input, so the same object serves JAX, NumPy and PyTorch.

    To write a unit, derive from this class (or from `Additive` or `Multiplicative`) and define
    `parameters` and `forward`. Optional are `transform`, `penalty_terms`, `sparsity`, `represent`
    and `read`, and the class attributes `name`, `papers`, `represents` and `discrete`.

    Parameters
    ----------
    in_features
        The number of inputs.
    out_features
        The number of outputs.

    Examples
    --------
    >>> import numpy as np, nalm
    >>> unit = nalm.unit("nmu", 3, 1)
    >>> params = unit.exact("mul")
    >>> unit(params, np.array([2.0, -3.0, 7.0]))
    array([-6.])
    >>> unit.formula(params, ["a", "b", "c"])
    (a*b,)
    """

    @final
    def init(self, key: object, dtype: object = None) -> dict[str, Array]:
        """Draw the parameters.

        Parameters
        ----------
        key
            A JAX key, which gives JAX arrays, or a NumPy generator, which gives NumPy arrays.
        dtype
            The dtype of the arrays; that of the library's floating-point numbers if absent.

        Returns
        -------
        dict
            The parameters by name.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> nalm.unit("nmu", 2, 1).init(np.random.default_rng(0))["weight"].shape
        (1, 2)
        """
        parameters = self.parameters
        sources = source_of(key, dtype).split(len(parameters))
        return {
            name: parameter.init.draw(source, parameter.shape)
            for (name, parameter), source in zip(parameters.items(), sources, strict=True)
        }

    @final
    def __call__(
        self,
        params: Params,
        x: Array,
        *,
        train: bool = False,
        key: object = None,
        noise: Array | None = None,
    ) -> Array:
        """Apply the unit.

        Parameters
        ----------
        params
            The parameters by name.
        x
            Inputs along the last axis; there may be any leading axes.
        train
            Whether this is training: stochastic units take noise, and zeros are divided by.
        key
            A JAX key or NumPy generator that stochastic units draw their noise from in training.
        noise
            The noise itself, instead of a key: `noise(params, x).draw(key)`.

        Returns
        -------
        array
            Outputs along the last axis, in the library and the dtype of `x`.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> unit = nalm.unit("nau", 2, 1)
        >>> unit(unit.exact("sub"), np.array([[5.0, 3.0], [1.0, 4.0]]))
        array([[ 2.],
               [-3.]])
        """
        xp = checks.namespace(self, x)
        params = checks.parameters_like(self, xp, params, x)
        if train:
            if noise is None and key is not None and (declared := self.noise(params, x)):
                noise = declared.draw(key)
            checks.noise(self, xp, params, x, noise)
        else:
            checks.refuse_zero_divisors(self, xp, params, x)
        return self.forward(xp, params, x, train, noise)

    @final
    def noise(self, params: Params, x: Array) -> Noise | None:
        """Declare the randomness that `train=True` needs on this input.

        Returns
        -------
        Noise or None
            What to draw, with `.draw(key)`; None if the unit needs none.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> unit = nalm.unit("snmu", 2, 1)
        >>> params, x = unit.init(np.random.default_rng(0)), np.ones((4, 2))
        >>> unit.noise(params, x).draw(np.random.default_rng(1)).shape
        (4, 2)
        """
        if not isinstance(self, Stochastic):
            return None
        xp = checks.namespace(self, x)
        return Noise(*self.draws(xp, params, x), x.dtype)

    @final
    def constrain(self, params: Params) -> dict[str, Array]:
        """Clamp the parameters into their intervals, as is done after an optimizer step.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> nalm.unit("nmu", 2, 1).constrain({"weight": np.array([[1.3, -0.2]])})["weight"]
        array([[1., 0.]])
        """
        bounds = {name: parameter.bounds for name, parameter in self.parameters.items()}
        return {
            name: value
            if (interval := bounds[name]) is None
            else clip(array_namespace(value), value, *interval)
            for name, value in checks.parameters(self, params).items()
        }

    @final
    def penalties(self, params: Params, x: Array | None = None) -> dict[str, Array]:
        """Return the named penalties, unscaled.

        Parameters
        ----------
        params
            The parameters by name.
        x
            Inputs; penalties that depend on them are there only if they are given.

        Returns
        -------
        dict
            One number per penalty.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> terms = nalm.unit("nmu", 2, 1).penalties({"weight": np.array([[0.9, 0.0]])})
        >>> float(terms["discretise"].round(3))
        0.05
        """
        params = checks.parameters(self, params)
        return self.penalty_terms(array_namespace(*params.values()), params, x)

    @final
    def effective(self, params: Params) -> dict[str, Array]:
        """Return the transformed weights that carry the meaning, by name.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> unit = nalm.unit("nac", 2, 1)
        >>> unit.effective(unit.exact("sub"))["weight"]
        array([[ 1., -1.]])
        """
        params = checks.parameters(self, params)
        return self.transform(array_namespace(*params.values()), params)

    @final
    def sparsity_error(self, params: Params) -> Array:
        """Return how far the weights are from -1, 0 and 1; NaN where no paper defines it.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> params = {"weight": np.array([[0.9, 0.0]])}
        >>> float(nalm.unit("nmu", 2, 1).sparsity_error(params).round(3))
        0.1
        """
        params = checks.parameters(self, params)
        xp = array_namespace(*params.values())
        return self.sparsity(xp, self.transform(xp, params))

    @final
    def matrix(self, init: Distribution, bounds: tuple[float, float] | None = None) -> Parameter:
        """Declare an `(out, in)` parameter.

        Parameters
        ----------
        init
            The distribution it starts from.
        bounds
            The interval it is clamped into after each optimizer step, if any.
        """
        return Parameter((self.out_features, self.in_features), init, bounds)

    def _repr_html_(self) -> str:
        """Return a short description for a notebook."""
        ops = f"; can represent {', '.join(self.ops)}" if self.ops else ""
        return f"<code>{escape(repr(self))}</code>{ops}"
