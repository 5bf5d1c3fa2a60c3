"""Tables in JSON: rows as objects or lists, or columns by name."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from nalm.errors import InputError
from nalm.fitting.tables.cell_table import ColumnTable, table_of_cells

FORMS = "a list of objects, a list of lists, or an object of columns"
MOST = 3
"""The most names that an error shows."""


def json_table(text: str) -> ColumnTable | None:
    """Return the table that a JSON text is: rows or columns, or one object per line.

    None if it is no JSON and has a line of names, the first of which is in brackets.
    """
    try:
        data = _parsed(text)
    except RecursionError:
        raise InputError("A table in JSON has no lists inside each other.") from None
    except ValueError as error:
        if _has_names(text):
            return None
        raise InputError(f"The file is JSON, but it does not parse: {error}.") from None
    return _table(data)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as whole:
        with suppress(ValueError):
            return [json.loads(line) for line in _lines(text)]
        raise whole from None


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _has_names(text: str) -> bool:
    r"""Whether a text that is no JSON is one of lines, with names such as [Fe/H] in the first.

    >>> _has_names("[Fe/H],y\n1,2\n"), _has_names("[[1, 2],\n[3, 4"), _has_names("[1, 2")
    (True, False, False)
    """
    first, second = (*islice(_lines(text), 2), "", "")[:2]
    closed = all(first.count(left) == first.count(right) for left, right in ("[]", "{}"))
    return closed and bool(second) and second[0] not in "[{" and not _is_json(first)


def _is_json(line: str) -> bool:
    with suppress(ValueError):
        json.loads(line)
        return True
    return False


def _table(data: Any) -> ColumnTable:
    match data:
        case {"columns": list(names), "data": list(rows)} if all(isinstance(r, list) for r in rows):
            return table_of_cells(_even([names, *rows]))
        case [dict(), *_] if all(isinstance(row, Mapping) for row in data):
            names = list(dict.fromkeys(name for row in data for name in row))
            return ColumnTable(names, [[row.get(name) for row in data] for name in names])
        case [list(), *_] if all(isinstance(row, list) for row in data):
            return table_of_cells(_even(data))
        case dict() if data and all(isinstance(column, list) for column in data.values()):
            sizes = {name: len(column) for name, column in data.items()}
            if len(set(sizes.values())) > 1:
                raise InputError(f"Columns have one value per row; received so many: {sizes}.")
            return ColumnTable(list(data), list(data.values()))
        case dict() if data and all(isinstance(column, Mapping) for column in data.values()):
            return ColumnTable(list(data), _aligned(data))
    raise InputError(
        f"A table in JSON is {FORMS}; received {_described(data)}. Save the table alone."
    )


def _described(data: Any) -> str:
    """Return what a text in JSON is, for someone who expected a table.

    >>> _described({"meta": {}, "data": [1]}), _described([1, "a"]), _described(3)
    ("an object of 'meta' (object) and 'data' (list)", 'a list of number and text', 'a number')
    """
    if isinstance(data, Mapping) and data:
        parts = [f"{name!r} ({_kind(value)})" for name, value in islice(data.items(), MOST)]
        parts += [f"{len(data) - MOST} more"] if len(data) > MOST else []
        return f"an object of {_and(parts)}"
    if isinstance(data, list) and data:
        return f"a list of {_and(list(dict.fromkeys(map(_kind, data))))}"
    return {"object": "an empty object", "list": "an empty list"}.get(
        _kind(data), f"a {_kind(data)}"
    )


def _and(parts: Sequence[str]) -> str:
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


def _kind(value: Any) -> str:
    kinds = {dict: "object", list: "list", str: "text", bool: "truth value", type(None): "null"}
    return kinds.get(type(value), "number")


def _aligned(columns: Mapping[str, Mapping[str, Any]]) -> list[list[Any]]:
    """Return the values of columns whose rows have keys, in the order of the first column."""
    first, keys = next((name, list(column)) for name, column in columns.items())
    for name, column in columns.items():
        other = min(column.keys() ^ set(keys), default=None)
        if other is not None:
            with_it, without = (name, first) if other in column else (first, name)
            raise InputError(
                f"Columns of objects have the same keys, one per row; {with_it!r} has {other!r} "
                f"and {without!r} does not. Write null where a value is missing."
            )
    return [[column[key] for key in keys] for column in columns.values()]


def _even(rows: Sequence[list[Any]]) -> list[list[Any]]:
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise InputError(f"Rows have the same number of fields; received {sorted(lengths)}.")
    return list(rows)
