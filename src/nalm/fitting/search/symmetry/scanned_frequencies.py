"""Functions of an unknown multiple of an argument: the multiple is scanned, then refined."""

from collections.abc import Callable, Iterator

import numpy as np

from nalm.fitting.search.symmetry.bases import (
    Argument,
    Basis,
    arguments,
    crossed,
    function,
    monomials,
    one,
)
from nalm.fitting.search.symmetry.reduced_table import ReducedTable
from nalm.fitting.search.symmetry.relations import Term
from nalm.fitting.tree.functions import COS, EXP, SIN

STEP, FARTHEST = 0.35, 80.0
"""By how much the phase over the range of an argument grows, and how far, in radians."""
GENTLEST, STEEPEST, RATES = 0.1, 30.0, 60
"""Between which exponents over the range of an argument rates are tried, and how many."""
DIPS = 4
"""How many of the deepest dips are refined."""
ROUNDS = 18
"""How often a dip is refined, each time to a quarter of its width."""
SHALLOW, ENOUGH_ROUNDS = 0.05, 4
"""The share of its first depth that a dip has after a few rounds if it is no relation."""
ROWS = 150
DEEP = 1e-9
"""The smallest singular value below which a dip is an exact relation."""

Make = Callable[[Argument, float], Basis]


def scanned_bases(
    table: ReducedTable, allowed: frozenset[str], stop: Callable[[], bool]
) -> Iterator[Basis]:
    """Yield bases with the frequencies and rates at which an exact relation holds."""
    x, w = table.x, table.y
    for of in arguments(x)[: 2 * x.shape[1] + 1]:
        span = float(np.ptp(of.values))
        if stop() or not np.isfinite(span) or span == 0:
            continue
        steep = float(np.max(np.abs(of.values)))
        kinds: list[tuple[Make, np.ndarray]] = []
        if {"sin", "cos"} <= allowed:
            tried = np.arange(STEP, FARTHEST, STEP) / span
            kinds += [(_waves, tried), (_waves_and_line, tried)]
        if "exp" in allowed:
            rates = np.geomspace(GENTLEST / span, STEEPEST / steep, RATES)
            kinds += [(_few_exponentials, rates), (_exponentials, rates)]
        for make, tried in kinds:
            for frequency in _dips(lambda f, m=make, a=of: _smallest(m(a, f), w), tried):
                yield make(of, frequency)


def _waves(of: Argument, frequency: float) -> Basis:
    waves = (one(len(of.values)), function(of, COS, frequency), function(of, SIN, frequency))
    return Basis("scanned waves", waves, waves[:1])


def _waves_and_line(of: Argument, frequency: float) -> Basis:
    line = _powers(of, 1)
    waves = (one(len(of.values)), function(of, COS, frequency), function(of, SIN, frequency))
    return Basis("scanned waves", crossed(line, waves), tuple(line))


def _few_exponentials(of: Argument, frequency: float) -> Basis:
    both = [one(len(of.values)), function(of, EXP, frequency)]
    return Basis("scanned exponentials", (*_powers(of, 1), both[1]), tuple(both))


def _exponentials(of: Argument, frequency: float) -> Basis:
    both = [one(len(of.values)), function(of, EXP, frequency)]
    return Basis("scanned exponentials", (*_powers(of, 3), both[1]), tuple(both))


def _powers(of: Argument, degree: int) -> list[Term]:
    """Return 1, the argument, and its powers."""
    terms = monomials(of.values[:, None], [0], degree)
    return [
        Term(t.values, None if t.tree is None else t.tree.composed([of.tree]), t.complexity)
        for t in terms
    ]


def _smallest(basis: Basis, w: np.ndarray) -> float:
    """Return the smallest singular value of a basis."""
    some = np.linspace(0, len(w) - 1, min(ROWS, len(w))).astype(int)
    scale = np.abs(w[some]) + np.median(np.abs(w[some]))
    columns = [t.values[some] / scale for t in basis.above]
    columns += [-w[some] * t.values[some] / scale for t in basis.below]
    matrix = np.column_stack(columns)
    norms = np.sqrt(np.sum(matrix**2, axis=0))
    if not np.all(np.isfinite(norms)) or not np.all(norms > 0):
        return 1.0
    return float(np.linalg.svd(matrix / norms, compute_uv=False)[-1])


def _dips(depth: Callable[[float], float], tried: np.ndarray) -> Iterator[float]:
    """Yield where a scan has its deepest dips, refined, if they reach rounding."""
    depths = np.array([depth(float(f)) for f in tried])
    inner = np.flatnonzero((depths[1:-1] <= depths[:-2]) & (depths[1:-1] <= depths[2:])) + 1
    for k in inner[np.argsort(depths[inner], kind="stable")][:DIPS]:
        low, high, hopeful = float(tried[k - 1]), float(tried[k + 1]), SHALLOW * float(depths[k])
        at, deepest = _refined(depth, low, high, hopeful)
        if deepest < DEEP:
            yield at


def _refined(
    depth: Callable[[float], float], low: float, high: float, hopeful: float
) -> tuple[float, float]:
    """Return where a dip is deepest and how deep; given up if it stays above `hopeful`."""
    at, deepest = low, np.inf
    for number in range(ROUNDS):
        grid = np.linspace(low, high, 9)
        depths = [depth(float(f)) for f in grid]
        best = int(np.argmin(depths))
        at, deepest = float(grid[best]), depths[best]
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 8)])
        if number == ENOUGH_ROUNDS and deepest > hopeful:
            break
    return at, deepest
