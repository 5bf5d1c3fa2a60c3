"""A smooth model of rows: a quadratic in the columns and a Gaussian process for what it leaves."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nalm._internal.threads import one_thread

TRIED, STEPS = 14, 26
"""How many steps each start takes, and how many more the best of them."""
NUGGET = 1e-10, 1e-1
"""Between which values the share of noise in the rest of the quadratic lies."""
LENGTH = 0.05, 200.0
"""Between which values a length lies, in standard deviations of its column."""
STARTS = (1.5, 1e-6), (1.5, 3e-2), (0.4, 1e-6)
"""Lengths, over the root of the number of columns, and nuggets: without noise, with it, rough."""
SMOOTH = 1e-4
"""The nugget below which, with lengths above 1, no other start is tried."""
POSITIVE = 0.05
"""The share of its largest value above which the logarithm of a column is taken.

It is also taken of other positive columns where it is less skewed: of products and quotients.
"""


def standard(target: np.ndarray) -> np.ndarray:
    """Return a target with mean 0 and variance 1."""
    return (target - target.mean()) / (target.std() or 1.0)


def _skewness(x: np.ndarray) -> np.ndarray:
    """Return the size of the third moment of each column in standard units."""
    centred = x - x.mean(axis=0)
    return np.abs(np.mean(centred**3, axis=0)) / np.mean(centred**2, axis=0) ** 1.5


@dataclass(frozen=True)
class Coordinates:
    """The columns, or their logarithms, in standard units."""

    u: np.ndarray
    in_log: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray) -> "Coordinates":
        """Return the coordinates of columns."""
        lowest = np.min(x, axis=0)
        in_log = lowest > POSITIVE * np.max(x, axis=0)
        with np.errstate(all="ignore"):
            in_log |= (lowest > 0) & (_skewness(np.log(x)) < _skewness(x))
        values = np.where(in_log, np.log(np.where(in_log, x, 1.0)), x)
        spread = values.std(axis=0)
        return cls((values - values.mean(axis=0)) / spread, in_log, spread)

    def by_column(self, by_coordinate: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return slopes by the columns from those by the coordinates."""
        return by_coordinate / self.spread / np.where(self.in_log, x, 1.0)


@dataclass(frozen=True)
class Process:
    """A quadratic in the coordinates, and a Gaussian process for what it leaves."""

    u: np.ndarray
    quadratic: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    precision: np.ndarray
    """The inverse variance of each row given all others."""
    error: float

    @classmethod
    def fitted(cls, u: np.ndarray, target: np.ndarray, kernel: "Kernel") -> "Process":
        """Return the model of some rows."""
        quadratic, rest = _quadratic_fit(u, target)
        weights, precision = kernel.solved(u, rest)
        error = float(np.sqrt(np.mean((weights / precision) ** 2)))
        return cls(u, quadratic, kernel.lengths, weights, precision, error)

    def surprises(self) -> np.ndarray:
        """Return by how much each row differs from what the others say, over its uncertainty."""
        return self.weights / np.sqrt(self.precision)

    def values(self, u: np.ndarray) -> np.ndarray:
        """Return what the model says of any rows."""
        return _quadratic(u) @ self.quadratic + _kernel(u, self.u, self.lengths) @ self.weights

    def surest(self, count: int) -> np.ndarray:
        """Return the rows that the others determine best."""
        return np.sort(np.argsort(-self.precision, kind="stable")[:count])

    def slopes(self, u: np.ndarray) -> np.ndarray:
        """Return the slopes by each coordinate at any rows."""
        kernel = _kernel(u, self.u, self.lengths) * self.weights
        rough = (kernel @ self.u - kernel.sum(axis=1)[:, None] * u) / self.lengths**2
        inputs = u.shape[1]
        linear = self.quadratic[1 : 1 + inputs]
        square = np.zeros((inputs, inputs))
        square[np.triu_indices(inputs)] = self.quadratic[1 + inputs :]
        return rough + linear + u @ (square + square.T)


