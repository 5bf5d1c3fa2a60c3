"""Products of sums of many inputs: two layers of a hundred columns and more."""

from collections.abc import Callable, Iterator

import numpy as np

from nalm.fitting.least_squares import minimise
from nalm.fitting.table import Table
from nalm.fitting.tree import ONE, Input, Number, Product, Sum, Tree

FACTORS = (2, 3)
"""How many sums are multiplied."""
ROUNDS, STEPS = 2, 120
"""How often all starts are drawn, and how many steps each takes at most."""
NEAR = 1e4
"""How many times the mean square of rounding errors an end may leave to be the law itself."""


def products_of_sums(
    table: Table, epsilon: float, rng: np.random.Generator, stop: Callable[[], bool]
) -> Iterator[Tree]:
    """Yield `c · Π_k (w_k · x)` with two and three sums."""
    inputs = table.x.shape[1]
    for factors in FACTORS:
        if factors * inputs > 0.9 * len(table) or stop():
            return
        residual, small = _Residual(table, factors), (4 * epsilon) ** 2
        for _ in range(ROUNDS):
            best, least = None, np.inf
            for start in _starts(table, factors, rng):  # mostly the first one is enough
                theta, loss = minimise(residual, start[None], STEPS, small, stop)
                if best is None or loss[0] < least:
                    best, least = theta[0], loss[0]
                if least <= small or stop():
                    break
            assert best is not None
            yield _tree(best.reshape(factors, inputs))
            if least <= NEAR * small:
                return


class _Residual:
    """By how much products of sums miss the rows, in units of their spread."""

    def __init__(self, table: Table, factors: int) -> None:
        self.table, self.factors = table, factors
        self.scale = float(np.sqrt(np.mean(table.y**2))) or 1.0
        self.root = np.sqrt(table.weight / np.mean(table.weight)) / self.scale

    def __call__(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, rows = self.table.x, len(self.table)
        weights = theta.reshape(len(theta), self.factors, -1)
        sums = np.einsum("ni,bki->bkn", x, weights)
        slopes = np.empty((len(theta), rows, self.factors, x.shape[1]))
        for k in range(self.factors):
            others = np.prod(np.delete(sums, k, axis=1), axis=1) * self.root
            slopes[:, :, k] = others[:, :, None] * x
        off = (np.prod(sums, axis=1) - self.table.y) * self.root
        return off, slopes.reshape(len(theta), rows, -1)


def _starts(table: Table, factors: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return starts near the sum of all weights, near those of a quadratic form, and at random."""
    x, y = table.x, table.y
    inputs = x.shape[1]
    size = float(np.sqrt(np.mean(y**2))) ** (1 / factors)
    made = []
    slope = np.linalg.lstsq(x - x.mean(axis=0), y - y.mean(), rcond=None)[0]
    for noise in (0.3, 1.0):
        spread = noise * (np.std(slope) or 1.0)
        near = slope[None] + rng.normal(0, spread, (factors, inputs))
        made.append(_sized(near, x, size))
    if factors == 2:
        made.append(_sized(_from_quadratic_form(x, y), x, size))
    made.append(_sized(rng.normal(0, 1, (factors, inputs)), x, size))
    return [start.ravel() for start in made]


def _sized(weights: np.ndarray, x: np.ndarray, size: float) -> np.ndarray:
    """Return weights whose sums are about as large as the result asks for."""
    spread = np.sqrt(np.mean((x @ weights.T) ** 2, axis=0))
    return weights * (size / np.where(spread > 0, spread, 1.0))[:, None]


def _from_quadratic_form(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return two vectors a, b with `y ≈ (a·x)(b·x)`, from the moments `E[y x xᵀ]`."""
    centred = x - x.mean(axis=0)
    moment = (centred * (y - y.mean())[:, None]).T @ centred / len(y)
    values, vectors = np.linalg.eigh(moment)
    plus = np.sqrt(max(values[-1], 0)) * vectors[:, -1]
    minus = np.sqrt(max(-values[0], 0)) * vectors[:, 0]
    return np.stack([plus + minus, plus - minus])


def _tree(weights: np.ndarray) -> Tree:
    """Return the product with one weight of each sum 1 and their sizes in front."""
    scale, factors = 1.0, []
    for unit in weights:
        large = np.abs(unit) > 0.5 * np.max(np.abs(unit))
        typical = float(np.median(np.abs(unit[large])))
        pivot = int(np.argmin(np.where(large, np.abs(np.abs(unit) - typical), np.inf)))
        scale *= float(unit[pivot])
        terms: list[tuple[Number, Tree]] = [
            (ONE if i == pivot else float(w / unit[pivot]), Input(i)) for i, w in enumerate(unit)
        ]
        factors.append((Sum(tuple(terms)), ONE))
    return Sum(((scale, Product(tuple(factors))),))
