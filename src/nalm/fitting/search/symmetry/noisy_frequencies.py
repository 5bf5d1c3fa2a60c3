"""Frequencies and rates in noise: which multiple of an argument explains the results best."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.symmetry.bases import Argument, function
from nalm.fitting.search.symmetry.relations import Term
from nalm.fitting.tree.functions import COS, EXP, SIN, Elementary

STEP, FARTHEST = 0.35, 30.0
"""By how much the phase over the range of an argument grows, and how far, in radians."""
GENTLEST, STEEPEST, RATES = 0.2, 20.0, 40
"""Between which exponents over the range of an argument rates are tried, and how many."""
ROWS = 300
HIGHEST = {1: 3, 2: 1}
"""The largest power of a column beside functions, by the number of columns."""
ROUNDS = 3
"""How often the best multiple is refined, each time to a quarter of the step."""


@dataclass(frozen=True)
class Multiple:
    """A multiple of an argument whose function explains the results."""

    of: Argument
    by: tuple[Elementary, ...]
    frequency: float
    left: float
    """The share of the results' squares that is left."""

    def terms(self) -> list[Term]:
        """Return the functions of the multiple."""
        return [function(self.of, by, self.frequency) for by in self.by]


def noisy_frequencies(
    x: np.ndarray, known: Sequence[Argument], rows: Rows, allowed: frozenset[str]
) -> list[Multiple]:
    """Return the best multiple of each argument for each kind of function, the best first."""
    some = np.linspace(0, len(rows) - 1, min(ROWS, len(rows))).astype(int)
    root = np.sqrt(rows.weight[some])
    target = rows.y[some] * root
    beside = _monomials(x[some]) * root[:, None]
    found = []
    for of in known:
        part = Argument(of.tree, of.values[some], of.columns)
        for by, tried in _kinds(part.values, allowed):
            search = _Scan(part.values, by, beside, target)
            frequency, left = search.best(tried)
            found.append(Multiple(of, by, frequency, left))
    return sorted(found, key=lambda each: each.left)


def _kinds(
    values: np.ndarray, allowed: frozenset[str]
) -> Iterator[tuple[tuple[Elementary, ...], np.ndarray]]:
    span, steep = float(np.ptp(values)), float(np.max(np.abs(values)))
    if not (np.isfinite(steep) and span > 0):
        return
    if {"sin", "cos"} <= allowed:
        yield (COS, SIN), np.arange(STEP, FARTHEST, STEP) / span
    if "exp" in allowed:
        yield (EXP,), np.geomspace(GENTLEST / span, STEEPEST / steep, RATES)


def _monomials(x: np.ndarray) -> np.ndarray:
    highest = HIGHEST[x.shape[1]]
    powers = np.array(list(np.ndindex(*[2 * highest + 1] * x.shape[1]))) - highest
    with np.errstate(all="ignore"):
        values = np.prod(x[:, None, :] ** powers[None].astype(float), axis=2)
    return values[:, np.all(np.isfinite(values), axis=0)]


@dataclass(frozen=True)
class _Scan:
    """Sums of two terms, of which some have a function of a multiple of an argument."""

    values: np.ndarray
    by: tuple[Elementary, ...]
    beside: np.ndarray
    target: np.ndarray

    def best(self, tried: np.ndarray) -> tuple[float, float]:
        """Return the multiple that leaves least, and what it leaves."""
        left = np.array([self._left(float(f)) for f in tried])
        at = int(np.argmin(left))
        low, high = float(tried[max(at - 1, 0)]), float(tried[min(at + 1, len(tried) - 1)])
        frequency, least = float(tried[at]), float(left[at])
        for _ in range(ROUNDS):
            grid = np.linspace(low, high, 7)
            left = np.array([self._left(float(f)) for f in grid])
            at = int(np.argmin(left))
            if left[at] < least:
                frequency, least = float(grid[at]), float(left[at])
            low, high = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, 6)])
        return frequency, least

    def _left(self, frequency: float) -> float:
        """Return the share of the squares that the best pair of terms leaves."""
        made = [np.asarray(by.value(np, frequency * self.values)) for by in self.by]
        columns = np.column_stack([self.beside, *(self.beside * m[:, None] for m in made)])
        with np.errstate(all="ignore"):
            unit = columns / np.sqrt(np.sum(columns**2, axis=0))
            unit = unit[:, np.all(np.isfinite(unit), axis=0)]
            along, gram = unit.T @ self.target, unit.T @ unit
            explained = (
                along[:, None] ** 2 + along[None, :] ** 2 - 2 * np.outer(along, along) * gram
            ) / (1 - gram**2)
        explained[~(1 - gram**2 > 1e-9)] = 0.0
        whole = float(self.target @ self.target) or 1.0
        return 1 - float(np.max(explained, initial=0.0)) / whole
