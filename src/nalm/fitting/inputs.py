"""Tables as people pass them (arrays, lists, DataFrames, dictionaries), as float64 by column."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nalm._internal.checks import shown
from nalm._internal.ops import to_numpy
from nalm.errors import InputError, unknown
from nalm.fitting.rows import Rows

SMALLEST, LARGEST = 1e-100, 1e100
"""Between which the size of the largest number of a column is."""


def table_of(X: Any) -> tuple[np.ndarray, list[str] | None]:
    """Return a table as float64, and the names of its columns if it has names."""
    columns = _named(X)
    if columns is not None:
        return _stacked(columns), [str(name) for name in columns]
    values = _numbers(X, "X")
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"X has at least one row and one column; received shape {values.shape}.")
    name = getattr(X, "name", None)  # of a pandas Series
    return values, None if name is None else [str(name)]


def without_column(X: Any, name: str, argument: str) -> tuple[dict[Any, Any], Any]:
    """Return a table without the column that an argument names, and that column."""
    columns = _named(X)
    if columns is None:
        raise InputError(
            f"{argument} may name a column of X if the columns have names; received {name!r} and "
            "an X without names. Pass a DataFrame or a dictionary of columns as X."
        )
    key = next((key for key in columns if str(key) == name), None)
    if key is None:
        raise unknown("column", name, map(str, columns))
    return {other: values for other, values in columns.items() if other != key}, columns[key]


def name_of(y: Any) -> str | None:
    """Return the name of a Series, or of the only column of a DataFrame; None if there is none."""
    columns = getattr(y, "columns", None)
    name = columns[0] if columns is not None and len(columns) == 1 else getattr(y, "name", None)
    return None if name is None else str(name)


def columns_like(X: Any, names: Sequence[str], used: Collection[int]) -> np.ndarray:
    """Return the columns of these names as float64: by name if X has names, else in order.

    Of a table with names only the columns that are used are read; the others are 0.
    """
    columns = _named(X)
    if columns is not None:
        by_text = {str(name): values for name, values in columns.items()}
        read = [names[i] for i in sorted(used)] or list(by_text)[:1]
        missing = [name for name in read if name not in by_text]
        if missing:
            raise InputError(
                f"X has the columns of the formula, by name; {_listed(missing)} is missing. "
                "Rename the columns of X, or pass an array, whose columns are taken in order."
            )
        if not used:
            return np.zeros((len(np.atleast_1d(np.asarray(by_text[read[0]]))), len(names)))
        found = _stacked({name: by_text[name] for name in read})
        values = np.zeros((len(found), len(names)))
        values[:, sorted(used)] = found
        return values
    values = _numbers(X, "X")
    if values.ndim == 1 and len(names) == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] != len(names):
        columns_received = f"{values.shape[1]} columns" if values.ndim == 2 else "one dimension"
        raise InputError(
            f"X has one column for each of {_listed(names)}; received {columns_received} "
            f"(shape {values.shape}). A single row is written [[…]]."
        )
    return values


def _named(X: Any) -> dict[Any, Any] | None:
    """Return the columns of a DataFrame or a dictionary by name; None if X has no names."""
    if isinstance(X, Mapping):
        return dict(X)
    if not hasattr(X, "columns"):
        return None
    names = [str(name) for name in X.columns]
    check_names(names, len(names))
    return {name: X[name] for name in X.columns}


def _stacked(columns: Mapping[Any, Any]) -> np.ndarray:
    if not columns:
        raise InputError("X has at least one column; received none.")
    values = {name: np.atleast_1d(_numbers(c, f"Column {name!r}")) for name, c in columns.items()}
    lengths = {name: v.shape for name, v in values.items()}
    if len(set(lengths.values())) > 1 or any(v.ndim != 1 for v in values.values()):
        raise InputError(f"The columns of X have one number per row; received shapes {lengths}.")
    return np.column_stack(list(values.values()))


def _numbers(values: Any, what: str) -> np.ndarray:
    if _is_masked(values):
        raise InputError(
            f"{what} holds numbers; received a masked array. Leave masked rows out: X[~mask]."
        )
    if hasattr(values, "toarray"):
        raise InputError(f"{what} is a dense table; received a sparse one. Use {what}.toarray().")
    try:
        array = to_numpy(values) if hasattr(values, "detach") else np.asarray(values)
    except (TypeError, ValueError):
        raise InputError(f"{what} has rows of equal length; received {shown(values)}.") from None
    if np.iscomplexobj(array):
        raise InputError(f"{what} holds real numbers; received complex ones.")
    try:
        if array.dtype.kind in "USMm" or array.dtype.fields:
            raise TypeError
        if array.dtype.kind == "O":
            array = np.array([_number(v) for v in array.flat], np.float64).reshape(array.shape)
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{what} holds numbers only; received {_first_other(array)}. Convert it to numbers, "
            "or leave the column out."
        ) from None


def _is_masked(values: Any) -> bool:
    parts = values if isinstance(values, list | tuple) else ()
    return isinstance(values, np.ma.MaskedArray) or any(
        isinstance(part, np.ma.MaskedArray) for part in parts
    )


def _number(value: Any) -> float:
    """Return a number of Python as a float; text that spells one is none."""
    if isinstance(value, str | bytes | complex | np.datetime64 | np.timedelta64):
        raise TypeError
    return float(value)


def _first_other(array: np.ndarray) -> str:
    """Return the first value that is no number, as an error shows it."""
    for value in array.flat:
        try:
            _number(value)
        except (TypeError, ValueError, OverflowError):
            return shown(str(value) if isinstance(value, str | np.generic) else value)
    return f"the dtype {array.dtype}"


def checked_rows(
    x: np.ndarray, names: Sequence[str], y: Any, sample_weight: Any, sigma: Any = None
) -> Rows:
    """Return rows of finite numbers, or raise an error that says what is wrong with them."""
    result = _numbers(y, "y")
    result = result[:, 0] if result.ndim == 2 and result.shape[1] == 1 else result
    if result.ndim != 1:
        raise InputError(
            f"y is one number per row; received shape {result.shape}. "
            "For several results use nalm.fit_each."
        )
    if len(result) != len(x):
        raise InputError(f"X and y have as many rows; received {len(x)} rows and {len(result)}.")
    if len(x) < 2:
        raise InputError(f"A fit needs at least 2 rows; received {len(x)}.")
    if not np.isfinite(x).all():
        bad = int(np.flatnonzero(~np.isfinite(x).all(axis=0))[0])
        _check_finite(x[:, bad], f"Column {names[bad]!r}")
    _check_finite(result, "y")
    weight = _weights(sample_weight, len(x))
    if sigma is None:
        return Rows(x, result, weight)
    errors = checked_sigma(sigma, range(len(x)))
    scale = errors / usual_error(errors)
    return Rows(x, result, weight / scale**2, scale)


def usual_error(sigma: np.ndarray) -> float:
    """Return the error of a row that weighs as much as rows do on average."""
    return float(np.mean(sigma**-2.0) ** -0.5)


def checked_sigma(sigma: Any, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return the errors of the results, one for each row; an error names a row by its number."""
    errors = _numbers(sigma, "sigma")
    errors = errors[:, 0] if errors.ndim == 2 and errors.shape[1] == 1 else errors
    errors = np.full(len(numbers), errors) if errors.ndim == 0 else errors
    if errors.shape != (len(numbers),):
        raise InputError(
            f"sigma is one number per row, or one for all; received shape {errors.shape} "
            f"for {len(numbers)} rows."
        )
    bad = np.flatnonzero(~((errors > 0) & np.isfinite(errors)))
    if len(bad):
        raise InputError(
            "sigma is the standard deviation of the error of each result, a finite number above "
            f"0; received {errors[bad[0]]:g} in row {numbers[bad[0]]}. Leave such rows out, or "
            "give their true error."
        )
    _check_magnitude(float(np.max(errors)), "sigma")
    _check_magnitude(float(np.min(errors)), "sigma")
    return errors


