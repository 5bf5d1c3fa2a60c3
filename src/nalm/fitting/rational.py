"""Quotients of polynomials: the vector `(p, q)` with `p·Φ(x) = y q·Φ(x)`, made sparse."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from nalm.fitting.closed import powered
from nalm.fitting.monomials import Powers, columns, polynomial, tree_of
from nalm.fitting.rounding import simplest
from nalm.fitting.table import Table
from nalm.fitting.tree import ONE, ZERO, Number, Product, Sum, Tree, number_bits

DEGREES = (
    ((2, 0), 2),
    ((1, 1), 1),
    ((2, 1), 1),
    ((1, 2), 1),
    ((2, 2), 1),
    ((2, 1), 2),
    ((1, 2), 2),
    ((2, 2), 2),
    ((3, 0), 3),
    ((3, 1), 1),
    ((3, 2), 1),
    ((3, 3), 1),
    ((3, 1), 3),
    ((1, 3), 3),
    ((3, 2), 3),
    ((2, 3), 3),
    ((3, 3), 3),
    ((4, 1), 1),
    ((4, 2), 1),
    ((4, 3), 1),
    ((3, 4), 1),
    ((4, 4), 1),
    ((4, 0), 4),
    ((4, 1), 4),
    ((4, 2), 4),
    ((5, 4), 1),
)
"""Degrees of numerator and denominator and the highest power, in the order they are tried."""
MOST = 400
FEW = 30
"""The most terms for which the simplest common unit is looked for."""


ROOTS = ((ONE, ONE), (Fraction(2), Fraction(1, 2)))
"""Powers of the result that may be a quotient, and what undoes each."""


def quotients(table: Table, epsilon: float, degrees=DEGREES) -> Iterator[Tree]:
    """Yield a sparse quotient of polynomials for each pair of degrees that the rows can decide."""
    for (above, below), highest in degrees:
        p = polynomial(table.x.shape[1], above, highest)
        q = polynomial(table.x.shape[1], below, highest)
        if len(p) + len(q) > min(MOST, 0.8 * len(table)):
            continue
        for power, undo in ROOTS:
            if power != 1 and np.any(table.y < 0):
                continue
            raised = replace(table, y=table.y ** int(power))
            found = _Quotient(raised, p, q, epsilon).sparse()
            if found is not None:
                yield powered(found, undo)


@dataclass(frozen=True)
class _Quotient:
    table: Table
    p: list[Powers]
    q: list[Powers]
    epsilon: float

    def sparse(self) -> Tree | None:
        """Return the quotient with the terms that matter."""
        table = self.table
        above, below = columns(table.x, self.p), columns(table.x, self.q)
        magnitude = np.abs(table.y) + 1e-300
        matrix = np.column_stack([above, -table.y[:, None] * below])
        if not np.all(np.isfinite(matrix)):
            return None
        root = np.sqrt(table.weight) / np.maximum(magnitude, np.median(magnitude) * 1e-3)
        kept = np.arange(matrix.shape[1])
        for _ in range(3):
            found = self._eliminated(matrix, root, kept, above, below)
            if found is None:
                return None
            kept, vector = found
            denominator = below @ self._full(kept, vector)[len(self.p) :]
            if np.any(denominator == 0) or not np.all(np.isfinite(denominator)):
                return None
            root = np.sqrt(table.weight) / np.abs(denominator)
        return self._tree(self._full(kept, vector))

    def _full(self, kept: np.ndarray, vector: np.ndarray) -> np.ndarray:
        full = np.zeros(len(self.p) + len(self.q))
        full[kept] = vector
        return full

    def _eliminated(self, matrix, root, kept, above, below):
        """Leave out columns while the shorter description outweighs the larger residual."""
        weighted = matrix * root[:, None]
        norms = np.sqrt(np.sum(weighted**2, axis=0))
        norms = np.where(norms > 0, norms, 1.0)
        triangle = np.linalg.qr(weighted / norms, mode="r")
        vector = _null(triangle[:, kept])
        score = self._score(kept, vector / norms[kept], above, below)
        rest = len(kept)
        while rest > 2:
            order = np.argsort(np.abs(vector), kind="stable")
            count = max(1, len(kept) // 2)
            while count:
                fewer = np.sort(kept[order[count:]])
                if np.any(fewer >= len(self.p)) and np.any(fewer < len(self.p)):
                    trial = _null(triangle[:, fewer])
                    value = self._score(fewer, trial / norms[fewer], above, below)
                    if value <= score:
                        break
                count //= 2
            if not count:
                break
            kept, vector, score = fewer, trial, value
            rest = len(kept)
        if not np.isfinite(score):
            return None
        return kept, vector / norms[kept]

    def _score(self, kept, vector, above, below) -> float:
        """Return a description length: residuals of y, and some bits a term."""
        full = self._full(kept, vector)
        p, q = full[: len(self.p)], full[len(self.p) :]
        with np.errstate(all="ignore"):
            numerator, denominator = above @ p, below @ q
            value = numerator / denominator
            spread = (
                np.abs(above) @ np.abs(p) + np.abs(value) * (np.abs(below) @ np.abs(q))
            ) / np.abs(denominator)
        off = value - self.table.y
        if not np.all(np.isfinite(off)):
            return np.inf
        weight = self.table.weight / np.sum(self.table.weight)
        rms = np.sqrt(weight @ off**2)
        floor = 4 * self.epsilon * np.sqrt(weight @ spread**2)
        return len(off) * float(np.log2(max(rms, floor, 1e-300))) + (
            4 + 0.5 * np.log2(len(off))
        ) * len(kept)

    def _tree(self, full: np.ndarray) -> Tree:
        full = full / _unit(full, full[len(self.p) :])
        above, below = _sum(self.p, full[: len(self.p)]), _sum(self.q, full[len(self.p) :])
        return above if not below.terms else Product(((above, ONE), (below, -ONE)))


def _unit(weights: np.ndarray, candidates: np.ndarray) -> float:
    """Return the candidate in whose units the weights are the simplest numbers."""
    present = [float(w) for w in weights if w != 0]
    units = [float(w) for w in candidates if w != 0]
    if len(present) > FEW:
        return max(units, key=abs)
    return min(units, key=lambda unit: sum(_plainness(w / unit) for w in present))


def _plainness(value: float) -> float:
    number = simplest(value, 1e-6 * abs(value))
    return 30.0 if number is None else number_bits(number)


def _null(matrix: np.ndarray) -> np.ndarray:
    """Return the unit vector that the matrix shortens most."""
    return np.linalg.svd(matrix, full_matrices=False)[2][-1]


def _sum(monomials: list[Powers], weights: np.ndarray) -> Sum:
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
    return Sum(tuple(terms), constant)
