"""A smooth model of a table, for the slopes of its law: a quadratic and a Gaussian process."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

LEARN, SOLVE, SLOPES = 300, 1000, 400
"""How many rows lengths are learnt on, the model is solved on, and slopes are taken at."""
FEWEST = 30
"""The fewest rows that are modelled."""
STEPS = 40
NUGGET = 1e-10, 1e-1
"""Between which values the share of noise in the rest of the quadratic lies."""
LENGTH = 0.05, 200.0
"""Between which values a length lies, in standard deviations of its column."""
STARTS = (1.5, 1e-6), (1.5, 3e-2), (0.4, 1e-6)
"""Lengths, over the root of the number of columns, and nuggets: without noise, with it, rough."""
SMOOTH = 1e-4
"""The nugget below which, with lengths above 1, no other start is tried."""
CLOSE = 2e-3
"""The error, as a share of the spread, below which the logarithm of the result is modelled."""
BETTER = 0.7
"""The share of the error of one scale below which another is taken instead."""
POSITIVE = 0.05
"""The least share of its largest value that a column has whose logarithm is taken."""


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
    coordinates = _Coordinates.of(x)
    if not np.all(np.isfinite(coordinates.u)):
        return None
    best: tuple[float, _Scale, _Kernel] | None = None
    for scale in _scales(y):
        if not np.all(np.isfinite(scale.target)) or not np.ptp(scale.target[:LEARN]):
            continue
        learnt = _learnt(coordinates.u[:LEARN], _standard(scale.target[:LEARN]))
        if learnt is not None and (best is None or learnt.error < BETTER * best[0]):
            best = (learnt.error, scale, learnt)
        if best is not None and best[0] < CLOSE:
            break
    if best is None:
        return None
    _, scale, learnt = best
    try:
        process = _Process.fitted(coordinates.u, _standard(scale.target), learnt)
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


def _standard(target: np.ndarray) -> np.ndarray:
    return (target - target.mean()) / (target.std() or 1.0)


@dataclass(frozen=True)
class _Coordinates:
    """The columns, or their logarithms, in standard units."""

    u: np.ndarray
    in_log: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray) -> "_Coordinates":
        in_log = np.min(x, axis=0) > POSITIVE * np.max(x, axis=0)
        values = np.where(in_log, np.log(np.where(in_log, x, 1.0)), x)
        spread = values.std(axis=0)
        return cls((values - values.mean(axis=0)) / spread, in_log, spread)

    def by_column(self, by_coordinate: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return slopes by the columns from those by the coordinates."""
        return by_coordinate / self.spread / np.where(self.in_log, x, 1.0)


@dataclass(frozen=True)
class _Process:
    """A quadratic in the coordinates, and a Gaussian process for what it leaves."""

    u: np.ndarray
    quadratic: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray
    precision: np.ndarray
    """The inverse variance of each row given all others."""
    error: float

    @classmethod
    def fitted(cls, u: np.ndarray, target: np.ndarray, kernel: "_Kernel") -> "_Process":
        quadratic, rest = _quadratic_fit(u, target)
        weights, precision = kernel.solved(u, rest)
        error = float(np.sqrt(np.mean((weights / precision) ** 2)))
        return cls(u, quadratic, kernel.lengths, weights, precision, error)

    def surest(self, count: int) -> np.ndarray:
        """Return the rows that the others determine best."""
        return np.sort(np.argsort(-self.precision, kind="stable")[:count])

    def slopes(self, u: np.ndarray) -> np.ndarray:
        kernel = _kernel(u, self.u, self.lengths) * self.weights
        rough = (kernel @ self.u - kernel.sum(axis=1)[:, None] * u) / self.lengths**2
        inputs = u.shape[1]
        linear = self.quadratic[1 : 1 + inputs]
        square = np.zeros((inputs, inputs))
        square[np.triu_indices(inputs)] = self.quadratic[1 + inputs :]
        return rough + linear + u @ (square + square.T)


@dataclass(frozen=True)
class _Kernel:
    """Lengths and a nugget, and the error they leave on rows that were left out."""

    lengths: np.ndarray
    nugget: float
    error: float = np.inf

    def solved(self, u: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of rows, and the inverse variance of each given the others."""
        from scipy.linalg import cho_factor, cho_solve

        covariance = _kernel(u, u, self.lengths)
        covariance[np.diag_indices(len(u))] += self.nugget
        inverse = cho_solve(cho_factor(covariance, lower=True), np.eye(len(u)))
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


def _learnt(u: np.ndarray, target: np.ndarray) -> _Kernel | None:
    """Return the lengths and the nugget under which what a quadratic leaves is most probable."""
    from scipy.optimize import minimize

    inputs = u.shape[1]
    _, rest = _quadratic_fit(u, target)
    scale = float(np.sqrt(np.mean(rest**2))) or 1.0
    limits = [np.log(LENGTH)] * inputs + [np.log(NUGGET)]
    best = None
    for length, nugget in STARTS:
        start = np.full(inputs + 1, np.log(length * np.sqrt(inputs)))
        start[-1] = np.log(nugget)
        found = minimize(
            _improbability, start, (u, rest / scale), jac=True, method="L-BFGS-B", bounds=limits,
            options={"maxiter": STEPS, "maxfun": STEPS},
        )  # fmt: skip
        if best is None or found.fun < best.fun:
            best = found
        if np.exp(best.x[-1]) < SMOOTH and np.all(best.x[:-1] > 0):
            break
    assert best is not None
    kernel = _Kernel(np.exp(best.x[:-1]), float(np.exp(best.x[-1])))
    try:
        weights, precision = kernel.solved(u, rest)
    except np.linalg.LinAlgError:
        return None
    return replace(kernel, error=float(np.sqrt(np.mean((weights / precision) ** 2))))


def _improbability(logs: np.ndarray, u: np.ndarray, rest: np.ndarray) -> tuple[float, np.ndarray]:
    """Return minus the logarithm of the likelihood, and its slopes."""
    from scipy.linalg import cho_factor, cho_solve

    lengths, nugget = np.exp(logs[:-1]), float(np.exp(logs[-1]))
    rows = len(u)
    kernel = _kernel(u, u, lengths)
    covariance = kernel.copy()
    covariance[np.diag_indices(rows)] += nugget
    try:
        factor = cho_factor(covariance, lower=True)
    except np.linalg.LinAlgError:
        return 1e10, np.zeros(len(logs))
    inverse = cho_solve(factor, np.eye(rows))
    weights = inverse @ rest
    variance = max(float(rest @ weights) / rows, 1e-300)
    value = 0.5 * rows * np.log(variance) + float(np.sum(np.log(np.diag(factor[0]))))
    slope = inverse - np.outer(weights, weights) / variance
    inner = slope * kernel
    scaled = u / lengths
    by_length = inner.sum(axis=1) @ scaled**2 - np.sum(scaled * (inner @ scaled), axis=0)
    return value, np.append(by_length, 0.5 * nugget * np.trace(slope))
