"""Rows that are probably wrong: no smooth function of the columns goes through them.

A smooth model is fitted to the rows, and what it does not expect is left out, until it expects all
that is left. Suspects are only a proposal: the law that is found without them decides.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.symmetry.gaussian_process import (
    Coordinates,
    Process,
    learnt_kernel,
    standard,
)

LEARN, SOLVE = 250, 800
"""How many rows lengths are learnt on, and the model is solved on."""
FEWEST, COLUMNS = 30, 12
"""The fewest rows and the most columns that are modelled."""
ROUNDS = 8
FAR = 7.0
"""How many robust standard deviations from the model a row is suspected."""
NEAREST = 0.3
"""The share of the largest surprise from which rows are left out in the same round."""
MOST = 0.1
"""The largest share of the rows that may be suspected; of more, none is."""
FINEST = 2e-3
"""The least standard deviation from the model that counts, as a share of the spread.

Without noise the model is much nearer to most rows than to those at the edge.
"""
DEVIATION = 1.4826
"""The standard deviation of normal numbers whose median size is 1."""


def suspects(rows: Rows, stop: Callable[[], bool]) -> np.ndarray:
    """Return which rows are probably wrong, as indices."""
    none = np.empty(0, int)
    count, columns = rows.x.shape
    if not (count >= FEWEST and 1 <= columns <= COLUMNS) or count < 3 * columns or stop():
        return none
    coordinates = Coordinates.of(rows.x).u
    target = tamed(rows.y)
    if not np.all(np.isfinite(coordinates)) or target is None:
        return none
    order = np.random.default_rng(0).permutation(count)  # rows come sorted
    model = _Model(coordinates[order], target[order], stop)
    wrong = model.unexpected()
    return none if wrong is None else np.sort(order[wrong])


def tamed(y: np.ndarray) -> np.ndarray | None:
    """Return results on a scale on which none is huge; None if most of them are equal."""
    centre = float(np.median(y))
    typical = DEVIATION * float(np.median(np.abs(y - centre)))
    return np.arcsinh((y - centre) / typical) if typical > 0 else None


@dataclass(frozen=True)
class _Model:
    u: np.ndarray
    target: np.ndarray
    stop: Callable[[], bool]

    def unexpected(self) -> np.ndarray | None:
        """Return the rows that a model of all others does not expect; None if they are many."""
        count = len(self.target)
        kept = np.arange(count)
        most = max(1, int(MOST * count))
        for _ in range(ROUNDS):
            surprise = None if self.stop() else self._surprises(kept)
            if surprise is None:
                return None
            far = surprise > max(FAR, NEAREST * float(np.max(surprise[kept])))
            left = np.setdiff1d(kept, np.flatnonzero(far))
            if len(left) == len(kept):
                return np.flatnonzero(surprise > FAR)
            if count - len(left) > most:
                return None
            kept = left
        return None

    def _surprises(self, kept: np.ndarray) -> np.ndarray | None:
        """Return how far every row is from a model of some, in robust standard deviations."""
        learn, solve = kept[:LEARN], kept[:SOLVE]
        mean, deviation = self.target[solve].mean(), self.target[solve].std() or 1.0
        target = (self.target - mean) / deviation
        kernel = learnt_kernel(self.u[learn], standard(self.target[learn]))
        if kernel is None:
            return None
        try:
            process = Process.fitted(self.u[solve], target[solve], kernel)
        except np.linalg.LinAlgError:
            return None
        off = np.abs(process.values(self.u) - target)
        off[solve] = np.abs(process.weights / process.precision)
        surprise = off / max(DEVIATION * float(np.median(off[kept])), FINEST)
        uneven = np.abs(process.surprises())
        uneven /= DEVIATION * float(np.median(uneven)) or 1.0
        surprise[solve] = np.minimum(surprise[solve], uneven)
        return surprise
