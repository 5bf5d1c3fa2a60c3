"""Distributions that parameters start from and noise is drawn from, and those of the papers.

A distribution says how a standard draw becomes its own, so that the same one serves JAX keys,
NumPy generators and PyTorch generators.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt, tanh
from typing import Any

from nalm._internal.types import Array, Namespace
from nalm.units._sources import Source


@dataclass(frozen=True)
class Uniform:
    """The uniform distribution on [low, high).

    Examples
    --------
    >>> float(Uniform(1.0, 3.0).quantile(None, 0.5))
    2.0
    """

    low: Any
    high: Any

    def draw(self, source: Source, shape: tuple[int, ...]) -> Array:
        """Draw an array."""
        return self.quantile(None, source.uniform(shape))

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the values of uniform numbers in [0, 1)."""
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Normal:
    """The normal distribution with this mean and standard deviation."""

    mean: float
    sd: float

    def draw(self, source: Source, shape: tuple[int, ...]) -> Array:
        """Draw an array."""
        return self.mean + self.sd * source.normal(shape)


@dataclass(frozen=True)
class Constant:
    """One value, always."""

    value: float

    def draw(self, source: Source, shape: tuple[int, ...]) -> Array:
        """Return an array of that value."""
        return source.full(shape, self.value)


Distribution = Uniform | Normal | Constant

HALF = Uniform(0.25, 0.75)
"""Where weights between 0 and 1 start, whatever the size of the layer."""


def xavier_uniform(in_features: int, out_features: int, gain: float = 1.0) -> Uniform:
    """Return the uniform distribution of Glorot and Bengio."""
    a = gain * sqrt(6 / (in_features + out_features))
    return Uniform(-a, a)


def xavier_normal(in_features: int, out_features: int) -> Normal:
    """Return the normal distribution of Glorot and Bengio."""
    return Normal(0.0, sqrt(2 / (in_features + out_features)))


def kaiming_uniform(in_features: int, gain: float = sqrt(2)) -> Uniform:
    """Return the uniform distribution of He et al. over the number of inputs."""
    b = gain * sqrt(3 / in_features)
    return Uniform(-b, b)


def constrained_uniform(in_features: int, out_features: int) -> Uniform:
    """Return Xavier's uniform distribution cut to [-1/2, 1/2].

    Examples
    --------
    >>> constrained_uniform(2, 1)
    Uniform(low=-0.5, high=0.5)
    """
    r = min(0.5, sqrt(6 / (in_features + out_features)))
    return Uniform(-r, r)


def nac_uniform(in_features: int, out_features: int) -> Uniform:
    """Return U[-r, r] for which tanh(w) · sigmoid(m) keeps the variance of Xavier."""
    r = nac_radius(max(in_features + out_features, 5))
    return Uniform(-r, r)


@lru_cache
def nac_radius(fan: int) -> float:
    """Solve fan · Var(r) = 2 for r in [0, 10] by bisection; Var grows with r."""
    low, high = 0.0, 10.0
    for _ in range(60):
        r = (low + high) / 2
        variance = (1 - tanh(r) / r) * (r - tanh(r / 2)) / (2 * r)
        low, high = (r, high) if fan * variance < 2 else (low, r)
    return (low + high) / 2
