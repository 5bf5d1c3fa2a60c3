"""Which of many columns a result depends on, if they are few.

Columns and pairs of columns are taken that explain what a smooth model of the columns so far
leaves, until chance explains the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.suspects import DEVIATION, tamed
from nalm.fitting.search.symmetry.gaussian_process import (
    Coordinates,
    Process,
    learnt_kernel,
    standard,
)

MOST = 10
"""The most columns that are few."""
ROUNDS = 8
DEGREE = 3
"""The degree of the polynomials of one column that may explain the result."""
LEARN, SOLVE, ROWS = 250, 800, 2000
"""How many rows lengths are learnt on, the model is solved on, and columns are judged by."""
CHANCE = 1e-3
"""The probability below which chance does not explain that a column matters, for all of them."""
CLOSE = 1e-3
"""The error, as a share of the spread, at which the model needs no more columns."""
IDLE = 0.3
"""The share of the model's error by which a column changes it at least that is kept."""
TAILS = 4.0
"""How many robust standard deviations of what the model leaves count at most."""


def relevant_columns(rows: Rows, stop: Callable[[], bool]) -> list[int]:
    """Return the columns that the result depends on; none if they are many, or unknown."""
    target = tamed(rows.y)
    if target is None or stop():
        return []
    order = np.random.default_rng(0).permutation(len(rows))[:ROWS]  # rows come sorted
    u = Coordinates.of(rows.x[order]).u
    if not np.all(np.isfinite(u)):
        return []
    found = _Screening(u, standard(target[order])).columns(stop)
    return sorted(found)


@dataclass(frozen=True)
class _Screening:
    u: np.ndarray
    target: np.ndarray

    def columns(self, stop: Callable[[], bool]) -> list[int]:
        chosen: list[int] = []
        rest, model = self.target, None
        for number in range(ROUNDS):
            more = [k for k in self._explaining(rest) if k not in chosen]
            if number == 0 and len(more) > MOST:
                return []
            if not more or len(chosen) == MOST or stop():
                break
            chosen += more[: MOST - len(chosen)]
            model = self._model(chosen)
            if model is None:
                return []
            rest = self._left(model, chosen)
            if DEVIATION * float(np.median(np.abs(rest))) < CLOSE:
                break
        return chosen if model is None else self._used(model, chosen, rest)

    def _explaining(self, rest: np.ndarray) -> list[int]:
        """Return the columns that explain something of the rest, the surest first."""
        from scipy.special import chdtrc

        limit = TAILS * DEVIATION * float(np.median(np.abs(rest - np.median(rest))))
        rest = np.clip(rest, -limit, limit) if limit > 0 else rest
        rest = standard(rest)
        count, columns = self.u.shape
        alone = np.zeros(columns)
        basis = np.ones((count, 1, columns)) / np.sqrt(count)
        for degree in range(1, DEGREE + 1):
            power = self.u**degree
            power = power - np.einsum("nkc,kc->nc", basis, np.einsum("nkc,nc->kc", basis, power))
            size = np.sqrt(np.sum(power**2, axis=0))
            power = np.where(size > 1e-9 * np.sqrt(count), power / np.where(size > 0, size, 1), 0.0)
            alone += (power.T @ rest) ** 2
            basis = np.concatenate([basis, power[:, None]], axis=1)
        chances = {k: float(p) * columns for k, p in enumerate(chdtrc(DEGREE, alone))}
        found = sorted((p, k) for k, p in chances.items() if p < CHANCE)
        pairs = self._pairs(rest)
        together = chdtrc(1, pairs**2) * columns * (columns - 1) / 2
        first, second = np.nonzero(np.triu(together < CHANCE, 1))
        for i, j in zip(first, second, strict=True):
            found += [(float(together[i, j]), int(i)), (float(together[i, j]), int(j))]
        return list(dict.fromkeys(k for _, k in sorted(found)))

    def _pairs(self, rest: np.ndarray) -> np.ndarray:
        """Return how surely the product of each pair of columns explains the rest."""
        products = (self.u * rest[:, None]).T @ self.u
        expected = np.sqrt((self.u**2 * rest[:, None] ** 2).T @ self.u**2)
        return products / np.maximum(expected, 1e-12)

    def _model(self, chosen: list[int]) -> Process | None:
        u = self.u[:, chosen]
        kernel = learnt_kernel(u[:LEARN], standard(self.target[:LEARN]))
        if kernel is None:
            return None
        try:
            return Process.fitted(u[:SOLVE], self.target[:SOLVE], kernel)
        except np.linalg.LinAlgError:
            return None

    def _left(self, model: Process, chosen: list[int]) -> np.ndarray:
        """Return what the model leaves of each row, as if it had not seen the row."""
        rest = self.target - model.values(self.u[:, chosen])
        rest[:SOLVE] = model.weights / model.precision
        return rest

    def _used(self, model: Process, chosen: list[int], rest: np.ndarray) -> list[int]:
        """Return the columns without which the model would say something else."""
        error = DEVIATION * float(np.median(np.abs(rest)))
        u = self.u[:SOLVE, chosen]
        known = model.values(u)
        kept = []
        for k, column in enumerate(chosen):
            moved = u.copy()
            moved[:, k] = np.roll(moved[:, k], 1)
            if float(np.median(np.abs(model.values(moved) - known))) > IDLE * error:
                kept.append(column)
        return kept or chosen
