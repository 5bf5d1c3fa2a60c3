"""Products of two or three sums of many columns, found by least squares from few starts."""

from collections.abc import Iterator

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.search.least_squares import minimize
from nalm.fitting.tree import ONE, Column, Number, PowerProduct, Tree, WeightedSum

FACTORS = (2, 3)
"""How many sums are multiplied."""
ROUNDS, STEPS = 2, 120
"""How often all starts are drawn, and how many steps each takes at most."""
WEIGHTS = 1500
"""The most weights: a step takes seconds with more."""
NEAR = 1e4
"""How many times the mean square of rounding errors an end may leave to be the law itself."""


class ProductsOfSums(Family):
    """`c · Π_k (w_k · x)` with two and three sums."""

    name = "products of sums"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        yield Stage(self.name, _trees(problem))


def _trees(problem: Problem) -> Iterator[Tree]:
    rows, stop = problem.rows, problem.stop
    inputs = rows.x.shape[1]
    if not np.any(rows.y):
        return
    for factors in FACTORS:
        if factors * inputs > min(0.9 * len(rows), WEIGHTS) or stop():
            return
        residual, small = _Residual(rows, factors), (4 * problem.epsilon) ** 2
        for _ in range(ROUNDS):
            best, least = None, np.inf
            for start in _starts(rows, factors, problem.rng):  # mostly the first one is enough
                theta, loss = minimize(residual, start[None], STEPS, small, stop)
                if best is None or loss[0] < least:
                    best, least = theta[0], loss[0]
                if least <= small or stop():
                    break
            assert best is not None
            yield _tree(best.reshape(factors, inputs))
            if least <= NEAR * small:
                return


class _Residual:
    """Predicted minus true of products of sums, in units of the spread of the results."""

    def __init__(self, rows: Rows, factors: int) -> None:
        self.rows, self.factors = rows, factors
        self.scale = float(np.sqrt(np.mean(rows.y**2))) or 1.0
        self.root = np.sqrt(rows.weight / np.mean(rows.weight)) / self.scale

    def __call__(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, count = self.rows.x, len(self.rows)
        weights = theta.reshape(len(theta), self.factors, -1)
        sums = np.einsum("ni,bki->bkn", x, weights)
        slopes = np.empty((len(theta), count, self.factors, x.shape[1]))
        for k in range(self.factors):
            others = np.prod(np.delete(sums, k, axis=1), axis=1) * self.root
            slopes[:, :, k] = others[:, :, None] * x
        residual = (np.prod(sums, axis=1) - self.rows.y) * self.root
        return residual, slopes.reshape(len(theta), count, -1)


def _starts(rows: Rows, factors: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return starts near the sum of all weights, near those of a quadratic form, and at random."""
    x, y = rows.x, rows.y
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
            (ONE if i == pivot else float(w / unit[pivot]), Column(i)) for i, w in enumerate(unit)
        ]
        factors.append((WeightedSum(tuple(terms)), ONE))
    return WeightedSum(((scale, PowerProduct(tuple(factors))),))
