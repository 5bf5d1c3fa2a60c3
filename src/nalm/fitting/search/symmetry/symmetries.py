"""Symmetries of a law, read off its slopes: what only matters as a difference or as a quotient.

A law has a scaling symmetry if multiplying columns by powers of any number multiplies the result
by a power of it. It then is a monomial times a function of fewer columns, which are quotients.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from nalm.fitting.search.symmetry.smooth_model import Slopes

FACTOR, LEAST, MOST = 20.0, 1e-3, 0.1
"""A direction is flat if the slope along it is below so many errors, within these limits."""
GAP = 4.0
"""How many times flatter than the next direction the last flat one is at least."""
NEAR = {2: 0.12, 3: 0.06}
"""How near an exponent is to a multiple of 1/2, or of 1/3, that it stands for."""
CHOICES = 2
"""How many ways to write the same scalings are tried."""
PIVOTS = 600
"""The most sets of columns that scalings are written by."""


@dataclass(frozen=True)
class Translation:
    """The law depends on `first + sign * second` only."""

    first: int
    second: int
    sign: int
    flatness: float


@dataclass(frozen=True)
class Scaling:
    """The law is a monomial of `pivots` times a function of the other columns over monomials."""

    pivots: tuple[int, ...]
    result: tuple[Fraction, ...]
    """The powers of the pivots in the monomial."""
    others: tuple[tuple[int, tuple[Fraction, ...]], ...]
    """Each other column with the powers of the pivots that it is divided by."""

    @property
    def effort(self) -> float:
        """How long it takes to write."""
        powers = [*self.result, *(p for _, each in self.others for p in each)]
        return float(sum(abs(p) + (p.denominator > 1) for p in powers))


def tolerance(slopes: Slopes) -> float:
    """Return the slope along a direction below which it counts as flat."""
    return float(np.clip(FACTOR * slopes.error, LEAST, MOST))


def translations(slopes: Slopes) -> list[Translation]:
    """Return the pairs of columns of which only the sum or the difference matters, best first."""
    found = []
    by_column = slopes.by_column
    sizes = np.sqrt(np.mean(by_column**2, axis=0))
    for i, j in combinations(range(by_column.shape[1]), 2):
        for sign in (1, -1):
            apart = np.sqrt(np.mean((by_column[:, i] - sign * by_column[:, j]) ** 2))
            size = sizes[i] + sizes[j]
            if size > 0 and apart < tolerance(slopes) * size:
                found.append(Translation(i, j, sign, float(apart / size)))
    return sorted(found, key=lambda each: each.flatness)


def scalings(slopes: Slopes) -> list[Scaling]:
    """Return ways to write the scaling symmetries of a law, the shortest first."""
    matrix = _scaling_matrix(slopes)
    _, sizes, directions = np.linalg.svd(matrix, full_matrices=False)
    positive = np.min(slopes.x, axis=0) > 0
    for parts in ((2,), (2, 3)):
        for count in _flat(sizes, tolerance(slopes)):
            found = list(_written(directions[-count:], positive, parts))
            if found:
                return sorted(found, key=lambda each: each.effort)[:CHOICES]
    return []


def _scaling_matrix(slopes: Slopes) -> np.ndarray:
    """Return a matrix whose null vectors are scalings: powers of the columns, and of the result."""
    matrix = np.column_stack([slopes.x * slopes.by_column, -slopes.result])
    return matrix / np.sqrt(len(matrix))


def _flat(sizes: np.ndarray, tolerance: float) -> Iterator[int]:
    """Yield how many directions may be flat, the clearest gap first."""
    inputs = len(sizes) - 1
    gaps = {
        count: sizes[-count - 1] / max(sizes[-count], 1e-15)
        for count in range(1, inputs + 1)
        if sizes[-count] < tolerance
    }
    yield from sorted((c for c in gaps if gaps[c] > GAP), key=lambda c: -gaps[c])


def _written(
    directions: np.ndarray, positive: np.ndarray, parts: tuple[int, ...]
) -> Iterator[Scaling]:
    """Yield the scalings by each set of as many columns, if all powers are simple."""
    count, inputs = len(directions), directions.shape[1] - 1
    for number, pivots in enumerate(combinations(range(inputs), count)):
        if number > PIVOTS:
            return
        square = directions[:, pivots]
        if abs(np.linalg.det(square)) < 1e-4:
            continue
        powers = np.linalg.solve(square, directions)
        rest = [j for j in range(inputs) if j not in pivots]
        exact = [[_simple(float(p), parts) for p in row] for row in powers]
        if any(e is None for row in exact for e in row):
            continue
        whole = all(
            p is not None and p.denominator == 1
            for row, pivot in zip(exact, pivots, strict=True)
            if not positive[pivot]
            for p in row
        )
        if whole:
            yield Scaling(
                pivots,
                tuple(row[-1] or Fraction(0) for row in exact),
                tuple((j, tuple(row[j] or Fraction(0) for row in exact)) for j in rest),
            )


def _simple(power: float, parts: tuple[int, ...]) -> Fraction | None:
    """Return the multiple of 1/2, or of 1/3 if asked for, that a power stands for.

    >>> _simple(1.49, (2,)), _simple(0.34, (2, 3)), _simple(0.2, (2, 3))
    (Fraction(3, 2), Fraction(1, 3), None)
    """
    if abs(power) > 12:
        return None
    for part in parts:
        whole = round(power * part)
        if abs(power * part - whole) < NEAR[part] * part:
            return Fraction(whole, part)
    return None
