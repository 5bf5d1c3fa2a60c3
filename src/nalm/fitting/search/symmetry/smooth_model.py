"""A smooth model of a table, for the slopes of its law: a quadratic and a Gaussian process."""

from dataclasses import dataclass

import numpy as np

LEARN, SOLVE, SLOPES = 300, 1000, 400
"""How many rows lengths are learnt on, the model is solved on, and slopes are taken at."""
STEPS = 40
NUGGET = 1e-10, 1e-1
"""Between which values the share of noise in the rest of the quadratic lies."""
LENGTH = 0.05, 200.0
"""Between which values a length lies, in standard deviations of its column."""
ROUGH = 1e-3
"""The nugget above which a second start with shorter lengths is tried."""
CLOSE = 2e-3
"""The error, as a share of the spread, below which the logarithm of the result is modelled."""
POSITIVE = 0.05
"""The least share of its largest value that a column has whose logarithm is taken."""


@dataclass(frozen=True)
class Slopes:
    """The result and its slopes at some rows, as the model sees them."""

    x: np.ndarray
    """The columns at these rows."""
    y: np.ndarray
    """The result at these rows."""
    by_column: np.ndarray
    """Slopes of the result, or of its logarithm, by each column."""
    logarithmic: bool
    """Whether they are slopes of the logarithm of the result."""
    error: float
    """The error of the model on a row it has not seen, as a share of the spread."""


def slopes(x: np.ndarray, y: np.ndarray) -> Slopes | None:
    """Return slopes of the law of a table; None if there is no smooth model of it."""
    best = None
    if np.all(y > 0) or np.all(y < 0):
        best = _modelled(x, y, np.log(np.abs(y)), logarithmic=True)
    if best is None or best.error > CLOSE:
        raw = _modelled(x, y, y, logarithmic=False)
        if best is None or (raw is not None and raw.error < best.error):
            best = raw
    return best


def _modelled(x: np.ndarray, y: np.ndarray, target: np.ndarray, logarithmic: bool) -> Slopes | None:
    finite = np.all(np.isfinite(x), axis=1) & np.isfinite(target)
    x, y, target = x[finite][:SOLVE], y[finite][:SOLVE], target[finite][:SOLVE]
    if len(y) < 30 or not np.ptp(target) or not np.all(np.ptp(x, axis=0)):
        return None
    in_log = np.min(x, axis=0) > POSITIVE * np.max(x, axis=0)
    with np.errstate(all="ignore"):
        coordinates = np.where(in_log, np.log(np.where(in_log, x, 1.0)), x)
    middle, spread = coordinates.mean(axis=0), coordinates.std(axis=0)
    u = (coordinates - middle) / spread
    offset, scale = float(target.mean()), float(target.std())
    try:
        process = _Process.fitted(u, (target - offset) / scale)
    except np.linalg.LinAlgError:
        return None
    chosen = process.surest(SLOPES)
    by_coordinate = process.slopes(u[chosen]) * scale / spread
    by_column = np.where(in_log, by_coordinate / x[chosen], by_coordinate)
    return Slopes(x[chosen], y[chosen], by_column, logarithmic, process.error)


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
    def fitted(cls, u: np.ndarray, target: np.ndarray) -> "_Process":
        from scipy.linalg import cho_factor, cho_solve

        features = _quadratic(u)
        quadratic = np.linalg.lstsq(features, target, rcond=None)[0]
        rest = target - features @ quadratic
        lengths, nugget = _learnt(u[:LEARN], rest[:LEARN])
        covariance = _kernel(u, u, lengths)
        covariance[np.diag_indices(len(u))] += nugget
        inverse = cho_solve(cho_factor(covariance, lower=True), np.eye(len(u)))
        weights, precision = inverse @ rest, np.diag(inverse)
        error = float(np.sqrt(np.mean((weights / precision) ** 2)))
        return cls(u, quadratic, lengths, weights, precision, error)

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


def _quadratic(u: np.ndarray) -> np.ndarray:
    i, j = np.triu_indices(u.shape[1])
    return np.column_stack([np.ones(len(u)), u, u[:, i] * u[:, j]])


def _kernel(a: np.ndarray, b: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    a, b = a / lengths, b / lengths
    square = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1) - 2 * (a @ b.T)
    return np.exp(-0.5 * np.maximum(square, 0.0))


def _learnt(u: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the lengths and the nugget under which the rest is most probable."""
    from scipy.optimize import minimize

    inputs = u.shape[1]
    scale = float(np.sqrt(np.mean(rest**2))) or 1.0
    limits = [np.log(LENGTH)] * inputs + [np.log(NUGGET)]
    best = None
    for length in (1.5, 0.3):
        start = np.full(inputs + 1, np.log(length * np.sqrt(inputs)))
        start[-1] = np.log(1e-6)
        found = minimize(
            _improbability, start, (u, rest / scale), jac=True, method="L-BFGS-B", bounds=limits,
            options={"maxiter": STEPS, "maxfun": 2 * STEPS},
        )  # fmt: skip
        if best is None or found.fun < best.fun:
            best = found
        if np.exp(best.x[-1]) < ROUGH:
            break
    assert best is not None
    return np.exp(best.x[:-1]), float(np.exp(best.x[-1]))


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
