"""Where random numbers come from: JAX keys and NumPy generators."""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from nalm._internal.types import Array
from nalm.errors import InputError


class Source(Protocol):
    """Where random numbers come from: one backend, one dtype."""

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Draw from [0, 1)."""
        ...

    def normal(self, shape: tuple[int, ...]) -> Array:
        """Draw from the standard normal distribution."""
        ...

    def full(self, shape: tuple[int, ...], value: float) -> Array:
        """Return an array of one value."""
        ...

    def detach(self, x: Array) -> Array:
        """Return `x` as a constant of differentiation."""
        ...

    def split(self, count: int) -> list[Self]:
        """Return `count` independent sources."""
        ...


@dataclass(frozen=True)
class JaxSource:
    """Draws from a JAX key; the key is used once, `split` makes more."""

    key: Any
    dtype: Any = None

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Draw from [0, 1)."""
        import jax

        return jax.random.uniform(self.key, shape, self._float())

    def normal(self, shape: tuple[int, ...]) -> Array:
        """Draw from the standard normal distribution."""
        import jax

        return jax.random.normal(self.key, shape, self._float())

    def full(self, shape: tuple[int, ...], value: float) -> Array:
        """Return an array of one value."""
        import jax.numpy as jnp

        return jnp.full(shape, value, self._float())

    def detach(self, x: Array) -> Array:
        """Return `x` as a constant of differentiation."""
        from jax.lax import stop_gradient

        return stop_gradient(x)

    def split(self, count: int) -> list[Self]:
        """Return `count` independent sources."""
        import jax

        return [type(self)(key, self.dtype) for key in jax.random.split(self.key, count)]

    def _float(self) -> Any:
        import jax.numpy as jnp

        return jnp.result_type(float) if self.dtype is None else self.dtype


@dataclass(frozen=True)
class NumpySource:
    """Draws from a NumPy generator, which keeps its own state."""

    generator: np.random.Generator
    dtype: Any = None

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Draw from [0, 1)."""
        return self.generator.random(shape).astype(self.dtype or np.float64)

    def normal(self, shape: tuple[int, ...]) -> Array:
        """Draw from the standard normal distribution."""
        return self.generator.standard_normal(shape).astype(self.dtype or np.float64)

    def full(self, shape: tuple[int, ...], value: float) -> Array:
        """Return an array of one value."""
        return np.full(shape, value, self.dtype or np.float64)

    def detach(self, x: Array) -> Array:
        """Return `x` as a constant of differentiation."""
        return x

    def split(self, count: int) -> list[Self]:
        """Return `count` independent sources."""
        return [self] * count


def source_of(key: object, dtype: object = None) -> Source:
    """Return the source that belongs to a JAX key or a NumPy generator."""
    if isinstance(key, np.random.Generator):
        return NumpySource(key, dtype)
    if hasattr(key, "dtype"):
        return JaxSource(key, dtype)
    raise InputError(
        "Randomness comes from a JAX key or a NumPy generator; "
        f"received {type(key).__name__}. "
        "Use jax.random.key(0) or numpy.random.default_rng(0)."
    )


def split_key(key: object, count: int) -> list[Any]:
    """Return `count` independent JAX keys, or the same NumPy generator, which keeps its state.

    Examples
    --------
    >>> len(split_key(np.random.default_rng(0), 3))
    3
    """
    if isinstance(key, np.random.Generator):
        return [key] * count
    source_of(key)  # refuses what is neither
    import jax

    return list(jax.random.split(key, count))  # pyright: ignore[reportArgumentType]
