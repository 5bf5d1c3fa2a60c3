"""Frozen dataclasses as JSON and back: what a run is, written so that it can be hashed and read.

Tables are no part of it: a task of a table has the digest of its content, and `decode` takes the
tables beside it.
"""

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from importlib import import_module
from textwrap import shorten
from typing import Any

import numpy as np

from nalm._internal.custom import find, is_custom, source_of
from nalm.errors import InputError, NalmError, unknown
from nalm.networks import Stack
from nalm.networks.saving import describe, described_model
from nalm.tasks import DISTRIBUTIONS, TARGETS, Distribution, Expression, Task
from nalm.training.losses import LOSSES
from nalm.training.optimizers import Optimizer
from nalm.training.recipe import Recipe
from nalm.training.rules import Reinitialize, Snap
from nalm.training.schedules import SCHEDULES
from nalm.units import Unit

Tables = Mapping[str, np.ndarray]
"""Tables by their digest."""
CLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        *DISTRIBUTIONS.values(),
        *TARGETS.values(),
        Expression,
        Task,
        Optimizer,
        Recipe,
        Reinitialize,
        Snap,
        *SCHEDULES.values(),
        *map(type, LOSSES.values()),
    )
}
"""What a description may have in it, by the name of its type."""

ROOMS = {"vision"}
"""Packages of nalm above this one whose classes may be in it, too, as `vision.DigitPairs`.

Each has them by name in `DESCRIBED`, and is loaded when a description has one.
"""
RESERVED = {"type", "source"}
"""Keys of an object that are no fields: its class, and the digest of a custom class's source."""


def encode(value: Any) -> Any:
    """Return a value as JSON: a model as in its files, a dataclass as an object with its type."""
    if isinstance(value, Unit | Stack):
        return describe(value)
    if is_dataclass(value) and not isinstance(value, type):
        written = [field.name for field in fields(value) if _written(value, field)]
        described = {name: encode(getattr(value, name)) for name in written}
        return {**described_class(type(value)), **described}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return value


def described_class(cls: type) -> dict[str, str]:
    """Return the name of a class, and the digest of its source if it is custom."""
    if not is_custom(cls):
        return {"type": getattr(cls, "described_as", cls.__name__)}
    source = source_of(cls)
    return {"type": source.name, "source": source.digest}


def _written(value: Any, field: Field) -> bool:
    """Tell whether a field is part of the JSON.

    Not if it is no part of what is trained, nor if it was added later and is at its default.
    """
    if not field.metadata.get("described", True):
        return False
    return not field.metadata.get("later") or getattr(value, field.name) != field.default


def decode(value: Any, tables: Tables | None = None) -> Any:
    """Return what `encode` wrote; names and fields it does not know are errors.

    Raises
    ------
    InputError
        If no `encode` wrote it.
    """
    try:
        return _decoded(value, tables)
    except NalmError:
        raise
    except (
        ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        reason = shorten(f"{type(error).__name__}: {error}", 300, placeholder=" …")
        raise InputError(
            f"A description is JSON that nalm wrote; this one is damaged or of a newer nalm "
            f"({reason})."
        ) from None


def _decoded(value: Any, tables: Tables | None) -> Any:
    if isinstance(value, list):
        return tuple(_decoded(item, tables) for item in value)
    if not isinstance(value, dict):
        return value
    if not {"unit", "stack", "affine", "network"}.isdisjoint(value):
        return described_model(value)
    options = {key: _decoded(item, tables) for key, item in value.items() if key not in RESERVED}
    cls = _class(value)
    if issubclass(cls, Distribution):
        return cls.described(options, tables or {})
    return getattr(cls, "from_json", cls)(**options)


def _class(described: dict[str, Any]) -> type:
    if "source" in described:
        return find(described["source"], described["type"])
    wanted = str(described.get("type"))
    room, _, name = wanted.rpartition(".")
    known = import_module(f"nalm.{room}").DESCRIBED if room in ROOMS else CLASSES
    if name not in known or room not in {"", *ROOMS}:
        raise unknown("type", wanted, known)
    return known[name]


def encode_tables(tables: Tables) -> dict[str, Any]:
    """Return tables as JSON, by their digest, for a worker or a store."""
    return {
        digest: {"shape": table.shape, "data": b64encode(table.astype("<f8").tobytes()).decode()}
        for digest, table in tables.items()
    }


def decode_tables(encoded: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return what `encode_tables` wrote."""
    return {
        digest: np.frombuffer(b64decode(found["data"]), "<f8").reshape(found["shape"])
        for digest, found in encoded.items()
    }


def canonical(value: Any) -> str:
    """Return the one JSON text of a value."""
    return json.dumps(encode(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
