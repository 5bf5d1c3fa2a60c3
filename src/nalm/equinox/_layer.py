"""One `equinox.Module` for every unit: it holds the parameters, the unit has the maths."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp

from nalm.networks.layer import UnitLayer, checked_unit
from nalm.units import Unit
from nalm.units import _checks as checks


class Layer(UnitLayer, eqx.Module):
    """A unit as an Equinox layer; `params` are its parameters by the names of the unit.

    After each optimizer step call `constrain()`, which returns the layer with its weights clamped
    into their intervals. `equinox.nn.inference_mode(model)` ends training: stochastic units take no
    noise then, and zero divisors are refused.

    Parameters
    ----------
    unit
        Any unit, also a custom one.
    key
        The JAX key that the parameters are drawn from.
    dtype
        The dtype of the parameters; that of JAX's floating-point numbers if absent.
    inference
        Whether the layer is not in training.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, nalm
    >>> layer = Layer(nalm.unit("nau", 2, 1), key=jax.random.key(0)).exact("add")
    >>> layer(jnp.array([257.0, 1.0])).tolist()
    [258.0]
    """

    params: dict[str, jax.Array]
    unit: Unit = eqx.field(static=True)
    inference: bool

    def __init__(self, unit: Unit, *, key: Any, dtype: Any = None, inference: bool = False) -> None:
        self.unit = checked_unit(unit)
        self.params = unit.init(key, dtype)
        self.inference = inference

    def __call__(self, x: jax.Array, *, key: Any = None) -> jax.Array:
        """Apply the unit over the last axis; stochastic units draw noise from `key` in training."""
        return self.unit(self.params, x, train=not self.inference, key=key)

    def constrain(self) -> Self:
        """Return the layer with its parameters clamped into their allowed intervals."""
        return self.with_params(self.unit.constrain(self.params))

    def exact(self, op: str, operands: Sequence[int] | None = None) -> Self:
        """Return the layer with the parameters that compute `op` exactly."""
        return self.with_params(self.unit.exact(op, operands))

    def with_params(self, params: Mapping[str, Any]) -> Self:
        """Return the layer with other parameters, in the dtype of its own."""
        arrays = {
            name: jnp.asarray(value, self.params[name].dtype)
            for name, value in checks.parameters(self.unit, params).items()
        }
        return eqx.tree_at(lambda layer: layer.params, self, arrays)

    def _params(self) -> dict[str, jax.Array]:
        return self.params

    def __repr__(self) -> str:
        return f"{type(self.unit).__name__}({self.extra_repr()})"
