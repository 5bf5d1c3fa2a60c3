"""A polynomial of a few columns as a smooth model of noisy results."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from nalm.fitting.search.symmetry.gaussian_process import Coordinates

DEGREES = {
    1: (2, 3, 4, 6, 8, 11, 15, 20), 2: (2, 3, 4, 6, 8, 10), 3: (2, 3, 4, 6), 4: (2, 3, 4),
    5: (2, 3), 6: (2, 3), 7: (2,), 8: (2,), 9: (2,),
}  # fmt: skip
"""The degrees that are tried, by the number of columns."""
ROWS_PER_TERM = 5


@dataclass(frozen=True)
class Smooth:
    """A polynomial that was fitted to rows."""

    values: np.ndarray
    error: float
    """The root of the mean squared error, weighted, of a row that it was not fitted to."""
    slopes: np.ndarray
    """The slope by each column at each row."""


def smooth(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Smooth | None:
    """Return the polynomial that expects rows best which it has not seen; None if there is none.

    >>> x = np.linspace(0, 3, 200)[:, None]
    >>> y = np.exp(-x[:, 0]) + np.random.default_rng(0).normal(0, 0.1, 200)
    >>> model = smooth(x, y, np.ones(200))
    >>> bool(np.sqrt(np.mean((model.values - np.exp(-x[:, 0])) ** 2)) < 0.03)
    True
    """
    good = np.isfinite(y) & np.isfinite(weight) & (weight > 0) & np.all(np.isfinite(x), axis=1)
    if not np.all(good) or not np.all(np.ptp(x, axis=0) > 0):
        return None
    coordinates = Coordinates.of(x)
    u = coordinates.u
    low, span = u.min(axis=0), np.ptp(u, axis=0)
    scaled = 2 * (u - low) / span - 1
    root = np.sqrt(weight / np.mean(weight))
    best: tuple[float, int, np.ndarray] | None = None
    for degree in DEGREES.get(x.shape[1], ()):
        powers = _powers(x.shape[1], degree)
        if len(powers) * ROWS_PER_TERM > len(y):
            break
        basis, triangle = np.linalg.qr(_features(scaled, powers) * root[:, None])
        along = basis.T @ (y * root)
        unseen = np.maximum(1 - np.sum(basis**2, axis=1), 1e-3)
        error = float(np.sqrt(np.mean(((y * root - basis @ along) / unseen) ** 2)))
        if np.min(np.abs(np.diag(triangle))) < 1e-9 * np.max(np.abs(np.diag(triangle))):
            break
        if best is None or error < best[0]:
            best = error, degree, np.linalg.solve(triangle, along)
    if best is None:
        return None
    error, degree, weights = best
    powers = _powers(x.shape[1], degree)
    by_scaled = np.column_stack([f @ weights for f in _derivatives(scaled, powers)])
    by_column = coordinates.by_column(by_scaled * 2 / span, x)
    return Smooth(_features(scaled, powers) @ weights, error, by_column)


def _powers(columns: int, degree: int) -> list[tuple[int, ...]]:
    return [p for p in product(range(degree + 1), repeat=columns) if sum(p) <= degree]


def _features(u: np.ndarray, powers: list[tuple[int, ...]]) -> np.ndarray:
    """Return products of Legendre polynomials."""
    degree = max(map(max, powers))
    return _joined([np.polynomial.legendre.legvander(c, degree) for c in u.T], powers)


def _derivatives(u: np.ndarray, powers: list[tuple[int, ...]]) -> Iterator[np.ndarray]:
    """Yield the slopes of the same products by each column."""
    degree = max(map(max, powers))
    single = [np.polynomial.legendre.legvander(c, degree) for c in u.T]
    lower = np.polynomial.legendre.legder(np.eye(degree + 1))
    for k in range(u.shape[1]):
        yield _joined(
            [v[:, : len(lower)] @ lower if j == k else v for j, v in enumerate(single)], powers
        )


def _joined(single: list[np.ndarray], powers: list[tuple[int, ...]]) -> np.ndarray:
    joined = np.ones((len(single[0]), len(powers)))
    for column, chosen in zip(single, np.array(powers).T, strict=True):
        joined *= column[:, chosen]
    return joined
