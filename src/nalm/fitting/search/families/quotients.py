"""Quotients of polynomials: the vector `(p, q)` with `p·Φ(x) = y q·Φ(x)`, made sparse."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from nalm.fitting.evidence.assess import coarseness
from nalm.fitting.evidence.exact_numbers import near_exact, simplest
from nalm.fitting.rows import Rows
from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.search.monomials import (
    Powers,
    columns,
    polynomial,
    polynomial_size,
    tree_of,
)
from nalm.fitting.tree import ONE, ZERO, Number, PowerProduct, Tree, WeightedSum, power_of
from nalm.fitting.tree.number import exact_bits

DEGREES = (
    ((2, 0), (2, 0)), ((1, 1), (1, 1)), ((2, 1), (1, 1)), ((1, 2), (1, 1)), ((2, 2), (1, 1)),
    ((2, 1), (2, 2)), ((1, 2), (2, 2)), ((2, 2), (2, 2)), ((3, 0), (1, 0)), ((3, 1), (1, 1)),
    ((3, 2), (1, 1)), ((3, 3), (1, 1)), ((3, 0), (3, 0)), ((4, 1), (1, 1)), ((4, 2), (1, 1)),
    ((4, 3), (1, 1)), ((3, 4), (1, 1)), ((4, 4), (1, 1)), ((3, 2), (1, 2)), ((3, 1), (3, 1)),
    ((1, 3), (1, 3)), ((3, 2), (3, 2)), ((2, 3), (2, 3)), ((3, 3), (3, 3)), ((5, 4), (1, 1)),
    ((4, 0), (4, 0)), ((4, 1), (4, 1)), ((4, 2), (4, 2)), ((6, 2), (2, 2)),
)  # fmt: skip
"""Degrees of numerator and denominator, and the highest power of an input in each."""
MOST = 400
"""The most columns."""
LARGE, HOPELESS = 150, 0.1
"""With more columns than this, a quotient that leaves more than this share is given up."""
PASSES = 3
"""How often rows are weighted anew by the denominator."""
FEW = 30
"""The most terms for which the simplest common unit is looked for."""
PLAIN, NOT_EXACT = 1e-6, 30.0
"""How near an exact number a ratio must be, as a share of it, and the bits of one that is not."""
ROOTS = ((ONE, ONE), (Fraction(2), Fraction(1, 2)))
"""Powers of the result that may be a quotient, and what undoes each."""


@dataclass(frozen=True)
class Quotients(Family):
    """Quotients of two polynomials, or the root of one."""

    settle: bool = False
    """Whether the best formulas found so far are settled after it, exact or not."""

    name = "quotients of polynomials"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        yield Stage(self.name, quotients(problem.rows, problem.epsilon), settle=self.settle)


Degrees = Sequence[tuple[tuple[int, int], tuple[int, int]]]


def quotients(rows: Rows, epsilon: float, degrees: Degrees = DEGREES) -> Iterator[Tree]:
    """Yield a sparse quotient of polynomials for each pair of degrees that the rows can decide."""
    if not np.any(rows.y):
        return
    for (above, below), (highest, lowest) in degrees:
        inputs = rows.x.shape[1]
        terms = polynomial_size(inputs, above, highest) + polynomial_size(inputs, below, lowest)
        if terms > min(MOST, 0.8 * len(rows)):
            continue
        p, q = polynomial(inputs, above, highest), polynomial(inputs, below, lowest)
        above_columns, below_columns = columns(rows.x, p), columns(rows.x, q)
        for power, undo in ROOTS:
            if power != 1 and np.any(rows.y < 0):
                continue
            raised = replace(rows, y=rows.y ** int(power))
            found = _Quotient(raised, p, q, above_columns, below_columns, epsilon).sparse()
            if found is not None:
                yield power_of(found, undo)


@dataclass(frozen=True)
class _Solved:
    kept: np.ndarray
    sizes: np.ndarray
    """How much each kept column matters."""
    full: np.ndarray
    """The weights of all columns; 0 for those left out."""
    score: float


@dataclass(frozen=True)
class _Quotient:
    rows: Rows
    p: list[Powers]
    q: list[Powers]
    above: np.ndarray
    """The monomials of the numerator, a column each."""
    below: np.ndarray
    epsilon: float

    def sparse(self) -> Tree | None:
        """Return the quotient with the terms that matter."""
        rows = self.rows
        matrix = np.column_stack([self.above, -rows.y[:, None] * self.below])
        if not np.all(np.isfinite(matrix)):
            return None
        magnitude = np.abs(rows.y) + 1e-300
        root = np.sqrt(rows.weight) / np.maximum(magnitude, np.median(magnitude) * 1e-3)
        kept, full = np.arange(matrix.shape[1]), np.zeros(matrix.shape[1])
        for _ in range(PASSES):
            found = self._eliminated(matrix * root[:, None], kept)
            if found is None:
                return None
            kept, full = found
            denominator = self.below @ full[len(self.p) :]
            if np.any(denominator == 0) or not np.all(np.isfinite(denominator)):
                return None
            root = np.sqrt(rows.weight) / np.abs(denominator)
        return self._tree(full)

    def _solved(self, triangle: np.ndarray, norms: np.ndarray, kept: np.ndarray) -> "_Solved":
        """Return the weights of the kept columns, and how good they are."""
        scaled = _null(triangle[:, kept])
        full = np.zeros(len(norms))
        full[kept] = scaled / norms[kept]
        return _Solved(kept, np.abs(scaled), full, self._score(full))

    def _eliminated(
        self, weighted: np.ndarray, kept: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Leave out columns while the shorter description outweighs the larger residual."""
        norms = np.sqrt(np.sum(weighted**2, axis=0))
        norms = np.where(norms > 0, norms, 1.0)
        triangle = np.asarray(np.linalg.qr(weighted / norms, mode="r"))
        best = self._solved(triangle, norms, kept)
        if len(kept) > LARGE and self._rms(best.full) > HOPELESS * float(np.std(self.rows.y)):
            return None
        while len(best.kept) > 2:
            shorter = self._shorter(best, triangle, norms)
            if shorter is None:
                break
            best = shorter
        return (best.kept, best.full) if np.isfinite(best.score) else None

    def _shorter(
        self, best: "_Solved", triangle: np.ndarray, norms: np.ndarray
    ) -> "_Solved | None":
        """Return a better one with the least weights left out: half of them, a quarter, … one."""
        order = np.argsort(best.sizes, kind="stable")
        fewer_by = len(order) // 2
        while fewer_by:
            fewer = np.sort(best.kept[order[fewer_by:]])
            if np.any(fewer >= len(self.p)) and np.any(fewer < len(self.p)):
                trial = self._solved(triangle, norms, fewer)
                if trial.score <= best.score:
                    return trial
            fewer_by //= 2
        return None

    def _score(self, full: np.ndarray) -> float:
        """Return a description length: residuals of y, and some bits a term."""
        p, q = full[: len(self.p)], full[len(self.p) :]
        with np.errstate(all="ignore"):
            denominator = self.below @ q
            value = (self.above @ p) / denominator
            spread = np.abs(self.above) @ np.abs(p) + np.abs(value) * (
                np.abs(self.below) @ np.abs(q)
            )
            rounding = 4 * self.epsilon * spread / np.abs(denominator)
        residual = value - self.rows.y
        if not np.all(np.isfinite(residual)):
            return np.inf
        share = self.rows.weight / np.sum(self.rows.weight) / coarseness(rounding) ** 2
        lowest = max(
            float(np.sqrt(share @ residual**2)), float(np.sqrt(share @ rounding**2)), 1e-300
        )
        term = 4 + 0.5 * np.log2(len(residual))
        return len(residual) * float(np.log2(lowest)) + term * np.count_nonzero(full)

    def _rms(self, full: np.ndarray) -> float:
        with np.errstate(all="ignore"):
            value = (self.above @ full[: len(self.p)]) / (self.below @ full[len(self.p) :])
        residual = value - self.rows.y
        return float(np.sqrt(np.mean(residual**2))) if np.all(np.isfinite(residual)) else np.inf

    def _tree(self, full: np.ndarray) -> Tree:
        full = full / unit_of(full, full[len(self.p) :])
        above, below = _sum(self.p, full[: len(self.p)]), _sum(self.q, full[len(self.p) :])
        return above if not below.terms else PowerProduct(((above, ONE), (below, -ONE)))


