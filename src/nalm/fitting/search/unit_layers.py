"""Layers of units that are searched: their values, their slopes, and the formula they compute.

A layer sees the columns of the table and the layer before it. The equations are those of the
linear unit and the real neural power unit, with its ε = 0, for many starts at once; the slopes
are written here.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from nalm.fitting.tree import Column, Number, PowerProduct, Tree, WeightedSum
from nalm.units.ops import linear
from nalm.units.real_npu import gated_polar, log_magnitude_and_angle

LARGEST = 60.0
"""Logarithms of products are kept between minus this and this."""
SMALLEST = 1e-30
"""A factor nearer to 0 counts as this, so that it has a logarithm."""


@dataclass(frozen=True)
class Seen:
    """What a layer sees: the columns `(rows, columns)`, and the layer before it.

    That is `(starts, rows, units)`, with no units for the first layer.
    """

    columns: "Columns"
    before: np.ndarray

    def joined(self, columns: np.ndarray, *more: np.ndarray) -> np.ndarray:
        """Return the columns, the same for all starts, beside what differs between them."""
        common = np.broadcast_to(columns, (len(self.before), *columns.shape))
        return np.concatenate([common, *more], axis=2)


@dataclass(frozen=True)
class Columns:
    """The columns of the table, with their polar form, which is computed once."""

    x: np.ndarray

    @cached_property
    def polar(self) -> tuple[np.ndarray, np.ndarray]:
        """The logarithms of their magnitudes, and their angles: π where they are negative."""
        return polar(without_zeros(self.x))


def without_zeros(x: np.ndarray) -> np.ndarray:
    """Return the numbers with a small one in the place of 0."""
    return np.where(np.abs(x) < SMALLEST, SMALLEST, x)


def polar(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the inputs of a real neural power unit with open gates and ε = 0 in polar form."""
    return gated_polar(np, 1.0, x, epsilon=0.0)


class Kind(ABC):
    """A kind of layer."""

    letter: ClassVar[str]
    """Its name in a structure."""
    constants: ClassVar[int]
    """How many weights a unit has besides one for each input."""

    @abstractmethod
    def run(self, seen: Seen, weight: np.ndarray) -> "Layer":
        """Return the outputs of a layer with weights `(starts, units, fan in)`."""

    @abstractmethod
    def tree(self, weights: np.ndarray, seen: Sequence[Tree]) -> Tree:
        """Return the formula of one unit of what it sees."""


class Layer(ABC):
    """A layer that has run, and what its slopes are made of."""

    values: np.ndarray
    """`(starts, rows, units)`."""
    by_weight: np.ndarray
    """Slopes of each unit by its own weights, `(starts, rows, units, fan in)`."""

    @abstractmethod
    def back(self, adjoint: np.ndarray) -> np.ndarray:
        """Return the slopes by the layer before from those by this layer's outputs."""


@final
class Additive(Kind):
    """Weighted sums with a constant: the linear unit, its bias the weight of an input of 1."""

    letter = "A"
    constants = 1

    def run(self, seen: Seen, weight: np.ndarray) -> Layer:
        return SumLayer(seen, weight)

    def tree(self, weights: np.ndarray, seen: Sequence[Tree]) -> Tree:
        terms = tuple((float(w), tree) for w, tree in zip(weights[:-1], seen, strict=True))
        return WeightedSum(terms, float(weights[-1]))


@final
class Multiplicative(Kind):
    """Products of powers: the real neural power unit."""

    letter = "M"
    constants = 0

    def run(self, seen: Seen, weight: np.ndarray) -> Layer:
        return PowerLayer(seen, weight)

    def tree(self, weights: np.ndarray, seen: Sequence[Tree]) -> Tree:
        factors: list[tuple[Tree, Number]] = []
        for weight, tree in zip(weights, seen, strict=True):
            near = Fraction(round(2 * float(weight)), 2)
            exact = abs(float(weight) - float(near)) < 0.02
            if not (exact and near == 0):
                factors.append((tree, near if exact else float(weight)))
        return PowerProduct(tuple(factors))


@final
class SumLayer(Layer):
    """An additive layer that has run."""

    def __init__(self, seen: Seen, weight: np.ndarray) -> None:
        x = seen.columns.x
        inputs = seen.joined(x, seen.before, np.ones((*seen.before.shape[:2], 1)))
        self.values = linear(np, inputs, weight)
        self.by_weight = np.broadcast_to(
            inputs[:, :, None, :], (*self.values.shape, inputs.shape[2])
        )
        self._by_before = weight[:, :, x.shape[1] : x.shape[1] + seen.before.shape[2]]

    def back(self, adjoint: np.ndarray) -> np.ndarray:
        return adjoint @ self._by_before


