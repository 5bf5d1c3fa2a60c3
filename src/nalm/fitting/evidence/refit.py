"""Fit the measured numbers of a formula to rows: Levenberg-Marquardt near the optimum."""

from collections.abc import Callable

import numpy as np

from nalm._internal.least_squares import precise_step, scaled
from nalm.fitting.evidence.assess import ALLOWANCE, coarseness, rounding_error
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Tree
from nalm.fitting.tree.number import is_measured

STEPS = 30
LEAST_DAMPING, MOST_DAMPING = 1e-18, 1e6
"""The least is none to speak of: a formula that is fitted again is near its optimum."""
EASED, TIGHTENED = 30.0, 1000.0
"""What the damping is divided by after a step that helped, and multiplied by after another."""
SMALL_GAIN = 1e-6
"""The share of the loss below which a step that helped was the last."""

WEAKEST = 1e-12
"""The share of the largest effect that numbers together have at least if rows determine them."""


def never() -> bool:
    """Say that the time is not over."""
    return False


def refit(
    tree: Tree,
    rows: Rows,
    epsilon: float,
    steps: int = STEPS,
    *,
    stop: Callable[[], bool] = never,
) -> tuple[Tree, np.ndarray]:
    """Return the formula with its measured numbers fitted, and the standard errors of these.

    Once the time is over the numbers stay as they are, with infinite errors.
    """
    values = tree.numbers()
    free = [i for i, v in enumerate(values) if is_measured(v)]
    if not free or stop():
        return tree, np.full(len(free), np.inf)
    allowed = rounding_error(tree, rows, epsilon)
    root = np.sqrt(rows.weight) / coarseness(allowed)
    damping = LEAST_DAMPING
    value, slopes = tree.slopes(rows.x)
    residual = (value - rows.y) * root
    loss = _squares(residual)
    if not np.isfinite(loss):
        return tree, np.full(len(free), np.inf)
    for _ in range(steps):
        if stop():
            return tree, np.full(len(free), np.inf)
        finite = np.nan_to_num(slopes * root[:, None], nan=0.0, posinf=0.0, neginf=0.0)
        move = precise_step(np, scaled(np, finite, smallest=0.0), residual, damping)
        moved = list(values)
        for k, i in enumerate(free):
            moved[i] = float(values[i] - move[k])
        trial = tree.with_numbers(moved)
        value, trial_slopes = trial.slopes(rows.x)
        trial_residual = (value - rows.y) * root
        trial_loss = _squares(trial_residual)
        if trial_loss < loss:
            gain = (loss - trial_loss) / loss
            tree, values, residual, slopes = trial, moved, trial_residual, trial_slopes
            loss = trial_loss
            damping = max(damping / EASED, LEAST_DAMPING)
            if (gain < SMALL_GAIN and damping == LEAST_DAMPING) or loss == 0:
                break
        else:
            damping *= TIGHTENED
            if damping > MOST_DAMPING:
                break
    least = float(np.sum((root * allowed / ALLOWANCE) ** 2))
    return tree, _standard_errors(slopes * root[:, None], max(loss, least))


def is_determined(tree: Tree, rows: Rows) -> bool:
    """Whether rows determine each measured number: not of `c1*x + c2*x`."""
    if not tree.measured():
        return True
    _, slopes = tree.slopes(rows.x)
    slopes = np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)
    largest = np.max(np.abs(slopes), axis=0)
    if not np.all(largest > 0):
        return False
    even = slopes / largest
    sizes = np.linalg.svd(even / np.linalg.norm(even, axis=0), compute_uv=False)
    return bool(len(rows) >= slopes.shape[1] and sizes[-1] > WEAKEST * sizes[0])


def prediction_spread(tree: Tree, fitted: Rows, other: Rows) -> np.ndarray:
    """Return how many times the noise the error of each other row usually is.

    It is above 1, since the numbers of the formula are uncertain, too.
    """
    root = np.sqrt(fitted.weight)[:, None]
    known = np.nan_to_num(tree.slopes(fitted.x)[1] * root, nan=0.0, posinf=0.0, neginf=0.0)
    there = tree.slopes(other.x)[1] * np.sqrt(other.weight)[:, None]
    norms = np.linalg.norm(known, axis=0)
    norms = np.where(norms > 0, norms, 1.0)
    there = np.nan_to_num(there / norms, nan=0.0, posinf=0.0, neginf=0.0)
    _, sizes, axes = np.linalg.svd(known / norms, full_matrices=False)
    determined = sizes > 1e-10 * sizes.max(initial=0.0)
    share = (there @ axes.T)[:, determined] / sizes[determined]
    return np.sqrt(1 + np.sum(share**2, axis=1))


def _squares(residual: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.sum(residual**2))
    return total if np.isfinite(total) else np.inf


def _standard_errors(slopes: np.ndarray, loss: float) -> np.ndarray:
    rows, columns = slopes.shape
    norms = np.sqrt(np.sum(slopes**2, axis=0))
    norms = np.where((norms > 0) & np.isfinite(norms), norms, 1.0)
    unit = np.nan_to_num(slopes / norms, nan=0.0, posinf=0.0, neginf=0.0)
    inverse = np.linalg.pinv(unit.T @ unit, rcond=1e-14, hermitian=True)
    variance = loss / max(rows - columns, 1)
    return np.sqrt(np.maximum(np.diag(inverse), 0) * variance) / norms
