"""The rows of a fit: which the search sees, which are held out, how exact their numbers are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nalm.fitting.median import median

FIT_ROWS, ROWS_PER_INPUT = 1000, 10
"""The most rows that the search sees: this many in all, or this many for each column if more."""
CHECK_ROWS = 1000
"""The most rows that are held out; at the end an exact formula is checked on all rows."""
MOST = 20_000
"""The most rows that are used; of more a sample is taken, and an exact formula checked on all."""
DOUBLE, SINGLE = 2.0**-53, 2.0**-24
ALIKE, MULTIPLE = 1e-9, 1e-14
"""How near the keys of columns are that may be multiples, and how exact multiples are."""
OUTER = 0.4
"""Which share of the held-out rows comes from the edge of the data."""


@dataclass(frozen=True)
class Rows:
    """Inputs, results and weights of some rows."""

    x: np.ndarray
    """One row per row of the table, one column per column; float64."""
    y: np.ndarray
    weight: np.ndarray
    scale: np.ndarray | None = None
    """How large the error of each result is, over what is usual; None if all are alike."""

    def __len__(self) -> int:
        return len(self.y)

    @cached_property
    def usual(self) -> float:
        """The usual magnitude of a result, which a few huge ones do not change."""
        return median(np.abs(self.y)) if len(self) else 0.0

    @cached_property
    def size(self) -> float:
        """The root of the mean squared result."""
        return float(np.sqrt(np.mean(self.y**2)))

    @property
    def sample_weight(self) -> np.ndarray:
        """How much each row counts but for the error of its result."""
        return self.weight if self.scale is None else self.weight * self.scale**2

    def take(self, which: np.ndarray) -> "Rows":
        """Return some of the rows."""
        scale = None if self.scale is None else self.scale[which]
        return Rows(self.x[which], self.y[which], self.weight[which], scale)

    def without(self, which: np.ndarray) -> "Rows":
        """Return the rows but for some, given as indices."""
        return self.take(np.setdiff1d(np.arange(len(self)), which))

    def of_columns(self, which: Sequence[int]) -> "Rows":
        """Return the rows with some of the columns."""
        return replace(self, x=self.x[:, list(which)])


@dataclass(frozen=True)
class Split:
    """Rows in two parts: those the search sees, and those that only check its result."""

    seen: Rows
    held_out: Rows
    epsilon: float
    """The relative rounding error of their numbers."""
    more: Rows
    """The rows that the search sees, and those that it had no use for."""


def canonical(rows: Rows) -> Rows:
    """Return the rows without those of weight 0, equal ones joined, sorted.

    So a row with weight 2 is the same as two equal rows, whatever the order.
    """
    rows = rows.take(rows.weight > 0)
    order = _order(rows)
    x, y = rows.x[order], rows.y[order]
    first = np.concatenate([[True], (y[1:] != y[:-1]) | np.any(x[1:] != x[:-1], axis=1)])
    group = np.empty(len(order), int)
    group[order] = np.cumsum(first) - 1
    scale = None if rows.scale is None else rows.scale[order][first]
    return Rows(x[first], y[first], np.bincount(group, rows.weight), scale)


def _order(rows: Rows) -> np.ndarray:
    """Return the order by result, and by the columns in turn where results are equal."""
    order = np.argsort(rows.y, kind="stable")
    y = rows.y[order]
    return np.lexsort([*rows.x.T[::-1], rows.y]) if np.any(y[1:] == y[:-1]) else order


def telling_columns(rows: Rows) -> list[int]:
    """Return the columns that are neither constant nor multiples of others; at least the first.

    A constant column can stand for any number of a formula, so it belongs to none; and of columns
    that are multiples of each other the first can stand for all.
    """
    varying = np.flatnonzero(np.any(rows.x != rows.x[:1], axis=0))
    repeated = multiples(rows.x)
    return [int(i) for i in varying if i not in repeated] or [0]


def multiples(x: np.ndarray) -> dict[int, int]:
    """Return the columns that are a multiple of one before them, with that column.

    >>> multiples(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0]]))
    {1: 0}
    """
    largest = np.max(np.abs(x), axis=0, initial=0.0)
    x = np.ldexp(x, -np.frexp(largest)[1])  # huge numbers have no square
    start = x[:FIT_ROWS]
    sizes = np.linalg.norm(start, axis=0)
    kept = np.flatnonzero(sizes > 0)
    keys = np.abs(np.cos(np.arange(len(start))) @ (start[:, kept] / sizes[kept]))
    order = np.argsort(keys)
    found: dict[int, int] = {}
    for group in np.split(kept[order], np.flatnonzero(np.diff(keys[order]) > ALIKE) + 1):
        others: list[int] = []
        for column in sorted(group.tolist()):
            first = next((i for i in others if _is_multiple(x[:, column], x[:, i])), None)
            if first is None:
                others.append(column)
            else:
                found[column] = first
    return dict(sorted(found.items()))


def _is_multiple(column: np.ndarray, other: np.ndarray) -> bool:
    top = np.argmax(np.abs(other))
    return np.allclose(column, other * (column[top] / other[top]), MULTIPLE, 0.0)


def sampled(rows: Rows, most: int, rng: np.random.Generator) -> Rows:
    """Return the rows, or a random choice of `most` of them."""
    if len(rows) <= most:
        return rows
    return rows.take(np.sort(rng.permutation(len(rows))[:most]))


def precision(rows: Rows) -> float:
    """Return the rounding error: that of single precision if all numbers have it, else double."""
    with np.errstate(over="ignore"):
        single = all(np.all(v == v.astype(np.float32)) for v in (rows.x, rows.y))
    whole = all(np.all(v == np.round(v)) for v in (rows.x, rows.y))
    return SINGLE if single and not whole else DOUBLE


def split(rows: Rows, rng: np.random.Generator) -> Split:
    """Hold rows out: some at random, some from the edge of the data.

    A formula that only imitates the law inside the data fails first at the edge.
    """
    count = len(rows)
    held = min(CHECK_ROWS, max(1, count // 10)) if count > 4 else 0
    outer = int(held * OUTER) if count > 20 else 0
    centre, spread = np.median(rows.x, axis=0), np.ptp(rows.x, axis=0)
    distance = np.abs(rows.x - centre) / np.where(spread > 0, spread, 1.0)
    edge = np.argsort(-np.max(distance, axis=1, initial=0.0), kind="stable")[:outer]
    rest = np.setdiff1d(np.arange(count), edge)
    rng.shuffle(rest)
    most = max(FIT_ROWS, ROWS_PER_INPUT * rows.x.shape[1])
    random, free = rest[: held - outer], rest[held - outer :]
    seen = free[:most]
    chosen = np.sort(np.concatenate([edge, random]))
    more = rows.take(np.sort(free))
    return Split(rows.take(np.sort(seen)), rows.take(chosen), precision(rows), more)
