"""Find the law of a table."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from nalm.errors import InputError
from nalm.fitting.law import Law, discover
from nalm.fitting.refine import Fitted
from nalm.fitting.table import Table

CHUNK = 100_000
"""Rows that are checked at once."""
Tell = Callable[[str, Fitted], None]
"""Called after each stage of the search with its name and the best formula so far."""


def fit(
    x: Any,
    y: Any,
    names: Sequence[str] | None = None,
    *,
    sample_weight: Any = None,
    max_time: float | None = None,
    effort: int = 1,
    random_state: int = 0,
    tell: Tell | None = None,
) -> Law:
    """Return the formula of the columns of `x` that gives `y`, and whether rows confirmed it.

    Names are those of a DataFrame's columns, or x1, x2, … The same table and `random_state` give
    the same law on every number of cores, unless `max_time` (seconds) cuts the search short;
    `effort` repeats the search over layers with new starts.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).uniform(1, 3, (100, 3))
    >>> law = fit(x, x[:, 0] * x[:, 1] / (x[:, 1] + x[:, 2]), ["a", "b", "c"])
    >>> law.expression, law.outcome
    (a*b/(b + c), 'exact')
    """
    values, found = columns_of(x)
    names = list(names) if names is not None else found
    names = names or [f"x{i + 1}" for i in range(values.shape[1])]
    table = checked(values, y, sample_weight)
    check_names(names, values.shape[1])
    check_limits(max_time, effort)
    with threadpool_limits(1):
        return discover(
            table,
            names,
            max_time=max_time,
            effort=effort,
            random_state=random_state,
            tell=tell,
        )


def columns_of(x: Any) -> tuple[np.ndarray, list[str] | None]:
    """Return the columns as float64, and their names if it is a DataFrame."""
    names = [str(name) for name in x.columns] if hasattr(x, "columns") else None
    if names is not None:
        for name in x.columns:
            _numbers(x[name], f"Column {name!r}")
    values = _numbers(x, "The table")
    if values.ndim == 1:
        raise InputError(
            f"The table has rows and columns; received one dimension of {len(values)} values. "
            "For a single column use x.reshape(-1, 1)."
        )
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(
            f"The table has at least one row and one column; received shape {values.shape}."
        )
    return values, names


def _numbers(values: Any, what: str) -> np.ndarray:
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise InputError(f"{what} holds real numbers; received complex ones.")
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} holds numbers only; received {str(_first_text(array))!r}."
        ) from None


def _first_text(array: np.ndarray) -> object:
    for value in array.ravel():
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return array.dtype


def checked(x: np.ndarray, y: Any, sample_weight: Any) -> Table:
    """Return a table of finite numbers, or say what is wrong with it."""
    result = _numbers(y, "The result")
    if result.ndim != 1:
        raise InputError(
            f"The result is one number per row; received shape {result.shape}. "
            "For several results fit them one by one, or use ArithmeticRegressor."
        )
    if len(result) != len(x):
        raise InputError(f"There are {len(x)} rows but {len(result)} results.")
    if len(x) < 2:
        raise InputError("A fit needs at least 2 rows; received 1 sample.")
    for start in range(0, len(x), CHUNK):
        part = slice(start, start + CHUNK)
        _check_finite(x[part], start, "The table")
        _check_finite(result[part, None], start, "The result")
    weight = np.ones(len(x)) if sample_weight is None else _numbers(sample_weight, "The weight")
    if weight.shape != result.shape or not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise InputError(
            f"Weights are one finite number of at least 0 per row; received shape {weight.shape}."
        )
    if np.sum(weight > 0) < 2:
        raise InputError("A fit needs at least 2 rows with a weight above 0.")
    return Table(x, result, weight)


def _check_finite(values: np.ndarray, start: int, what: str) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        kind = "NaN (missing)" if np.isnan(values[row, column]) else "infinity"
        raise InputError(
            f"{what} holds finite numbers; received {kind} in row {start + row}, column {column} "
            f"(NaN or infinity in {int(bad.any(axis=1).sum())} rows or more). Leave such rows out."
        )


def check_names(names: Sequence[str], count: int) -> None:
    """Raise unless names are different texts, one per column."""
    if len(names) != count:
        raise InputError(f"{count} columns have {count} names; received {len(names)}.")
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise InputError(f"Columns have different names; {', '.join(map(repr, twice))} is twice.")


def check_limits(max_time: float | None, effort: int) -> None:
    """Raise unless the limits of the search make sense."""
    if max_time is not None and not max_time > 0:
        raise InputError(f"max_time is a number of seconds above 0; received {max_time!r}.")
    if not isinstance(effort, int | np.integer) or effort < 1:
        raise InputError(f"effort is a whole number of at least 1; received {effort!r}.")
