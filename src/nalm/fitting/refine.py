"""Fit the measured numbers of a tree, and replace them by exact ones where the data allow it."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from nalm.fitting.rounding import simplest
from nalm.fitting.table import DOUBLE, Table
from nalm.fitting.tree import (
    Number,
    Tree,
    bits,
    evaluate,
    evaluate_with_rounding,
    gradient,
    is_finite,
    numbers,
    tidy,
    with_numbers,
)

STEPS = 30
LEAST_DAMPING = 1e-18
"""None to speak of: a tree that is fitted again is near its optimum."""
ALLOWANCE = 5.0
"""How many rounding errors a residual may have."""
OUTPUT = 0.4
"""The share of `epsilon` of itself that the rounding of a result alone leaves on average."""


@dataclass(frozen=True)
class Fitted:
    """A tree, how far it is from the rows it was fitted to, and how long its description is."""

    tree: Tree
    rms: float
    """The root of the mean squared residual."""
    floor: float
    """The residual that the rounding of the results, and our own, leaves at least."""
    length: float
    """Bits of the tree and of the residuals."""

    exact: bool
    """Whether rounding explains the residual of every row it was fitted to."""
    uncertainty: float = 0.0
    """The largest standard error of a measured number, as a share of the number."""


def residuals(tree: Tree, table: Table) -> np.ndarray:
    """Return by how much a tree misses each row; infinite where it has no value."""
    off = evaluate(tree, table.x) - table.y
    return np.where(np.isfinite(off), off, np.inf)


def rounding_error(tree: Tree, table: Table, epsilon: float) -> np.ndarray:
    """Return the residual of each row that rounding explains."""
    value, rounding = evaluate_with_rounding(tree, table.x, epsilon)
    rounding = rounding + epsilon * np.abs(value)
    return ALLOWANCE * np.where(np.isfinite(rounding), rounding, 0.0)


def coarseness(allowed: np.ndarray) -> np.ndarray:
    """Return by how much each row counts less, because rounding alone makes it uncertain.

    It is 1 for most rows; a result that is huge, or a difference of huge numbers, is coarse.
    """
    typical = float(np.median(allowed))
    return np.maximum(1.0, allowed / (10 * typical)) if typical > 0 else np.ones(len(allowed))


def assess(tree: Tree, table: Table, epsilon: float) -> Fitted:
    """Return a tree with its residual and its description length on a table."""
    off = residuals(tree, table)
    allowed = rounding_error(tree, table, epsilon)
    exact = bool(np.all(np.abs(off) <= allowed))
    share = table.weight / np.sum(table.weight) / coarseness(allowed) ** 2
    with np.errstate(over="ignore", invalid="ignore"):
        rms = float(np.sqrt(share @ off**2))
    own = allowed / ALLOWANCE * (DOUBLE / epsilon)
    floor = float(np.sqrt(share @ ((OUTPUT * epsilon * table.y) ** 2 + own**2)))
    if not np.isfinite(rms):
        return Fitted(tree, np.inf, floor, np.inf, False)
    scale = float(np.sqrt(np.mean(table.y**2))) or 1.0
    lowest = max(rms, floor, 1e-300)
    precision = 4 + 0.5 * np.log2(len(table)) + max(0.0, np.log2(scale / lowest))
    length = len(table) * np.log2(lowest) + bits(tree, table.x.shape[1], float(precision))
    return Fitted(tree, rms, floor, float(length), exact)


def refit(tree: Tree, table: Table, epsilon: float, steps: int = STEPS) -> tuple[Tree, np.ndarray]:
    """Return the tree with its measured numbers fitted, and the standard errors of these.

    Levenberg-Marquardt with the curvature's diagonal as its scale.
    """
    values = numbers(tree)
    free = [i for i, v in enumerate(values) if isinstance(v, float)]
    if not free:
        return tree, np.empty(0)
    allowed = rounding_error(tree, table, epsilon)
    root = np.sqrt(table.weight) / coarseness(allowed)
    damping = LEAST_DAMPING
    value, slopes = gradient(tree, table.x)
    off = (value - table.y) * root
    loss = _squares(off)
    if not np.isfinite(loss):
        return tree, np.full(len(free), np.inf)
    for _ in range(steps):
        j = np.nan_to_num(slopes * root[:, None], nan=0.0, posinf=0.0, neginf=0.0)
        norms = np.sqrt(np.sum(j**2, axis=0))
        norms = np.where(norms > 0, norms, 1.0)
        move = _step(j / norms, off, damping) / norms
        moved = list(values)
        for k, i in enumerate(free):
            moved[i] = float(values[i] - move[k])
        trial = with_numbers(tree, moved)
        value, trial_slopes = gradient(trial, table.x)
        trial_off = (value - table.y) * root
        trial_loss = _squares(trial_off)
        if trial_loss < loss:
            gain = (loss - trial_loss) / loss
            tree, values, off, slopes, loss = trial, moved, trial_off, trial_slopes, trial_loss
            damping = max(damping / 30, LEAST_DAMPING)
            if (gain < 1e-6 and damping == LEAST_DAMPING) or loss == 0:
                break
        else:
            damping *= 1000
            if damping > 1e6:
                break
    least = float(np.sum((root * allowed / ALLOWANCE) ** 2))
    return tree, _standard_errors(slopes * root[:, None], max(loss, least))


def _squares(off: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.sum(off**2))
    return total if np.isfinite(total) else np.inf


def _step(j: np.ndarray, off: np.ndarray, damping: float) -> np.ndarray:
    """Return the damped least-squares step, by an orthogonal factorisation of the slopes."""
    wide = np.vstack([j, np.sqrt(damping) * np.eye(j.shape[1])])
    target = np.concatenate([off, np.zeros(j.shape[1])])
    return np.linalg.lstsq(wide, target, rcond=None)[0]


def _standard_errors(j: np.ndarray, loss: float) -> np.ndarray:
    rows, columns = j.shape
    norms = np.sqrt(np.sum(j**2, axis=0))
    norms = np.where((norms > 0) & np.isfinite(norms), norms, 1.0)
    scaled = np.nan_to_num(j / norms, nan=0.0, posinf=0.0, neginf=0.0)
    inverse = np.linalg.pinv(scaled.T @ scaled, rcond=1e-14, hermitian=True)
    variance = loss / max(rows - columns, 1)
    return np.sqrt(np.maximum(np.diag(inverse), 0) * variance) / norms


def settle(tree: Tree, table: Table, epsilon: float) -> Fitted:
    """Fit a tree and replace its measured numbers by exact ones while its description shortens.

    All that look exact are tried at once, then fewer and fewer, the surest first; each time the
    others are fitted again.
    """
    tree, errors = refit(tree, table, epsilon)
    best = assess(tree, table, epsilon)
    while True:
        better = _simpler(best, errors, table, epsilon)
        if better is None:
            break
        best, errors = better
    tree, errors = refit(tidy(best.tree), table, epsilon, 3)
    measured = [abs(n) for n in numbers(tree) if isinstance(n, float)]
    shares = [e / n if n else np.inf for e, n in zip(errors, measured, strict=True)]
    best = replace(assess(tree, table, epsilon), uncertainty=max(shares, default=0.0))
    return best if is_finite(best.tree) else Fitted(best.tree, np.inf, best.floor, np.inf, False)


def _simpler(
    best: Fitted, errors: np.ndarray, table: Table, epsilon: float
) -> tuple[Fitted, np.ndarray] | None:
    values = numbers(best.tree)
    free = [i for i, v in enumerate(values) if isinstance(v, float)]
    proposals = _proposals([float(values[i]) for i in free], errors, epsilon)
    order = sorted(proposals, key=lambda k: proposals[k][1])
    count = len(order)
    while count:
        changed: list[Number] = list(values)
        for k in order[:count]:
            changed[free[k]] = proposals[k][0]
        trial, trial_errors = refit(with_numbers(best.tree, changed), table, epsilon, 8)
        fitted = assess(trial, table, epsilon)
        as_good = fitted.exact or _as_good(fitted, best, count, len(free), len(table))
        if fitted.length < best.length and as_good:
            return fitted, trial_errors
        count //= 2
    return None


def _as_good(trial: Fitted, best: Fitted, fixed: int, free: int, rows: int) -> bool:
    """Whether fixing numbers worsened the residual no more than chance would."""
    variance = max(best.rms, best.floor) ** 2 * rows / max(rows - free, 1)
    if variance == 0:
        return trial.rms == 0
    excess = rows * (max(trial.rms, trial.floor) ** 2 - max(best.rms, best.floor) ** 2) / variance
    return excess <= fixed + 5 * np.sqrt(2 * fixed)


def _proposals(
    values: list[float], errors: np.ndarray, epsilon: float
) -> dict[int, tuple[Fraction, float]]:
    """Return for each value the exact number it may be, and how unsure that is."""
    found = {}
    for k, value in enumerate(values):
        spread = min(4 * float(errors[k]) + max(1e-12, 4 * epsilon) * abs(value), 0.1)
        number = simplest(value, spread)
        if number is not None:
            found[k] = (number, abs(float(number) - value) + spread)
    return found
