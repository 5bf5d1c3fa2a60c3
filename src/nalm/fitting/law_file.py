"""Laws on disk: one JSON file; nothing in it is executed when it is loaded.

The file has a checksum of its contents. Whoever changes a law by hand removes the line "sha256".
"""

import json
import os
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path
from typing import Any

from nalm._internal.files import is_file, write_whole
from nalm._internal.strict_json import CHECKSUM, check_keys, checksum, parsed
from nalm.errors import InputError, ModelFileError
from nalm.fitting.constants import Constant
from nalm.fitting.evidence.outliers import Outlier
from nalm.fitting.evidence.verify import LawOutcome
from nalm.fitting.inputs import check_names
from nalm.fitting.law import Alternative, Law
from nalm.fitting.tree.json_form import (
    decoded_number,
    decoded_tree,
    encoded_number,
    encoded_tree,
)

FORMAT = 4
"""The version of the format; it grows when older readers could no longer read a file."""
LARGEST = 64 * 2**20
"""The most bytes of a file."""


def save_laws(path: str | os.PathLike[str], laws: Sequence[Law]) -> None:
    """Write laws to a file, whole or not at all."""
    data: dict[str, Any] = {"format": FORMAT, "laws": [_encoded(law) for law in laws]}
    data = {CHECKSUM: checksum(data), **data}
    write_whole(path, json.dumps(data, indent=1).encode())


def load_laws(path: str | os.PathLike[str]) -> list[Law]:
    """Read the laws of a file that `save_laws` wrote."""
    if not is_file(path):
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    if Path(path).stat().st_size > LARGEST:
        raise ModelFileError(
            f"A file of laws has at most {LARGEST // 2**20} MB; {str(path)!r} is larger. "
            "It is of another kind, or damaged."
        )
    try:
        data = parsed(Path(path).read_bytes().decode("utf-8"))
        _check_format(data, path)
        return [_decoded(entry) for entry in data["laws"]]
    except ModelFileError:
        raise
    except ValueError as error:
        reason = "it is no text in UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise ModelFileError(
            f"{str(path)!r} is not a file of laws, or it is damaged: {reason}. Save the law again."
        ) from None


def _check_format(data: Any, path: str | os.PathLike[str]) -> None:
    """Raise unless this is an object that this version can read, and its checksum is right."""
    if not isinstance(data, dict) or not _is_count(data.get("format")):
        raise ValueError("it has no format")
    if data["format"] > FORMAT:
        raise ModelFileError(
            f"{str(path)!r} was written by a newer version of nalm. Install a newer version."
        )
    check_keys(data, {"format", "laws"}, {CHECKSUM})
    if CHECKSUM in data and data[CHECKSUM] != checksum(data):
        raise ModelFileError(
            f"{str(path)!r} is damaged or was changed: its checksum is not that of its contents. "
            f'Save the law again; if you changed it yourself, remove the line "{CHECKSUM}".'
        )
    if not isinstance(data["laws"], list) or not data["laws"]:
        raise ValueError("it has no laws")


def load_law(path: str | os.PathLike[str]) -> Law:
    """Read the only law of a file."""
    laws = load_laws(path)
    if len(laws) != 1:
        raise ModelFileError(
            f"A file of one law is read; {str(path)!r} has {len(laws)}. "
            "Read it with ArithmeticRegressor.load."
        )
    return laws[0]


def _encoded(law: Law) -> dict[str, Any]:
    plain = {name: getattr(law, name) for name in law.__dataclass_fields__}
    plain["tree"] = encoded_tree(law.tree)
    plain["names"] = list(law.names)
    plain["alternatives"] = [
        [encoded_tree(a.tree), a.complexity, a.error] for a in law.alternatives
    ]
    plain["outliers"] = [[o.row, o.value, o.expected] for o in law.outliers]
    plain["constants"] = [
        [c.name, encoded_number(c.value), c.error, *c.interval, c.unit] for c in law.constants
    ]
    return plain


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_size(value: Any) -> bool:
    """Whether this is a number of at least 0, perhaps infinite."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and not isnan(value) and value >= 0


PLAIN: dict[str, Callable[[Any], bool]] = {
    "outcome": lambda value: value in [outcome.value for outcome in LawOutcome],
    "reason": _is_text,
    "noise": _is_size,
    "error": _is_size,
    "rows": _is_count,
    "held_out": _is_count,
    "seconds": _is_size,
    "target": lambda value: value is None or isinstance(value, str),
}
"""Which values the fields of a law have that are no formulas."""


def _decoded(entry: Any) -> Law:
    """Return a law, or raise ValueError."""
    optional = {"target", "outliers", "constants"}
    check_keys(entry, {"tree", "names", "alternatives", *PLAIN} - optional, optional)
    for name, fits in PLAIN.items():
        if name in entry and not fits(entry[name]):
            raise ValueError(f"{name} cannot be {str(entry[name])[:60]!r}")
    names = _decoded_names(entry["names"])
    changed = {
        "tree": decoded_tree(entry["tree"], len(names)),
        "names": names,
        "alternatives": _decoded_alternatives(entry["alternatives"], names),
        "outliers": _decoded_outliers(entry.get("outliers", [])),
        "constants": _decoded_constants(entry.get("constants", [])),
    }
    return Law(**(entry | changed))


def _decoded_names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not names or not all(map(_is_text, names)):
        raise ValueError("names are texts, one per column")
    try:
        check_names(names, len(names))
    except InputError:
        raise ValueError("two columns have the same name") from None
    return tuple(names)


def _decoded_alternatives(entries: Any, names: tuple[str, ...]) -> tuple[Alternative, ...]:
    if not isinstance(entries, list):
        raise ValueError("alternatives are a list")
    found = []
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 3 or not _is_size(entry[2]):
            raise ValueError("an alternative is a formula, its complexity and its error")
        found.append(Alternative(decoded_tree(entry[0], len(names)), names, entry[2]))
    return tuple(found)


def _decoded_outliers(entries: Any) -> tuple[Outlier, ...]:
    if not isinstance(entries, list):
        raise ValueError("outliers are a list")
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 3 or not _is_count(entry[0]):
            raise ValueError("an outlier is a row, its value and the expected one")
        if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in entry[1:]):
            raise ValueError("the values of an outlier are numbers")
    return tuple(Outlier(row, float(value), float(law)) for row, value, law in entries)


def _decoded_constants(entries: Any) -> tuple[Constant, ...]:
    if not isinstance(entries, list):
        raise ValueError("constants are a list")
    found = []
    for entry in entries:
        match entry:
            case [str(name), value, error, low, high, str() | None as unit] if _is_size(error):
                number = decoded_number(value)
                if not all(_is_limit(limit) for limit in (low, high)):
                    raise ValueError("an interval of a constant is two numbers")
                found.append(Constant(name, number, error, (low, high), unit))
            case _:
                raise ValueError("a constant is a name, a number, its error, interval and unit")
    return tuple(found)


def _is_limit(value: Any) -> bool:
    """Whether this is a number, perhaps infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and not isnan(value)