def _weights(sample_weight: Any, count: int) -> np.ndarray:
    weight = np.ones(count) if sample_weight is None else _numbers(sample_weight, "sample_weight")
    if weight.shape != (count,) or not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise InputError(
            "sample_weight is one finite number of at least 0 per row; received shape "
            f"{weight.shape} for {count} rows."
        )
    check_weights(weight)
    return weight


def check_magnitudes(rows: Rows, names: Sequence[str]) -> None:
    """Raise unless squares and products of the numbers are floating-point numbers, too."""
    sizes = np.max(np.abs(rows.x), axis=0)
    beyond = np.flatnonzero((sizes != 0) & ((sizes < SMALLEST) | (sizes > LARGEST)))
    if len(beyond):
        _check_magnitude(sizes[beyond[0]], f"column {names[beyond[0]]!r}")
    _check_magnitude(np.max(np.abs(rows.y)), "y")
    _check_magnitude(np.max(rows.weight), "sample_weight")


def _check_magnitude(size: float, what: str) -> None:
    if size != 0 and not SMALLEST <= size <= LARGEST:
        raise InputError(
            f"The largest number of {what} is {size:.3g} in size; a fit takes {SMALLEST:g} to "
            f"{LARGEST:g}. Give it in another unit, such as {10.0 ** np.floor(np.log10(size)):g}."
        )


def check_weights(weight: np.ndarray) -> None:
    """Raise unless weights are at least 0, and above 0 for at least 2 rows."""
    if np.any(weight < 0) or np.sum(weight > 0) < 2:
        raise InputError("sample_weight is at least 0, and above 0 for at least 2 rows.")


def _check_finite(values: np.ndarray, what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        first = int(bad[0])
        kind = "NaN (missing)" if np.isnan(values[first]) else "infinity"
        count = f"{len(bad)} such rows" if len(bad) > 1 else "the only such row"
        raise InputError(
            f"{what} holds finite numbers; received {kind} in row {first} ({count}). "
            "Leave such rows out, as df.dropna() does."
        )


def check_names(names: Sequence[str], count: int) -> None:
    """Raise unless names are different texts, one per column."""
    if not all(isinstance(name, str) for name in names):
        other = next(name for name in names if not isinstance(name, str))
        raise InputError(f"Names of columns are texts; received {shown(other)}.")
    if len(names) != count:
        raise InputError(f"There is one name per column; received {len(names)} for {count}.")
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(f"Columns have different names; received {_listed(twice)} twice.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
