"""The step of Levenberg-Marquardt, for many problems at once and any array library.

All of nalm's nonlinear least squares share it: training with the optimizer "lm" (`jax.numpy`,
float32) and fitting (NumPy, float64). A problem has residuals `(..., rows)` and their slopes by its
parameters `(..., rows, parameters)`. Each parameter is measured in its own scale, the norm of its
slopes, so that the damping means the same for all: this is Marquardt's damping by the diagonal of
the curvature.
"""

from collections.abc import Callable
from typing import NamedTuple

from nalm._internal.types import Array, Namespace

SMALLEST = 1e-30
"""Added to scales in single precision: slopes that are all zero move nothing."""
Solve = Callable[[Array, Array], Array]
"""From matrices `(..., n, n)`, symmetric and positive definite, and vectors `(..., n)` to the
solutions of the linear systems."""


class Scaled(NamedTuple):
    """Slopes in the scale of each parameter."""

    unit: Array
    """`(..., rows, parameters)`: columns of norm 1, or 0."""
    size: Array
    """`(..., parameters)`: the norms."""


def scaled(xp: Namespace, slopes: Array, *, smallest: float = SMALLEST) -> Scaled:
    """Return slopes divided by their norms.

    Parameters
    ----------
    xp
        The namespace of the arrays.
    slopes
        `(..., rows, parameters)`.
    smallest
        Added to every norm; where it is 0, a norm of 0 counts as 1. Either way, slopes that are
        all zero stay zero.
    """
    size = xp.sqrt(xp.sum(slopes**2, axis=-2))
    size = size + smallest if smallest else xp.where(size > 0, size, 1.0)
    return Scaled(slopes / size[..., None, :], size)


class Normal(NamedTuple):
    """The normal equations of problems, in units in which the diagonal of the curvature is 1."""

    curvature: Array
    """`(..., parameters, parameters)`."""
    downhill: Array
    """`(..., parameters)`."""
    size: Array
    """`(..., parameters)`: what a step in these units is divided by."""


def normal_equations(xp: Namespace, slopes: Scaled, residuals: Array) -> Normal:
    """Return the normal equations of residuals and their scaled slopes."""
    transposed = slopes.unit.mT
    curvature = xp.matmul(transposed, slopes.unit)
    downhill = xp.matmul(transposed, residuals[..., None])[..., 0]
    return Normal(curvature, downhill, slopes.size)


def balanced(xp: Namespace, slopes: Array, residuals: Array, *, share: float) -> Normal:
    """Return the scaled normal equations of slopes that are not scaled.

    This is faster than to scale the slopes of all rows, but squares of slopes must not overflow,
    so it is for double precision.

    Parameters
    ----------
    xp
        The namespace of the arrays.
    slopes, residuals
        `(..., rows, parameters)` and `(..., rows)`.
    share
        The least norm as a share of the largest, so that what hardly matters moves no farther.
    """
    transposed = slopes.mT
    curvature = xp.matmul(transposed, slopes)
    downhill = xp.matmul(transposed, residuals[..., None])[..., 0]
    size = xp.sqrt(xp.linalg.diagonal(curvature))
    size = xp.maximum(size, share * xp.max(size, axis=-1, keepdims=True))
    size = xp.where(size > 0, size, 1.0)
    return Normal(curvature / (size[..., :, None] * size[..., None, :]), downhill / size, size)


def damped_step(xp: Namespace, normal: Normal, damping: Array, solve: Solve) -> Array:
    """Return what to subtract from the parameters `(..., parameters)`.

    Parameters
    ----------
    xp
        The namespace of the arrays.
    normal
        The scaled normal equations.
    damping
        `(...)`, at least 0: the larger it is, the shorter the step.
    solve
        How the linear systems are solved, such as by a Cholesky factorization.

    Examples
    --------
    A linear problem is solved by one step without damping.

    >>> import numpy as np
    >>> slopes = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> solve = lambda a, b: np.linalg.solve(a, b[..., None])[..., 0]
    >>> normal = normal_equations(np, scaled(np, slopes), np.array([1.0, 3.0, 5.0]))
    >>> damped_step(np, normal, np.array(0.0), solve).round(6).tolist()
    [1.0, 2.0]
    """
    count = normal.downhill.shape[-1]
    identity = xp.eye(count, dtype=normal.curvature.dtype)
    damped = normal.curvature + damping[..., None, None] * identity
    return solve(damped, normal.downhill) / normal.size


def precise_step(xp: Namespace, slopes: Scaled, residuals: Array, damping: float) -> Array:
    """Return what to subtract from the parameters of one problem.

    It is solved by an orthogonal factorization of the slopes, which is slower and has twice the
    digits of the normal equations.

    Examples
    --------
    >>> import numpy as np
    >>> slopes = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> precise_step(np, scaled(np, slopes), np.array([1.0, 3.0, 5.0]), 0.0).round(6).tolist()
    [1.0, 2.0]
    """
    count = slopes.unit.shape[1]
    damped = xp.concat([slopes.unit, damping**0.5 * xp.eye(count, dtype=slopes.unit.dtype)])
    target = xp.concat([residuals, xp.zeros(count, dtype=residuals.dtype)])
    return xp.linalg.lstsq(damped, target, rcond=None)[0] / slopes.size


def expected_decrease(xp: Namespace, normal: Normal, damping: Array, step: Array) -> Array:
    """Return by how much a step `(..., parameters)` should lower the sum of squared residuals."""
    move = step * normal.size
    return xp.sum(move * (damping[..., None] * move + normal.downhill), axis=-1)


def nielsen(xp: Namespace, damping: Array, growth: Array, ratio: Array) -> tuple[Array, Array]:
    """Return the next damping and its growth by Nielsen's rule.

    Parameters
    ----------
    xp
        The namespace of the arrays.
    damping, growth
        Those of the step; growth begins at 2.
    ratio
        The decrease of the sum of squares over the expected one; not above 0 if the step was not
        taken.
    """
    taken = ratio > 0
    eased = damping * xp.maximum(1 / 9, 1 - (2 * xp.clip(ratio, 0, 1) - 1) ** 3)
    return xp.where(taken, eased, damping * growth), xp.where(taken, 2.0, 2 * growth)
