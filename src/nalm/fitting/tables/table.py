"""A table as a fit uses it: the target and the features of any source of columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nalm.errors import InputError, TableError, unknown
from nalm.fitting.rows import multiples
from nalm.fitting.tables.text_rows import Chunk, GrowingArray, Missing

UNIT = re.compile(r"\s*[\[(][^\[\]()]*[\])]$")
"""The unit in brackets at the end of a name."""
STAND_INS = (-99.0, -999.0, -9999.0, -99999.0)
"""Numbers that some instruments write for a missing value."""


@dataclass(frozen=True)
class TableNote:
    """Something about a table that the user may not expect."""

    text: str
    argument: str | None = None
    """The argument of `read_table` that changes it."""


@dataclass(frozen=True)
class TableData:
    """The columns of a file that a fit uses."""

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    target: str
    numbers: np.ndarray
    """The number of each row in the file: the first below the header is 1, and rows with missing
    values count, too."""
    left_out: int
    """How many rows with missing values are not in `x` and `y`."""
    notes: tuple[TableNote, ...]
    sigma: np.ndarray | None = None
    """The errors of the target, if a column gives them."""
    unused: frozenset[str] = frozenset()
    """The columns of the file that are neither the target nor features."""


class TableSource(Protocol):
    """A file whose columns are known."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""
        ...

    @property
    def notes(self) -> Sequence[TableNote]:
        """What the user may not expect of the way it was read."""
        ...

    def chunks(self, columns: Sequence[int]) -> Iterator[Chunk]:
        """Yield these columns as numbers, some rows at a time; missing values are NaN."""
        ...


@dataclass(frozen=True)
class Choice:
    """Which columns of a table a fit uses; the last is the target if none is chosen."""

    target: str | None = None
    features: Sequence[str] | None = None
    sigma: str | None = None
    drop_missing: bool = False
    others: Sequence[str] = ()
    """Columns that are no features unless they are named as such: other targets."""

    def of(self, source: TableSource) -> TableData:
        """Return the chosen columns of a table."""
        names = list(source.names)
        if not names:
            raise InputError(
                "A table has a header with a name for each column; the first line is empty."
            )
        result, notes = _target(self.target, names)
        errors = [] if self.sigma is None else [_column(self.sigma, names)]
        others = [_column(name, names) for name in self.others]
        chosen = _features(self.features, result, errors, others, names)
        read = (*errors, *chosen, result)
        columns = [names.index(name) for name in read]
        kept, missing, numbers = GrowingArray(len(columns)), Missing(), [np.empty(0, np.int64)]
        for chunk in source.chunks(columns):
            whole = missing.whole(chunk, read)
            numbers.append(1 + missing.seen - len(whole) + np.flatnonzero(whole))
            kept.add(chunk.values if whole.all() else chunk.values[whole])
        _check_count(kept.count, missing, read, self.drop_missing)
        values = kept.whole()
        x, y = values[:, len(errors) : -1], values[:, -1]
        notes += [*source.notes, *_constant_columns(x, chosen)]
        notes += _repeated_columns(x, chosen)
        notes += _equal_columns(x, y, chosen, result)
        notes += _stand_ins(values, read)
        given = values[:, 0] if errors else None
        unused = frozenset(names) - {*chosen, result}
        return TableData(
            x,
            y,
            tuple(chosen),
            result,
            np.concatenate(numbers),
            missing.count,
            tuple(notes),
            given,
            unused,
        )


def _check_count(kept: int, missing: Missing, names: Sequence[str], drop_missing: bool) -> None:
    if not kept and not missing.count:
        raise InputError("A table has a header and rows; the file has a header and no rows.")
    if missing.empty or (missing.count and not drop_missing):
        raise missing.error(kept, names)
    if not kept:
        raise InputError(f"Every row has a missing value, {missing.first}; none is left.")


def _target(asked: str | None, names: Sequence[str]) -> tuple[str, list[TableNote]]:
    """Return the target column: by name, by number, or the last; and a note on the choice."""
    last = names[-1]
    if asked is None:
        return last, [TableNote(f"The target is the last column, {last!r}.", "target")]
    return _column(asked, names), []


def _column(asked: str, names: Sequence[str]) -> str:
    """Return a column by its name, with or without its unit, or by its number."""
    if asked in names:
        return asked
    if asked.isdecimal() and len(asked) < 10 and 1 <= int(asked) <= len(names):
        return names[int(asked) - 1]
    short = [name for name in names if UNIT.sub("", name) == asked]
    if len(short) == 1:
        return short[0]
    alike = [name for name in names if name.lower() == asked.lower()]
    if alike:
        raise InputError(f"There is no column {asked!r}. Did you mean {alike[0]!r}?")
    raise unknown("column", asked, names)


def _features(
    asked: Sequence[str] | None,
    target: str,
    errors: list[str],
    others: Sequence[str],
    names: Sequence[str],
) -> list[str]:
    if target in errors:
        raise TableError(
            f"sigma is another column than the target; received {target!r} as both.",
            {"target": None, "sigma": None},
        )
    if asked is None:
        left_out = {target, *errors, *others}
        return [name for name in names if name not in left_out]
    chosen = [_column(name, names) for name in asked]
    if target in chosen:
        raise TableError(
            f"The target is not one of the features; received {target!r} as both.",
            {"target": None, "features": None},
        )
    if len(set(chosen)) < len(chosen) or not chosen:
        raise InputError(f"Features are different columns, at least one; received {list(asked)}.")
    return chosen


def _constant_columns(x: np.ndarray, names: Sequence[str]) -> list[TableNote]:
    """Return a note on the columns that are constant, unless all are.

    How the target depends on such a column cannot be seen in the rows; a form or units may use it.
    """
    constant = [name for name, same in zip(names, np.all(x == x[0], axis=0), strict=True) if same]
    if len(x) < 2 or not constant or len(constant) == len(names):
        return []
    listed = ", ".join(map(repr, constant))
    return [
        TableNote(
            "The search leaves out columns that are constant, because the rows say nothing about "
            f"them: {listed}."
        )
    ]


def _repeated_columns(x: np.ndarray, names: Sequence[str]) -> list[TableNote]:
    """Return a note on the columns that are multiples of others, of which the search has no use."""
    found = multiples(x) if len(x) > 1 else {}
    varying = np.any(x != x[:1], axis=0)
    pairs = [f"{names[j]!r} (of {names[i]!r})" for j, i in found.items() if varying[j]]
    if not pairs:
        return []
    listed = ", ".join(pairs)
    text = f"The search leaves out columns that are a multiple of another: {listed}."
    return [TableNote(text, "features")]


def _equal_columns(
    x: np.ndarray, y: np.ndarray, names: Sequence[str], target: str
) -> list[TableNote]:
    same = [name for i, name in enumerate(names) if np.array_equal(x[:, i], y)]
    return [
        TableNote(f"Column {name!r} equals the target {target!r} in every row.", "features")
        for name in same
    ]


def _stand_ins(values: np.ndarray, names: Sequence[str]) -> list[TableNote]:
    """Return notes on columns whose least number is far below the others and may mean nothing."""
    found = []
    for name, column in zip(names, values.T, strict=True):
        least = column.min()
        others = column[column > least]
        if least in STAND_INS and len(others) and others.min() > least / 2:
            count = len(column) - len(others)
            found.append(
                f"Column {name!r} has {least:g} in {count} row{'s' * (count > 1)}, which may stand "
                "for a missing value; if so, leave these fields empty in the file."
            )
    return [TableNote(text) for text in found]
