"""From arrays, lists, a DataFrame or a dictionary of columns to the rows of a task."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from nalm._internal.checks import check_whole, shown
from nalm._internal.ops import to_numpy
from nalm.errors import InputError
from nalm.tasks.distributions import Rows

LEAST = 2
"""The fewest rows for training."""


class SplitTable(NamedTuple):
    """Rows for training and test, and the names of their columns."""

    train: Rows
    test: Rows
    names: tuple[str, ...]
    result: str


def split_table(
    X: Any, y: Any, test: Any, names: Sequence[str] | None, random_state: int
) -> SplitTable:
    """Return the rows of a table, a share of them kept for the test."""
    check_whole("random_state", random_state, 0)
    result = y if isinstance(y, str) else str(getattr(y, "name", None) or "y")
    if isinstance(y, str):
        from nalm.fitting.inputs import without_column

        X, y = without_column(X, y, "y")
    named = _named(X)
    inputs = X if named is None else _stacked(named, tuple(named))
    rows = _rows("X", "y", inputs, y)
    columns = _names(named, names, rows.shape[1] - 1)
    if isinstance(test, tuple):
        if len(test) != 2:
            raise InputError(f"test is a share of the rows, or (X, y); received {shown(test)}.")
        tested = _rows("X of test", "y of test", _like(named, test[0]), test[1])
        if tested.shape[1] != rows.shape[1]:
            raise InputError(
                f"Test rows have as many columns as X, {rows.shape[1] - 1}; received "
                f"{tested.shape[1] - 1}."
            )
    else:
        rows, tested = _split(rows, test, random_state)
    return SplitTable(Rows(rows), Rows(tested), columns, result)


def _named(X: Any) -> dict[str, Any] | None:
    """Return the columns of a dictionary or a DataFrame by name; None if X has no names."""
    names = list(X) if isinstance(X, Mapping) else getattr(X, "columns", None)
    if names is None:
        return None
    if len({*map(str, names)}) < len(names):
        raise InputError(f"The columns of X have different names; received {[*map(str, names)]}.")
    return {str(name): X[name] for name in names}


def _like(named: Mapping[str, Any] | None, X: Any) -> Any:
    """Return test inputs with the columns in the order of the training inputs."""
    tested = _named(X)
    if tested is None:
        return X
    names = tuple(tested if named is None else named)
    if missing := [name for name in names if name not in tested]:
        raise InputError(
            f"X of test has the columns of X, by name; {', '.join(map(repr, missing))} is missing."
        )
    return _stacked(tested, names)


def _stacked(columns: Mapping[str, Any], names: tuple[str, ...]) -> np.ndarray:
    """Return the columns of these names side by side."""
    values = [_numbers(f"Column {name!r}", columns[name]) for name in names]
    shapes = {name: value.shape for name, value in zip(names, values, strict=True)}
    if not values or len({*shapes.values()}) > 1 or any(value.ndim != 1 for value in values):
        raise InputError(f"The columns of X have one number per row; received shapes {shapes}.")
    return np.column_stack(values)


def _float(number: Real) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.inf


def _split(rows: np.ndarray, share: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < _float(share) < 1:
        raise InputError(
            "test is a share of the rows between 0 and 1, or test rows (X, y); received "
            f"{shown(share)}."
        )
    kept = max(1, round(len(rows) * float(share)))
    if len(rows) - kept < LEAST:
        raise InputError(
            f"A table has at least {LEAST} rows for training and 1 for the test; received "
            f"{len(rows)} rows with test={share}."
        )
    order = np.random.default_rng(seed).permutation(len(rows))
    return rows[np.sort(order[kept:])], rows[np.sort(order[:kept])]


def _rows(first: str, second: str, X: Any, y: Any) -> np.ndarray:
    """Return inputs and results side by side, checked."""
    inputs, results = _numbers(first, X), _numbers(second, y)
    if inputs.ndim != 2 or not inputs.size:
        raise InputError(f"{first} is a table of rows and columns; received shape {inputs.shape}.")
    results = results.reshape(-1) if results.ndim == 2 and results.shape[1] == 1 else results
    if results.shape != (len(inputs),):
        raise InputError(
            f"{second} has one result for each of the {len(inputs)} rows of {first}; received "
            f"shape {results.shape}."
        )
    return np.column_stack([inputs, results])


def _numbers(name: str, values: Any) -> np.ndarray:
    try:
        numbers = to_numpy(values).astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} holds numbers in rows of equal length; received text or ragged rows."
        ) from None
    if not np.isfinite(numbers).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(numbers))[0])
        raise InputError(
            f"{name} holds finite numbers; received {numbers[place]} at {place}. Remove those rows."
        )
    if np.abs(numbers).max(initial=0) > np.finfo(np.float32).max:
        raise InputError(
            f"{name} holds numbers of at most 3.4e38, as float32; received larger ones."
        )
    return numbers


def _names(
    named: Mapping[str, Any] | None, names: Sequence[str] | None, count: int
) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{i + 1}" for i in range(count)) if named is None else tuple(named)
    given = names if isinstance(names, list | tuple) else list(np.atleast_1d(np.asarray(names)))
    texts = tuple(name if isinstance(name, str) else shown(name) for name in given)
    if isinstance(names, str) or len(given) != count or len({*texts}) < count:
        raise InputError(
            f"names are {count} different names, one per column; received {shown(names)}."
        )
    return texts
