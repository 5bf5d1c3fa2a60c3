"""Where inputs come from: each distribution turns uniform numbers in [0, 1) into its own.

One uniform number makes one input, so the training step can sample on the device from counters.
The bounds may be arrays, one element per run: runs that differ only in their range share a program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from nalm._types import Array, Namespace
from nalm.distributions import Uniform
from nalm.errors import InputError

BENFORD = (0.301, 0.176, 0.125, 0.097, 0.079, 0.067, 0.058, 0.051, 0.046)
"""The probabilities of the leading digits 1 to 9."""


@dataclass(frozen=True)
class Union:
    """Two distributions, often ranges, each with probability one half."""

    first: Any
    second: Any

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        return xp.where(
            u < 0.5, self.first.quantile(xp, 2 * u), self.second.quantile(xp, 2 * u - 1)
        )


@dataclass(frozen=True)
class TruncatedNormal:
    """A normal distribution cut to [low, high)."""

    mean: Any
    sd: Any
    low: Any
    high: Any

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        from nalm._ops import normal_cdf, normal_quantile

        low, high = (
            normal_cdf(xp, (xp.asarray(bound, dtype=u.dtype) - self.mean) / self.sd)
            for bound in (self.low, self.high)
        )
        return self.mean + self.sd * normal_quantile(xp, low + (high - low) * u)


@dataclass(frozen=True)
class Exponential:
    """The exponential distribution with this scale (its mean)."""

    scale: Any

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        return -self.scale * xp.log(1 - u)


@dataclass(frozen=True)
class Benford:
    """Whole numbers from low to high, whose leading digit follows Benford's law.

    What follows the leading digit is a uniform integer in [low/10, high/10).
    """

    low: int
    high: int

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        edges = np.concatenate([[0.0], np.cumsum(BENFORD)])
        first, count = self.low // 10, self.high // 10 - self.low // 10
        value = xp.zeros_like(u)
        for digit in range(1, 10):
            inside = (u - edges[digit - 1]) / (edges[digit] - edges[digit - 1])
            rest = first + xp.floor(xp.where(inside < 1, inside, 0.999999) * count)
            value = xp.where(u >= edges[digit - 1], digit * self.low + rest, value)
        return value


@dataclass(frozen=True)
class Sobol:
    """The range [low, high), covered evenly: training steps through a Sobol sequence.

    Each run has its own random shift of it. Evaluation draws uniformly from the range.
    """

    low: Any
    high: Any

    def quantile(self, xp: Namespace, u: Array) -> Array:  # noqa: ARG002 (as every distribution)
        """Return the inputs of uniform numbers."""
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Grid:
    """The numbers low, low + step, ... up to high, each equally likely."""

    low: Any
    high: Any
    step: Any = 1.0

    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers."""
        count = xp.round((self.high - self.low) / xp.asarray(self.step, dtype=u.dtype)) + 1
        return self.low + self.step * xp.floor(count * u)


@dataclass(frozen=True)
class Halves:
    """Two distributions: `first` for the first half of the inputs, rounded down, then `second`."""

    first: Any
    second: Any

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of uniform numbers."""
        half = len(u) // 2
        return [(self.first if i < half else self.second).quantile(xp, v) for i, v in enumerate(u)]


@dataclass(frozen=True)
class Tied:
    """Inputs of one distribution; each after the first repeats the first with some probability."""

    each: Any
    share: Any

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of uniform numbers."""
        first = self.each.quantile(xp, u[0])
        return [first, *(self._repeated(xp, first, v) for v in u[1:])]

    def _repeated(self, xp: Namespace, first: Array, u: Array) -> Array:
        tied = u < self.share
        other = xp.where(tied, 0.5, (u - self.share) / (1 - self.share))
        return xp.where(tied, first, self.each.quantile(xp, other))


@dataclass(frozen=True)
class Near:
    """The first input of one distribution; each further one is the first plus an offset."""

    first: Any
    offset: Any

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of uniform numbers."""
        first = self.first.quantile(xp, u[0])
        return [first, *(first + self.offset.quantile(xp, v) for v in u[1:])]


Joint = Halves | Tied | Near
"""Distributions of all inputs together."""
InputDistribution = Uniform | Union | TruncatedNormal | Exponential | Benford | Sobol | Grid | Joint


def label(distribution: Any) -> str:
    """Return the short name of a distribution, as in tables.

    >>> label(Uniform(-1.2, -1.1)), label(Halves(Uniform(1, 2), Uniform(-2, -1)))
    ('U[-1.2,-1.1)', 'U[1,2)&U[-2,-1)')
    """
    if type(distribution) in SIGNS:
        parts = [getattr(distribution, field.name) for field in fields(distribution)]
        return SIGNS[type(distribution)].join(map(label, parts))
    if isinstance(distribution, Tied):
        return f"{label(distribution.each)} tied"
    if isinstance(distribution, Grid):
        step = f" by {distribution.step:g}" if distribution.step != 1 else ""
        return f"{distribution.low:g}..{distribution.high:g}{step}"
    if isinstance(distribution, Exponential):
        return f"Exp({distribution.scale:g})"
    bounds = f"[{distribution.low:g},{distribution.high:g})"
    if isinstance(distribution, TruncatedNormal):
        return f"TN({distribution.mean:g},{distribution.sd:g}){bounds}"
    return LETTERS[type(distribution)] + bounds


LETTERS = {Uniform: "U", Benford: "B", Sobol: "S"}
SIGNS = {Union: "|", Halves: "&", Near: "+"}
"""What stands between the two parts of a distribution."""


def reaches_zero(distribution: Any) -> bool:
    """Tell whether inputs may be zero, or as near to it as numbers are.

    >>> reaches_zero(Uniform(-2, 2)), reaches_zero(Union(Uniform(-6, -2), Uniform(2, 6)))
    (True, False)
    """
    if isinstance(distribution, Union | Halves):
        return reaches_zero(distribution.first) or reaches_zero(distribution.second)
    if isinstance(distribution, Tied):
        return reaches_zero(distribution.each)
    if isinstance(distribution, Exponential | Near):
        return True
    return distribution.low <= 0 <= distribution.high


def inputs_of(xp: Namespace, distribution: Any, u: Sequence[Array]) -> list[Array]:
    """Return all inputs of uniform numbers, one array per input.

    >>> halves = Halves(Uniform(0, 1), Uniform(2, 3))
    >>> inputs_of(np, halves, [0.5, 0.5, 0.5])
    [0.5, 2.5, 2.5]
    """
    if isinstance(distribution, Joint):
        return distribution.inputs(xp, u)
    return [distribution.quantile(xp, v) for v in u]


def sample(distribution: InputDistribution, u: np.ndarray) -> np.ndarray:
    """Return the inputs of uniform numbers, `(samples, inputs)`."""
    return np.stack(inputs_of(np, distribution, list(u.T)), axis=-1)


def interval(low: float, high: float) -> Uniform:
    """Return the uniform distribution of a range that is one."""
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(
            f"A range has finite bounds with lower < upper; received [{low}, {high}). Swap them?"
        )
    return Uniform(float(low), float(high))
