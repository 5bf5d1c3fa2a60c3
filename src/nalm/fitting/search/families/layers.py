"""Layers of additive and multiplicative units, each structure fitted from many random starts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.search.least_squares import minimize
from nalm.fitting.tree import Tree

if TYPE_CHECKING:
    from nalm.fitting.search.unit_layers import Structure

FIRST = ("M1 A1", "A1 M1", "A2 M1", "M2 A1", "M1 A1 M1", "A1 M1 A1")
LAST = (
    "A2 M1 A1", "M2 A1 M1", "A1 M1 A1 M1", "M1 A1 M1 A1", "A2 M2 A1", "A3 M1", "M3 A1",
    "A2 M2 A1 M1", "A2 M1 A1 M1", "M2 A1 M1 A1", "A3 M3 A1 M1",
)  # fmt: skip
"""Layers of additive (A) and multiplicative (M) units, by size."""
SMALL, ENOUGH = "M2 A1", "A1 M1 A1"
"""After these, inexact formulas are settled; after the second, one within noise is taken."""
STARTS, STEPS = 40, 80
"""How many starts a structure has, and how many steps each takes at most."""
ROWS = 150
"""The most rows that layers are fitted to."""
BEST = 3
"""How many of the best ends of a structure become candidates."""


@dataclass(frozen=True)
class Layers(Family):
    """Sums and products nested up to four deep."""

    structures: tuple[str, ...] = (*FIRST, *LAST)
    before_functions: bool = False
    """Whether functions follow, which a formula with several measured numbers may imitate."""

    name = "layers"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        from nalm.fitting.search.unit_layers import structure  # small formulas need no units

        for _ in range(problem.effort):
            for text in self.structures:
                yield Stage(
                    f"{self.name} {text}",
                    _trees(structure(text), problem),
                    settle=text in {SMALL, ENOUGH},
                    enough=text == ENOUGH,
                    plain=self.before_functions,
                )


def _trees(shape: "Structure", problem: Problem) -> Iterator[Tree]:
    """Yield the best ends of many starts of a structure."""
    from nalm.fitting.search.unit_layers import UnitLayers, starts

    rows = problem.rows
    inputs, count = rows.x.shape[1], len(rows)
    if shape.parameters(inputs) > count // 2:
        return
    part = rows.take(np.linspace(0, count - 1, min(count, ROWS)).astype(int))
    scale = float(np.std(part.y)) or 1.0
    layers = UnitLayers(shape, part.x)
    root = np.sqrt(part.weight / np.mean(part.weight)) / scale

    def residual(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slopes = layers(theta, root)
        return (value - part.y) * root, slopes

    start = starts(shape, inputs, STARTS, problem.rng)
    small = (problem.epsilon * 4) ** 2
    theta, loss = minimize(residual, start, STEPS, small, problem.stop)
    for k in range(min(BEST, int(np.sum(np.isfinite(loss))))):
        yield layers.tree(theta[k])
