"""Levenberg-Marquardt from many starts at once."""

from collections.abc import Callable

import numpy as np

Model = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From parameters `(starts, parameters)` to residuals `(starts, rows)` and their slopes
`(starts, rows, parameters)`."""
LOWEST, HIGHEST = 1e-18, 1e10


def minimise(
    model: Model, start: np.ndarray, steps: int, small: float, stop: Callable[[], bool]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the parameters each start ends at and their mean squared residuals, best first.

    A start leaves when its loss is below `small` or no longer falls. The damping is scaled by the
    curvature's diagonal and follows Nielsen's rule.
    """
    theta = start.copy()
    off, slopes = model(theta)
    loss = _loss(off)
    damping = np.full(len(theta), 1e-2)
    growth = np.full(len(theta), 2.0)
    stalled = np.zeros(len(theta), int)
    active = np.flatnonzero(np.isfinite(loss))
    off, slopes = off[active], slopes[active]
    for _ in range(steps):
        if not len(active) or stop():
            break
        move, expected = _step(slopes, off, damping[active])
        trial = theta[active] + move
        trial_off, trial_slopes = model(trial)
        trial_loss = _loss(trial_off)
        with np.errstate(all="ignore"):
            ratio = (loss[active] - trial_loss) / expected
        better = trial_loss < loss[active]
        which = active[better]
        gain = 1 - trial_loss[better] / np.maximum(loss[which], 1e-300)
        stalled[active] += 1
        stalled[which] = np.where(gain > 1e-3, 0, stalled[which])
        theta[which], loss[which] = trial[better], trial_loss[better]
        off[better], slopes[better] = trial_off[better], trial_slopes[better]
        factor = np.maximum(1 / 9, 1 - (2 * np.clip(ratio[better], 0, 1) - 1) ** 3)
        damping[which] = np.maximum(damping[which] * factor, LOWEST)
        growth[which] = 2
        worse = active[~better]
        damping[worse] *= growth[worse]
        growth[worse] *= 2
        going = (loss[active] > small) & (stalled[active] < 12) & (damping[active] < HIGHEST)
        active, off, slopes = active[going], off[going], slopes[going]
        if np.any(loss <= small):
            break
    order = np.argsort(loss, kind="stable")
    return theta[order], loss[order]


def _loss(off: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        loss = np.mean(off**2, axis=1)
    return np.where(np.isfinite(loss), loss, np.inf)


def _step(
    slopes: np.ndarray, off: np.ndarray, damping: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the damped steps and by how much the mean squares should fall."""
    transposed = slopes.transpose(0, 2, 1)
    curvature = transposed @ slopes
    downhill = (transposed @ off[:, :, None])[:, :, 0]
    diagonal = np.einsum("bpp->bp", curvature).copy()
    largest = np.max(diagonal, axis=1, keepdims=True, initial=0.0)
    diagonal = np.maximum(diagonal, 1e-14 * largest + 1e-300)
    index = np.arange(slopes.shape[2])
    curvature[:, index, index] += damping[:, None] * diagonal
    finite = np.all(np.isfinite(curvature), axis=(1, 2)) & np.all(np.isfinite(downhill), axis=1)
    curvature[~finite] = np.eye(len(index))
    downhill = np.where(finite[:, None], downhill, 0.0)
    try:
        move = -np.linalg.solve(curvature, downhill[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        curvature[:, index, index] += 1e-10 * largest
        move = -np.linalg.pinv(curvature) @ downhill[:, :, None]
        move = move[:, :, 0]
    expected = np.sum(move * (damping[:, None] * diagonal * move - downhill), axis=1)
    return move, expected / off.shape[1]
