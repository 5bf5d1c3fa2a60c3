"""Several results of one table: a law for each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.fitting.fit import fit
from nalm.fitting.inputs import table_of, without_column
from nalm.fitting.law import Law
from nalm.fitting.units import HEADER, RESULT, units_of


def fit_each(X: Any, Y: Any, names: Any = None, **options: Any) -> dict[str, Law]:
    """Find a law for each of several results of one table.

    Parameters
    ----------
    X
        The table, as `nalm.fit` takes it.
    Y
        The results: a DataFrame, a dictionary of columns or an array with a column each; or a list
        of names of columns of X, each of which is fitted from the columns that are not in the list.
    names
        The names of the columns of X.
    **options
        What `nalm.fit` takes; `max_time` is that of each law.

    Returns
    -------
    dict
        The laws by the name of their result: y1, y2, … if the results have no names.

    Examples
    --------
    >>> import numpy as np, nalm
    >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
    >>> laws = nalm.fit_each(X, np.column_stack([X[:, 0] * X[:, 1], X[:, 0] / X[:, 1]]))
    >>> {name: law.expression for name, law in laws.items()}
    {'y1': x1*x2, 'y2': x1/x2}
    """
    X, results = _results(X, Y)
    units = options.pop("units", None)
    columns = names if names is not None else table_of(X)[1]
    return {
        name: replace(
            fit(X, result, names, units=_units(units, columns, name, results), **options),
            target=name,
        )
        for name, result in results.items()
    }


def _units(units: Any, columns: Any, name: str, results: Mapping[str, Any]) -> Any:
    """Return the units for one result, whose key is that of a result without a name."""
    if isinstance(units, str) and units == HEADER and columns:
        return units_of(units, list(columns), name)
    if not isinstance(units, Mapping):
        return units
    known = {column: unit for column, unit in units.items() if column not in results}
    return known | ({RESULT: units[name]} if name in units else {})


def _results(X: Any, Y: Any) -> tuple[Any, Mapping[str, Any]]:
    if isinstance(Y, list | tuple) and Y and all(isinstance(name, str) for name in Y):
        results = {}
        for name in Y:
            X, column = without_column(X, name, "Y")
            results[name] = table_of({name: column})[0][:, 0]
        return X, results
    if np.ndim(Y) < 2 and not hasattr(Y, "columns") and not isinstance(Y, Mapping):
        raise InputError(
            f"Y has a column for each result, or is a list of names; received {shown(Y)}. "
            "For one result use nalm.fit."
        )
    values, found = table_of(Y)
    return X, dict(
        zip(found or [f"y{i + 1}" for i in range(values.shape[1])], values.T, strict=True)
    )
