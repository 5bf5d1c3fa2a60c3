"""The rows of a table, drawn one at a time."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Joint

MOST = 2**23
"""The most rows: a uniform number of training is one of so many."""


@dataclass(frozen=True)
class Rows(Joint):
    """Rows of a table, drawn with replacement; the first uniform number says which.

    A table is its content: two with the same numbers are equal and have the same digest. The
    columns of a row after the inputs are for the target, no model sees them.

    Parameters
    ----------
    table
        Numbers, `(rows, columns)`.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.tasks import Rows
    >>> rows = Rows(np.array([[1.0, 2.0, 2.0], [3.0, 4.0, 12.0]]))
    >>> rows.sample(np.array([[0.7, 0.1]]))
    array([[ 3.,  4., 12.]])
    >>> rows.label
    '2 rows (30218e)'
    """

    table: np.ndarray = field(compare=False, repr=False, metadata={"described": False})
    digest: str = field(default="", init=False)
    """The SHA-256 of shape and numbers, by which tables are equal."""

    even: ClassVar[bool] = True

    def __post_init__(self) -> None:
        table = np.array(self.table, np.float64, order="C")
        if table.ndim != 2 or not 1 <= len(table) <= MOST or not np.isfinite(table).all():
            raise InputError(
                f"A table has rows of finite numbers, at least 1 and at most {MOST:,}; received "
                f"shape {table.shape}."
            )
        table.setflags(write=False)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "digest", digest_of(table))

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all columns of the rows that the first uniform numbers choose."""
        count = len(self.table)
        row = xp.asarray(xp.floor(xp.asarray(u[0]) * count), dtype=xp.int32)
        row = xp.minimum(row, count - 1)
        dtype = getattr(u[0], "dtype", None) or np.float64
        return [xp.asarray(column, dtype=dtype)[row] for column in self._columns]

    @cached_property
    def _columns(self) -> list[np.ndarray]:
        return [np.ascontiguousarray(column) for column in self.table.T]

    @property
    def label(self) -> str:
        """The name in tables: how many rows, and the beginning of the digest."""
        return f"{len(self.table)} rows ({self.digest[:6]})"

    @property
    def reaches_zero(self) -> bool:
        """Whether a number of the table is zero."""
        return bool((self.table == 0).any())

    def tables(self) -> dict[str, np.ndarray]:
        """Return the table by its digest."""
        return {self.digest: self.table}

    @classmethod
    def described(cls, options: dict[str, Any], tables: Mapping[str, np.ndarray]) -> Self:
        """Return the rows of a description, with the tables that were kept beside it."""
        digest = options["digest"]
        if digest not in tables:
            raise InputError(
                f"The table {digest[:12]} of this task is not here. Pass the tables that belong to "
                "the description."
            )
        return cls(tables[digest])


def digest_of(table: np.ndarray) -> str:
    """Return the SHA-256 of the shape and the numbers of a table."""
    numbers = np.ascontiguousarray(table, "<f8")
    return hashlib.sha256(f"{numbers.shape}".encode() + numbers.tobytes()).hexdigest()
