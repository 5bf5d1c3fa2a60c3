"""Operations on the arrays of a program: sums over the batch, finiteness, draws."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from nalm.distributions import Normal, Uniform


def is_finite(x: Array) -> Array:
    """Tell which numbers are finite from their bits, which fast-math cannot assume away."""
    bits = lax.bitcast_convert_type(x, jnp.uint32)
    return (bits & jnp.uint32(0x7F800000)) != jnp.uint32(0x7F800000)


def draw(distribution: Any, u: Array, v: Array) -> Array:
    """Draw from an initial or noise distribution with two uniform numbers."""
    if isinstance(distribution, Uniform):
        return distribution.quantile(jnp, u)
    if isinstance(distribution, Normal):
        radius = jnp.sqrt(-2 * jnp.log(1 - u))
        return distribution.mean + distribution.sd * radius * jnp.cos(2 * np.pi * v)
    return jnp.full_like(u, distribution.value)


def sums(arrays: Sequence[Array]) -> list[Array]:
    """Sum each over the batch, all in one reduction, which XLA vectorises."""
    zeros = tuple(jnp.zeros((), a.dtype) for a in arrays)

    def add(left: Any, right: Any) -> tuple[Array, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    return list(lax.reduce(tuple(arrays), zeros, add, (1,)))