@dataclass(frozen=True)
class Kernel:
    """Lengths and a nugget, and the error they leave on rows that were left out."""

    lengths: np.ndarray
    nugget: float
    error: float = np.inf

    def solved(self, u: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of rows, and the inverse variance of each given the others."""
        covariance = _kernel(u, u, self.lengths)
        covariance[np.diag_indices(len(u))] += self.nugget
        _, inverse = _size_and_inverse(covariance)
        return inverse @ rest, np.diag(inverse)


def _quadratic_fit(u: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    features = _quadratic(u)
    quadratic = np.linalg.lstsq(features, target, rcond=None)[0]
    return quadratic, target - features @ quadratic


def _quadratic(u: np.ndarray) -> np.ndarray:
    i, j = np.triu_indices(u.shape[1])
    return np.column_stack([np.ones(len(u)), u, u[:, i] * u[:, j]])


def _kernel(a: np.ndarray, b: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    a, b = a / lengths, b / lengths
    square = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1) - 2 * (a @ b.T)
    return np.exp(-0.5 * np.maximum(square, 0.0))


def _size_and_inverse(covariance: np.ndarray) -> tuple[float, np.ndarray]:
    """Return half the logarithm of the determinant, and the inverse; raise if there is none.

    The covariance is overwritten.
    """
    from scipy.linalg import lapack

    with one_thread():  # SciPy brings a library of its own
        factor, wrong = lapack.dpotrf(covariance.T, lower=1, overwrite_a=1)  # pyright: ignore[reportAttributeAccessIssue]
        if wrong:
            raise np.linalg.LinAlgError("The covariance is not positive definite.")
        size = float(np.sum(np.log(np.diag(factor))))
        lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)  # pyright: ignore[reportAttributeAccessIssue]
    inverse = lower + lower.T
    inverse[np.diag_indices(len(inverse))] /= 2
    return size, inverse


def learnt_kernel(u: np.ndarray, target: np.ndarray) -> Kernel | None:
    """Return the lengths and the nugget under which what a quadratic leaves is most probable."""
    from scipy.optimize import minimize

    inputs = u.shape[1]
    _, rest = _quadratic_fit(u, target)
    scale = float(np.sqrt(np.mean(rest**2))) or 1.0
    limits = [np.log(LENGTH)] * inputs + [np.log(NUGGET)]

    def improved(start: np.ndarray, steps: int) -> Any:
        return minimize(
            _improbability, start, (u, rest / scale), jac=True, method="L-BFGS-B", bounds=limits,
            options={"maxiter": steps, "maxfun": steps},
        )  # fmt: skip

    best = None
    for length, nugget in STARTS:
        start = np.full(inputs + 1, np.log(length * np.sqrt(inputs)))
        start[-1] = np.log(nugget)
        found = improved(start, TRIED)
        if best is None or found.fun < best.fun:
            best = found
        if np.exp(best.x[-1]) < SMOOTH and np.all(best.x[:-1] > 0):
            break
    assert best is not None
    best = improved(best.x, STEPS)
    kernel = Kernel(np.exp(best.x[:-1]), float(np.exp(best.x[-1])))
    try:
        weights, precision = kernel.solved(u, rest)
    except np.linalg.LinAlgError:
        return None
    return replace(kernel, error=float(np.sqrt(np.mean((weights / precision) ** 2))))


def _improbability(logs: np.ndarray, u: np.ndarray, rest: np.ndarray) -> tuple[float, np.ndarray]:
    """Return minus the logarithm of the likelihood, and its slopes."""
    lengths, nugget = np.exp(logs[:-1]), float(np.exp(logs[-1]))
    rows = len(u)
    kernel = _kernel(u, u, lengths)
    covariance = kernel.copy()
    covariance[np.diag_indices(rows)] += nugget
    try:
        size, inverse = _size_and_inverse(covariance)
    except np.linalg.LinAlgError:
        return 1e10, np.zeros(len(logs))
    weights = inverse @ rest
    variance = max(float(rest @ weights) / rows, 1e-300)
    value = 0.5 * rows * np.log(variance) + size
    slope = inverse - np.outer(weights, weights) / variance
    inner = slope * kernel
    scaled = u / lengths
    by_length = inner.sum(axis=1) @ scaled**2 - np.sum(scaled * (inner @ scaled), axis=0)
    return value, np.append(by_length, 0.5 * nugget * np.trace(slope))
