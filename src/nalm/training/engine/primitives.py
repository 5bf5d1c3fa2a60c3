"""Operations on the arrays of a program: sums over the batch, finiteness, draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import jax.numpy as jnp
import numpy as np
from jax import Array, lax


def is_finite(x: Array) -> Array:
    """Tell which numbers are finite from their bits, which fast-math cannot assume away."""
    bits = lax.bitcast_convert_type(x, jnp.uint32)
    return (bits & jnp.uint32(0x7F800000)) != jnp.uint32(0x7F800000)


@dataclass(frozen=True)
class Pair:
    """Two uniform numbers, or arrays of them, that make one standard draw of any kind."""

    u: Array
    v: Array

    def uniform(self, shape: tuple[int, ...]) -> Array:  # noqa: ARG002 (as every source)
        """Return the first number."""
        return self.u

    def normal(self, shape: tuple[int, ...]) -> Array:  # noqa: ARG002 (as every source)
        """Return a number of the standard normal distribution, by Box and Muller."""
        return jnp.sqrt(-2 * jnp.log(1 - self.u)) * jnp.cos(2 * np.pi * self.v)

    def full(self, shape: tuple[int, ...], value: float) -> Array:  # noqa: ARG002
        """Return one value."""
        return jnp.full_like(self.u, value)

    def detach(self, x: Array) -> Array:
        """Return `x`: nothing here is differentiated."""
        return x

    def split(self, count: int) -> list[Self]:
        """Return the same pair for each."""
        return [self] * count


def draw(distribution: Any, u: Array, v: Array) -> Array:
    """Draw from an initial or noise distribution with two uniform numbers."""
    return distribution.draw(Pair(u, v), u.shape)


def sums(arrays: Sequence[Array]) -> list[Array]:
    """Sum each along its last axis, the batch, all in one reduction, which XLA vectorises."""
    zeros = tuple(jnp.zeros((), a.dtype) for a in arrays)

    def add(left: Any, right: Any) -> tuple[Array, ...]:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    return list(lax.reduce(tuple(arrays), zeros, add, (arrays[0].ndim - 1,)))


def sum_of(array: Array) -> Array:
    """Sum along the last axis, in two halves: XLA does not vectorise a reduction of one array."""
    half = array.shape[-1] // 2
    if half == 0:
        return jnp.sum(array, axis=-1)
    left, right = sums([array[..., :half], array[..., half : 2 * half]])
    whole = left + right
    return whole + array[..., -1] if array.shape[-1] % 2 else whole
