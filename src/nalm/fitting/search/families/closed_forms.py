"""Closed forms: a constant, a sum, a monomial, a power of a sum, each by one linear fit."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from nalm.fitting.rows import Rows
from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.search.result_powers import RESULT_POWERS, raised_result
from nalm.fitting.tree import (
    ONE,
    ZERO,
    Column,
    Number,
    PowerProduct,
    Tree,
    WeightedSum,
    constant,
    power_of,
)

Stop = Callable[[], bool]
"""Whether the time is over."""
LARGE, REFINED = 400, 3
"""With more columns than this their normal equations are solved, and refined so often."""
NEGLIGIBLE = 1e-4
"""The share of a sum below which a weight is left out at first."""


class ClosedForms(Family):
    """Formulas of one unit, and powers of one sum: they need no search."""

    name = "one unit"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        yield Stage(self.name, _trees(problem.rows, problem.stop))


def _trees(rows: Rows, stop: Stop) -> Iterator[Tree]:
    """Yield a constant, sums, one monomial, and powers of sums."""
    yield constant(float(np.average(rows.y, weights=rows.weight)))
    yield from _sums(rows, ONE, ONE, stop)
    yield from _monomials(rows, stop)
    for power, undo in RESULT_POWERS[1:]:
        yield from _sums(rows, power, undo, stop)


def _sums(rows: Rows, power: Fraction, undo: Fraction, stop: Stop) -> Iterator[Tree]:
    """Yield `(w·x)^undo` and `(w·x + c)^undo`, fitted to `y^power`."""
    raised = raised_result(rows, power)
    if raised is None:
        return
    target, root = raised
    columns = np.column_stack([rows.x, np.ones(len(rows))])
    for width in (rows.x.shape[1], rows.x.shape[1] + 1):
        weights = _linear_fit(columns[:, :width] * root[:, None], target, stop)
        if weights is None:
            continue
        kept = np.abs(weights) * np.max(np.abs(columns[:, :width]), axis=0, initial=0.0)
        terms = [
            (float(weights[i]), Column(i))
            for i in range(rows.x.shape[1])
            if kept[i] > NEGLIGIBLE * np.max(kept)
        ]
        offset: Number = float(weights[-1]) if width > rows.x.shape[1] else ZERO
        yield power_of(WeightedSum(tuple(terms), offset), undo)


def _monomials(rows: Rows, stop: Stop) -> Iterator[Tree]:
    """Yield `c · Π x^w`: a linear fit of logarithms, the sign by the parity of the powers."""
    rows = rows.take(np.all(rows.x != 0, axis=1) & (rows.y != 0))
    if len(rows) < 3:
        return
    root = np.sqrt(rows.weight)[:, None]
    columns = np.column_stack([np.log(np.abs(rows.x)), np.ones(len(rows))]) * root
    found = _linear_fit(columns, np.log(np.abs(rows.y)) * root[:, 0], stop)
    if found is None:
        return
    powers, scale = found[:-1], float(np.exp(np.clip(found[-1], -600, 600)))
    near = np.abs(powers - np.round(2 * powers) / 2) < 0.2
    odd = np.sum((rows.x < 0) * (np.round(powers) % 2), axis=1) % 2
    sign = float(np.sign(np.sum(np.sign(rows.y) * (1 - 2 * odd))) or 1.0)
    for exact in (True, False):
        factors = []
        for i, power in enumerate(powers):
            rounded = Fraction(round(2 * float(power)), 2)
            chosen: Number = rounded if exact and near[i] else float(power)
            if abs(chosen) > 1e-3:
                factors.append((Column(i), chosen))
        yield WeightedSum(((scale * sign, PowerProduct(tuple(factors))),))
        if not near.any():
            return


def _linear_fit(columns: np.ndarray, target: np.ndarray, stop: Stop) -> np.ndarray | None:
    """Return the weights of the columns that come nearest to the target.

    With fewer rows than a safe number, few columns are chosen one after the other.
    """
    finite = np.all(np.isfinite(columns), axis=1) & np.isfinite(target)
    columns, target = columns[finite], target[finite]
    if len(target) < 2:
        return None
    norms = np.sqrt(np.sum(columns**2, axis=0))
    norms = np.where(norms > 0, norms, 1.0)
    scaled = columns / norms
    if scaled.shape[1] > 0.9 * len(target):
        return _few_columns(scaled, target, stop) / norms
    if scaled.shape[1] > LARGE:
        return _by_normal_equations(scaled, target) / norms
    return np.linalg.lstsq(scaled, target, rcond=None)[0] / norms


def _by_normal_equations(columns: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the weights of very many columns, in a fraction of the time."""
    gram = columns.T @ columns
    gram[np.diag_indices(len(gram))] += 1e-12
    inverse = np.linalg.inv(gram)
    weights = np.zeros(columns.shape[1])
    for _ in range(REFINED):
        weights += inverse @ (columns.T @ (target - columns @ weights))
    return weights


def _few_columns(columns: np.ndarray, target: np.ndarray, stop: Stop) -> np.ndarray:
    """Return weights of at most a third as many columns as rows, by orthogonal matching."""
    chosen: list[int] = []
    most = max(1, len(target) // 3)
    basis = np.zeros((len(target), most))
    rest = target.copy()
    smallest = 1e-12 * float(np.linalg.norm(target))
    for k in range(most):
        best = int(np.argmax(np.abs(columns.T @ rest)))
        added = columns[:, best].copy()
        for _ in range(2):  # once more for rounding
            added -= basis[:, :k] @ (basis[:, :k].T @ added)
        size = float(np.linalg.norm(added))
        if best in chosen or size < 1e-9:
            break
        chosen.append(best)
        basis[:, k] = added / size
        rest -= basis[:, k] * float(basis[:, k] @ rest)
        if np.linalg.norm(rest) <= smallest or stop():
            break
    weights = np.zeros(columns.shape[1])
    weights[chosen] = np.linalg.lstsq(columns[:, chosen], target, rcond=None)[0]
    return weights
