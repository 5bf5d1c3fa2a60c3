"""A smooth model of a table, for the slopes of its law."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nalm.fitting.search.symmetry.gaussian_process import (
    Coordinates,
    Kernel,
    Process,
    learnt_kernel,
    standard,
)

LEARN, SOLVE, SLOPES = 300, 1000, 400
"""How many rows lengths are learnt on, the model is solved on, and slopes are taken at."""
FEWEST = 30
"""The fewest rows that are modelled."""
CLOSE = 2e-3
"""The error, as a share of the spread, below which the logarithm of the result is modelled."""
BETTER = 0.7
"""The share of the error of one scale below which another is taken instead."""


@dataclass(frozen=True)
class Slopes:
    """The result and its slopes at some rows, as the model sees them."""

    x: np.ndarray
    """The columns at these rows."""
    by_column: np.ndarray
    """Slopes of the result by each column, over a size of the result."""
    result: np.ndarray
    """The result over the same size."""
    error: float
    """The error of the model on a row it has not seen, as a share of the spread."""


@dataclass(frozen=True)
class _Scale:
    """A smooth function of the result that is modelled, and by what its slopes are multiplied."""

    target: np.ndarray
    back: np.ndarray
    """From slopes of the target to slopes of the result over its size."""
    result: np.ndarray


def slopes(x: np.ndarray, y: np.ndarray) -> Slopes | None:
    """Return slopes of the law of a table; None if there is no smooth model of it."""
    finite = np.flatnonzero(np.all(np.isfinite(x), axis=1) & np.isfinite(y))
    some = np.random.default_rng(0).permutation(finite)[:SOLVE]  # rows come sorted
    x, y = x[some], y[some]
    if len(y) < FEWEST or not np.ptp(y) or not np.all(np.ptp(x, axis=0)):
        return None
    coordinates = Coordinates.of(x)
    if not np.all(np.isfinite(coordinates.u)):
        return None
    best: tuple[float, _Scale, Kernel] | None = None
    for scale in _scales(y):
        if not np.all(np.isfinite(scale.target)) or not np.ptp(scale.target[:LEARN]):
            continue
        learnt = learnt_kernel(coordinates.u[:LEARN], standard(scale.target[:LEARN]))
        if learnt is not None and (best is None or learnt.error < BETTER * best[0]):
            best = (learnt.error, scale, learnt)
        if best is not None and best[0] < CLOSE:
            break
    if best is None:
        return None
    _, scale, learnt = best
    try:
        process = Process.fitted(coordinates.u, standard(scale.target), learnt)
    except np.linalg.LinAlgError:
        return None
    chosen = process.surest(SLOPES)
    by_coordinate = process.slopes(coordinates.u[chosen]) * float(np.std(scale.target))
    by_column = coordinates.by_column(by_coordinate, x[chosen]) * scale.back[chosen][:, None]
    return Slopes(x[chosen], by_column, scale.result[chosen], process.error)


def _scales(y: np.ndarray) -> Iterator[_Scale]:
    """Yield functions of the result that may be smooth."""
    ones = np.ones(len(y))
    if np.all(y > 0) or np.all(y < 0):
        yield _Scale(np.log(np.abs(y)), ones, ones)
        usual = float(np.sqrt(np.mean(y**4)))
        yield _Scale(y**2, ones / (2 * usual), y**2 / usual)
    usual = float(np.sqrt(np.mean(y**2)))
    yield _Scale(y, ones / usual, y / usual)
    if np.all(y > 0) or np.all(y < 0):
        return
    typical = float(np.median(np.abs(y))) or 1.0
    size = np.abs(y) + typical
    yield _Scale(np.arcsinh(y / typical), np.sqrt(typical**2 + y**2) / size, y / size)