def unit_of(weights: np.ndarray, candidates: np.ndarray) -> float:
    """Return the candidate in whose units the weights are the simplest numbers."""
    present, units = weights[weights != 0], candidates[candidates != 0]
    if len(present) > FEW:
        return float(max(units, key=abs))
    with np.errstate(over="ignore"):
        ratios = present / units[:, None]
    bits = np.full(ratios.shape, NOT_EXACT)
    for i, j in np.argwhere(near_exact(ratios, PLAIN)):
        bits[i, j] = _plainness(float(ratios[i, j]))
    return float(units[np.argmin(bits.sum(axis=1))])


def _plainness(value: float) -> float:
    number = simplest(value, PLAIN * abs(value))
    return NOT_EXACT if number is None else exact_bits(number)


def _null(matrix: np.ndarray) -> np.ndarray:
    """Return the unit vector that the matrix shortens most."""
    return np.linalg.svd(matrix, full_matrices=False)[2][-1]


def _sum(monomials: list[Powers], weights: np.ndarray) -> WeightedSum:
    constant: Number = ZERO
    terms: list[tuple[Number, Tree]] = []
    for powers, weight in zip(monomials, weights, strict=True):
        if weight == 0:
            continue
        number: Number = ONE if weight == 1 else float(weight)
        if powers:
            terms.append((number, tree_of(powers)))
        else:
            constant = number
    return WeightedSum(tuple(terms), constant)
