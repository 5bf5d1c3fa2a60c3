"""Nonlinear least squares from many starts at once: Levenberg-Marquardt with Nielsen's damping."""

from collections.abc import Callable

import numpy as np

from nalm._internal.least_squares import balanced, damped_step, expected_decrease, nielsen

Model = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From parameters `(starts, parameters)` to residuals `(starts, rows)` and their slopes
`(starts, rows, parameters)`."""
FIRST, LOWEST, HIGHEST = 1e-2, 1e-18, 1e10
"""The damping at the start, and between which values it stays."""
SHARE = 1e-7
"""The least scale of a parameter, as a share of the largest."""
STALLED, GAIN = 12, 1e-3
"""A start leaves after so many steps that did not lower its loss by this share."""


def minimize(
    model: Model, start: np.ndarray, steps: int, small: float, stop: Callable[[], bool]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the parameters each start ends at and their mean squared residuals, best first.

    A start leaves when its loss is below `small` or no longer falls; the first whose loss is
    below it ends the search.
    """
    theta = start.copy()
    residuals, slopes = model(theta)
    loss = _loss(residuals)
    damping = np.full(len(theta), FIRST)
    growth = np.full(len(theta), 2.0)
    stalled = np.zeros(len(theta), int)
    active = np.flatnonzero(np.isfinite(loss))
    residuals, slopes = residuals[active], slopes[active]
    for _ in range(steps):
        if not len(active) or stop():
            break
        step, expected = _step(slopes, residuals, damping[active])
        trial = theta[active] - step
        trial_residuals, trial_slopes = model(trial)
        trial_loss = _loss(trial_residuals)
        better = trial_loss < loss[active]
        with np.errstate(all="ignore"):
            ratio = np.where(better, np.fmax((loss[active] - trial_loss) / expected, 1e-300), 0.0)
        next_damping, growth[active] = nielsen(np, damping[active], growth[active], ratio)
        damping[active] = np.maximum(next_damping, LOWEST)
        which = active[better]
        gain = 1 - trial_loss[better] / np.maximum(loss[which], 1e-300)
        stalled[active] += 1
        stalled[which] = np.where(gain > GAIN, 0, stalled[which])
        theta[which], loss[which] = trial[better], trial_loss[better]
        residuals[better], slopes[better] = trial_residuals[better], trial_slopes[better]
        going = (loss[active] > small) & (stalled[active] < STALLED) & (damping[active] < HIGHEST)
        active, residuals, slopes = active[going], residuals[going], slopes[going]
        if np.any(loss <= small):
            break
    order = np.argsort(loss, kind="stable")
    return theta[order], loss[order]


def _loss(residuals: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        loss = np.mean(residuals**2, axis=1)
    return np.where(np.isfinite(loss), loss, np.inf)


def _step(
    slopes: np.ndarray, residuals: np.ndarray, damping: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what to subtract, and by how much the mean squares should fall."""
    with np.errstate(all="ignore"):
        normal = balanced(np, slopes, residuals, share=SHARE)
        step = damped_step(np, normal, damping, _solve)
        return step, expected_decrease(np, normal, damping, step) / residuals.shape[1]


def _solve(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return the solutions of linear systems; 0 where a system is not finite."""
    identity = np.eye(vector.shape[1])
    finite = np.all(np.isfinite(matrix), axis=(1, 2)) & np.all(np.isfinite(vector), axis=1)
    if not finite.all():
        matrix = np.where(finite[:, None, None], matrix, identity)
        vector = np.where(finite[:, None], vector, 0.0)
    try:
        return np.linalg.solve(matrix, vector[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(matrix + 1e-10 * identity)
        return (inverse @ vector[:, :, None])[:, :, 0]
