"""What a unit declares about itself: parameters, noise, domain, and two traits."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any

from nalm._internal.checks import qualified
from nalm._internal.types import Array, Namespace, Params
from nalm.errors import InputError
from nalm.units._sources import source_of
from nalm.units.initial import Distribution


@dataclass(frozen=True)
class Parameter:
    """One array that training changes.

    Parameters
    ----------
    shape
        Its shape.
    init
        The distribution it starts from.
    bounds
        The interval it is clamped into after each optimizer step, if any.

    Examples
    --------
    >>> from nalm.units import Constant
    >>> Parameter((2,), Constant(0.5), (0.0, 1.0)).bounds
    (0.0, 1.0)
    """

    shape: tuple[int, ...]
    init: Distribution
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.init, "draw"):
            raise InputError(
                "A parameter starts from a distribution of nalm.units, such as "
                f"nalm.units.Uniform(0, 1); received {qualified(self.init)}."
            )


@dataclass(frozen=True)
class Noise:
    """The randomness one training step of a stochastic unit needs; the caller draws it."""

    shape: tuple[int, ...]
    distribution: Distribution
    dtype: Any

    def draw(self, key: object) -> Array:
        """Draw it from a JAX key or a NumPy generator."""
        source = source_of(key, self.dtype)
        return source.detach(self.distribution.draw(source, self.shape))


@dataclass(frozen=True)
class Domain:
    """The inputs on which a unit's exact parameters give the exact operation."""

    low: float = -inf
    high: float = inf
    smallest: float = 0.0
    """Inputs other than zero have at least this magnitude."""
    least_sum: float = 0.0
    """The inputs sum to at least this."""
    epsilon: float = 0.0
    """Products and quotients see each `|x|` enlarged by this constant."""
    largest: float = inf
    """Results have at most this magnitude."""
    gap: float = 0.0
    """Inputs that differ are at least this far apart."""
    logarithmic: bool = False
    """Products are exponentials of sums: their rounding error grows with Σ `|log x|`."""
    unsigned: bool = False
    """Products lose the sign of the inputs."""


class Stochastic(ABC):
    """A unit that trains with noise."""

    @property
    @abstractmethod
    def noise_sees_batch(self) -> bool:
        """Whether the distribution of the noise depends on the inputs of the whole batch."""

    @abstractmethod
    def draws(
        self, xp: Namespace, params: Params, x: Array
    ) -> tuple[tuple[int, ...], Distribution]:
        """The shape and the distribution of the noise for this input."""


class Dividing(ABC):
    """A unit that can divide by its inputs."""

    @abstractmethod
    def divisors(self, xp: Namespace, params: Params, x: Array) -> Array:
        """Which inputs some output divides by: booleans, broadcastable to the shape of `x`."""


class DividingInside(ABC):
    """A layer whose parts can divide by what they read."""

    @abstractmethod
    def check_divisors(self, xp: Namespace, params: Params, x: Array) -> None:
        """Raise ZeroDivisorError if a part that counts divides by a zero of what it reads."""
