"""Layers of additive and multiplicative units, each with a skip to the inputs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from nalm.fitting.tree import Input, Product, Sum, Tree

Kind = Literal["add", "multiply"]
CLIP = 60.0
SMALLEST = 1e-30


@dataclass(frozen=True)
class Structure:
    """Kinds and widths of the layers, the last of width 1.

    A layer sees the inputs and the layer before it; an additive unit also has a constant.
    """

    layers: tuple[tuple[Kind, int], ...]

    def fan_in(self, inputs: int) -> list[int]:
        """Return how many weights a unit of each layer has."""
        before = [0, *(width for _, width in self.layers[:-1])]
        return [
            inputs + width + (kind == "add")
            for width, (kind, _) in zip(before, self.layers, strict=True)
        ]

    def parameters(self, inputs: int) -> int:
        """Return the number of weights."""
        return sum(
            fan * width for fan, (_, width) in zip(self.fan_in(inputs), self.layers, strict=True)
        )

    def __str__(self) -> str:
        return " ".join(f"{kind[0].upper()}{width}" for kind, width in self.layers)


def structure(text: str) -> Structure:
    """Return the structure of a short text: `M2 A1` is two multiplicative units and a sum."""
    kinds: dict[str, Kind] = {"A": "add", "M": "multiply"}
    return Structure(tuple((kinds[part[0]], int(part[1:])) for part in text.split()))


@dataclass(frozen=True)
class Layered:
    """The values and slopes of a structure on some rows."""

    structure: Structure
    x: np.ndarray

    def weights(self, theta: np.ndarray) -> list[np.ndarray]:
        """Return the weights of each layer: `(starts, units, fan in)`."""
        parts, place = [], 0
        for fan, (_, width) in zip(
            self.structure.fan_in(self.x.shape[1]), self.structure.layers, strict=True
        ):
            parts.append(theta[:, place : place + fan * width].reshape(len(theta), width, fan))
            place += fan * width
        return parts

    def __call__(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return values `(starts, rows)` and slopes `(starts, rows, parameters)`."""
        with np.errstate(all="ignore"):
            return self._run(theta)

    def _run(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        starts, rows = len(theta), len(self.x)
        common = np.broadcast_to(self.x, (starts, *self.x.shape))
        trace = []
        before = np.empty((starts, rows, 0))
        for (kind, _), weight in zip(self.structure.layers, self.weights(theta), strict=True):
            seen = np.concatenate([common, before], axis=2)
            made = _add(seen, weight) if kind == "add" else _multiply(seen, weight)
            trace.append((kind, weight, before.shape[2], made))
            before = made[0]
        slopes: list[np.ndarray] = []
        adjoint = np.ones((starts, rows, 1))
        for kind, weight, width, (value, by_weight, seen) in reversed(trace):
            part = adjoint[:, :, :, None] * by_weight
            slopes.append(part.reshape(starts, rows, -1))
            if width:
                last = slice(self.x.shape[1], self.x.shape[1] + width)
                if kind == "add":
                    adjoint = adjoint @ weight[:, :, last]
                else:
                    adjoint = ((adjoint * value) @ weight[:, :, last]) / seen[:, :, last]
        return before[:, :, 0], np.concatenate(slopes[::-1], axis=2)

    def tree(self, theta: np.ndarray) -> Tree:
        """Return one start's formula."""
        inputs: list[Tree] = [Input(i) for i in range(self.x.shape[1])]
        before: list[Tree] = []
        for (kind, _), weight in zip(self.structure.layers, self.weights(theta[None]), strict=True):
            seen = [*inputs, *before]
            before = [
                _sum_of(unit, seen) if kind == "add" else _product_of(unit, seen)
                for unit in weight[0]
            ]
        return before[0]


Made = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Values `(starts, rows, units)`, slopes by the weights of each unit, and the layer's input."""


def _add(seen: np.ndarray, weight: np.ndarray) -> Made:
    ones = np.ones((*seen.shape[:2], 1))
    full = np.concatenate([seen, ones], axis=2)
    value = full @ weight.transpose(0, 2, 1)
    slopes = np.broadcast_to(full[:, :, None, :], (*value.shape, full.shape[2]))
    return value, slopes, seen


def _multiply(seen: np.ndarray, weight: np.ndarray) -> Made:
    safe = np.where(np.abs(seen) < SMALLEST, SMALLEST, seen)
    powers = weight.transpose(0, 2, 1)
    magnitude = np.exp(np.clip(np.log(np.abs(safe)) @ powers, -CLIP, CLIP))
    negative = safe < 0
    if not negative.any():
        value = magnitude
        slopes = value[..., None] * np.log(safe)[:, :, None, :]
        return value, slopes, safe
    angle = np.pi * (negative.astype(float) @ powers)
    value = magnitude * np.cos(angle)
    slopes = value[..., None] * np.log(np.abs(safe))[:, :, None, :]
    slopes = slopes - (np.pi * magnitude * np.sin(angle))[..., None] * negative[:, :, None, :]
    return value, slopes, safe


def _sum_of(unit: np.ndarray, seen: list[Tree]) -> Tree:
    terms = tuple((float(w), tree) for w, tree in zip(unit[:-1], seen, strict=True))
    return Sum(terms, float(unit[-1]))


def _product_of(unit: np.ndarray, seen: list[Tree]) -> Tree:
    factors = []
    for weight, tree in zip(unit, seen, strict=True):
        near = Fraction(round(2 * float(weight)), 2)
        exact = abs(float(weight) - float(near)) < 0.02
        if not (exact and near == 0):
            factors.append((tree, near if exact else float(weight)))
    return Product(tuple(factors))


def starts(shape: Structure, inputs: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return start parameters: half of them dense, half sparse and near discrete weights."""
    size = shape.parameters(inputs)
    dense = rng.uniform(-1.5, 1.5, (count, size))
    near = rng.choice([-1.0, 0.0, 1.0], (count, size), p=[0.2, 0.5, 0.3])
    sparse = near + rng.normal(0, 0.1, (count, size))
    return np.where(np.arange(count)[:, None] % 2 == 0, sparse, dense)