@final
class PowerLayer(Layer):
    """A multiplicative layer that has run."""

    def __init__(self, seen: Seen, weight: np.ndarray) -> None:
        self._before = without_zeros(seen.before)
        self._powers = weight[:, :, seen.columns.x.shape[1] :]
        log_columns, column_angles = seen.columns.polar
        log_before, before_angles = polar(self._before)
        log_r = seen.joined(log_columns, log_before)
        if not (column_angles.any() or before_angles.any()):
            magnitude = self._magnitude(linear(np, log_r, weight))
            self.values = magnitude
            self.by_weight = magnitude[..., None] * log_r[:, :, None, :]
            return
        angles = seen.joined(column_angles, before_angles)
        log_magnitude, angle = log_magnitude_and_angle(np, log_r, angles, weight)
        magnitude = self._magnitude(log_magnitude)
        self.values = magnitude * np.cos(angle)
        by_size = self.values[..., None] * log_r[:, :, None, :]
        self.by_weight = by_size - (magnitude * np.sin(angle))[..., None] * angles[:, :, None, :]

    @staticmethod
    def _magnitude(logarithm: np.ndarray) -> np.ndarray:
        return np.exp(np.clip(logarithm, -LARGEST, LARGEST))

    def back(self, adjoint: np.ndarray) -> np.ndarray:
        return ((adjoint * self.values) @ self._powers) / self._before


KINDS = {kind.letter: kind for kind in (Additive(), Multiplicative())}


@dataclass(frozen=True)
class Structure:
    """Kinds and widths of the layers, the last of width 1."""

    layers: tuple[tuple[Kind, int], ...]

    def fan_in(self, inputs: int) -> list[int]:
        """Return how many weights a unit of each layer has."""
        before = [0, *(width for _, width in self.layers[:-1])]
        return [
            inputs + width + kind.constants
            for width, (kind, _) in zip(before, self.layers, strict=True)
        ]

    def parameters(self, inputs: int) -> int:
        """Return the number of weights."""
        fans = self.fan_in(inputs)
        return sum(fan * width for fan, (_, width) in zip(fans, self.layers, strict=True))

    def __str__(self) -> str:
        return " ".join(f"{kind.letter}{width}" for kind, width in self.layers)


def structure(text: str) -> Structure:
    """Return the structure of a short text: `M2 A1` is two multiplicative units and a sum."""
    return Structure(tuple((KINDS[part[0]], int(part[1:])) for part in text.split()))


@dataclass(frozen=True)
class UnitLayers:
    """The values and slopes of a structure on some rows, from many starts at once."""

    structure: Structure
    x: np.ndarray

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.x)

    def weights(self, theta: np.ndarray) -> list[np.ndarray]:
        """Return the weights of each layer: `(starts, units, fan in)`."""
        parts, start = [], 0
        fans = self.structure.fan_in(self.x.shape[1])
        for fan, (_, width) in zip(fans, self.structure.layers, strict=True):
            end = start + fan * width
            parts.append(theta[:, start:end].reshape(len(theta), width, fan))
            start = end
        return parts

    def __call__(
        self, theta: np.ndarray, scale: np.ndarray | float = 1.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return values `(starts, rows)` and slopes `(starts, rows, parameters)`.

        Slopes are multiplied by a `scale` for each row.
        """
        with np.errstate(all="ignore"):
            layers = self._run(theta)
            return layers[-1].values[:, :, 0], self._slopes(layers, scale)

    def _run(self, theta: np.ndarray) -> list[Layer]:
        layers: list[Layer] = []
        before = np.empty((len(theta), len(self.x), 0))
        for (kind, _), weight in zip(self.structure.layers, self.weights(theta), strict=True):
            layers.append(kind.run(Seen(self._columns, before), weight))
            before = layers[-1].values
        return layers

    @staticmethod
    def _slopes(layers: list[Layer], scale: np.ndarray | float) -> np.ndarray:
        starts, rows, _ = layers[-1].values.shape
        adjoint = np.empty((starts, rows, 1))
        adjoint[:, :, 0] = scale
        slopes: list[np.ndarray] = []
        for layer in reversed(layers):
            slopes.append((adjoint[:, :, :, None] * layer.by_weight).reshape(starts, rows, -1))
            if layer is not layers[0]:
                adjoint = layer.back(adjoint)
        return np.concatenate(slopes[::-1], axis=2)

    def tree(self, theta: np.ndarray) -> Tree:
        """Return the formula of one start."""
        columns = [Column(i) for i in range(self.x.shape[1])]
        before: list[Tree] = []
        for (kind, _), weight in zip(self.structure.layers, self.weights(theta[None]), strict=True):
            before = [kind.tree(unit, [*columns, *before]) for unit in weight[0]]
        return before[0]


def starts(shape: Structure, inputs: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return start parameters: half of them dense, half sparse and near discrete weights."""
    size = shape.parameters(inputs)
    dense = rng.uniform(-1.5, 1.5, (count, size))
    near = rng.choice([-1.0, 0.0, 1.0], (count, size), p=[0.2, 0.5, 0.3])
    sparse = near + rng.normal(0, 0.1, (count, size))
    return np.where(np.arange(count)[:, None] % 2 == 0, sparse, dense)
