"""The rows of a fit: which of them it sees, which are kept to check it, how exact they are."""

from dataclasses import dataclass

import numpy as np

FIT_ROWS, ROWS_PER_INPUT = 1000, 10
"""The most rows the search looks at: this many, or so many for each input."""
CHECK_ROWS = 1000
"""The most rows that are kept to check it, besides the final look at all."""
DOUBLE, SINGLE = 2.0**-53, 2.0**-24
OUTER = 0.4
"""Which share of the held-out rows comes from the edge of the data."""


@dataclass(frozen=True)
class Table:
    """Inputs, results and weights of some rows."""

    x: np.ndarray
    """`(rows, columns)`, float64."""
    y: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    def rows(self, which: np.ndarray) -> "Table":
        """Return some of the rows."""
        return Table(self.x[which], self.y[which], self.weight[which])


@dataclass(frozen=True)
class Split:
    """A table in two: rows the search sees, rows that only check its result."""

    seen: Table
    held: Table
    epsilon: float
    """The relative rounding error of a number of the table."""


def canonical(table: Table) -> Table:
    """Return the table without rows of weight 0, equal rows joined, in an order of its own.

    So a row with weight 2 and two equal rows are the same table, whatever the order.
    """
    table = table.rows(table.weight > 0)
    both = np.column_stack([table.y, table.x])
    unique, inverse = np.unique(both, axis=0, return_inverse=True)
    weight = np.bincount(inverse.ravel(), table.weight, minlength=len(unique))
    return Table(np.ascontiguousarray(unique[:, 1:]), unique[:, 0].copy(), weight)


def varying_columns(table: Table) -> list[int]:
    """Return the columns that are not constant; the first if all are.

    A constant column can stand for any number of a formula, so it belongs to none.
    """
    varying = np.flatnonzero(np.ptp(table.x, axis=0) > 0)
    return [int(i) for i in varying] or [0]


def sampled(table: Table, most: int, rng: np.random.Generator) -> Table:
    """Return the table, or a random choice of `most` of its rows."""
    if len(table) <= most:
        return table
    return table.rows(np.sort(rng.permutation(len(table))[:most]))


def precision(table: Table) -> float:
    """Return the rounding error of the numbers: single if all of them are, else double."""
    with np.errstate(over="ignore"):
        single = all(np.all(v == v.astype(np.float32)) for v in (table.x, table.y))
    whole = all(np.all(v == np.round(v)) for v in (table.x, table.y))
    return SINGLE if single and not whole else DOUBLE


def split(table: Table, rng: np.random.Generator) -> Split:
    """Hold rows out: some at random, some from the edge of the data.

    A formula that only imitates the law within the data fails first at the edge.
    """
    count = len(table)
    held = min(CHECK_ROWS, max(1, count // 10)) if count > 4 else 0
    outer = int(held * OUTER) if count > 20 else 0
    centre, spread = np.median(table.x, axis=0), np.ptp(table.x, axis=0)
    distance = np.abs(table.x - centre) / np.where(spread > 0, spread, 1.0)
    edge = np.argsort(-np.max(distance, axis=1, initial=0.0), kind="stable")[:outer]
    rest = np.setdiff1d(np.arange(count), edge)
    rng.shuffle(rest)
    most = max(FIT_ROWS, ROWS_PER_INPUT * table.x.shape[1])
    random, seen = rest[: held - outer], rest[held - outer :][:most]
    chosen = np.sort(np.concatenate([edge, random]))
    return Split(table.rows(np.sort(seen)), table.rows(chosen), precision(table))
