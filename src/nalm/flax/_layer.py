"""One `flax.nnx.Module` for every unit: it holds parameters and randomness, the unit the maths."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import jax
import jax.numpy as jnp
from flax import nnx

from nalm.errors import InputError
from nalm.networks.layer import UnitLayer, check_names_are_free, checked_unit
from nalm.units import Stochastic, Unit


class Layer(UnitLayer, nnx.Module):
    """A unit as a Flax layer; its parameters are `nnx.Param`s with the names of the unit's.

    After each optimizer step call `constrain_()`, which clamps the weights into their intervals.
    `model.eval()` ends training: stochastic units take no noise then, zero divisors are refused.

    Parameters
    ----------
    unit
        Any unit, also a custom one.
    rngs
        Where the parameters are drawn from (`params`), and the noise of stochastic units (`noise`).
    dtype
        The dtype of the parameters; that of JAX's floating-point numbers if absent.

    Examples
    --------
    >>> import jax.numpy as jnp, nalm
    >>> from flax import nnx
    >>> layer = Layer(nalm.unit("nau", 2, 1), rngs=nnx.Rngs(0)).exact_("add")
    >>> layer(jnp.array([257.0, 1.0])).tolist()
    [258.0]
    """

    def __init__(self, unit: Unit, *, rngs: nnx.Rngs, dtype: Any = None) -> None:
        self.unit = checked_unit(unit)
        if not isinstance(rngs, nnx.Rngs):
            raise InputError(
                f"rngs is a flax.nnx.Rngs, such as nnx.Rngs(0); received {type(rngs).__name__}."
            )
        self.deterministic = False
        values = unit.init(rngs.params(), dtype)
        self.noise_rngs = nnx.data(rngs["noise"].fork() if isinstance(unit, Stochastic) else None)
        check_names_are_free(self, unit)
        for name, value in values.items():
            setattr(self, name, nnx.Param(value))

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply the unit over the last axis, stochastic units with fresh noise when training."""
        training = not self.deterministic
        key = self.noise_rngs() if training and self.noise_rngs is not None else None
        return self.unit(self._params(), x, train=training, key=key)

    def constrain_(self) -> Self:
        """Clamp the parameters into their allowed intervals, in place."""
        return self._set(self.unit.constrain(self._params()))

    def exact_(self, op: str, operands: Sequence[int] | None = None) -> Self:
        """Set the parameters that compute `op` exactly, in place."""
        return self._set(self.unit.exact(op, operands))

    def _set(self, values: Mapping[str, Any]) -> Self:
        for name, value in values.items():
            parameter = getattr(self, name)
            parameter[...] = jnp.asarray(value, parameter.dtype)
        return self

    def _params(self) -> dict[str, jax.Array]:
        return {name: getattr(self, name)[...] for name in self.unit.parameters}

    def __repr__(self) -> str:
        return f"{type(self.unit).__name__}({self.extra_repr()})"
