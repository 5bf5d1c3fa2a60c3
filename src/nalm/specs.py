"""Frozen dataclasses as JSON and back: what a run is, written so that it can be hashed and read."""

import hashlib
import json
from dataclasses import Field, fields, is_dataclass
from typing import Any

from nalm import distributions, tasks
from nalm.engine import recipe
from nalm.errors import InputError
from nalm.networks import Stack
from nalm.saving import describe, described_model
from nalm.units import Unit

CLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        distributions.Uniform,
        tasks.Benford,
        tasks.Composition,
        tasks.Exponential,
        tasks.Grid,
        tasks.Halves,
        tasks.Near,
        tasks.Sobol,
        tasks.Tied,
        tasks.TruncatedNormal,
        tasks.Union,
        tasks.Task,
        recipe.Decay,
        recipe.Growth,
        recipe.Late,
        recipe.Reinitialise,
        recipe.Ramp,
        recipe.Recipe,
        recipe.Snap,
    )
}


def encode(value: Any) -> Any:
    """Return a value as JSON: a model as in its files, a dataclass as an object with its type."""
    if isinstance(value, Unit | Stack):
        return describe(value)
    if is_dataclass(value) and not isinstance(value, type):
        written = [field.name for field in fields(value) if _written(value, field)]
        described = {name: encode(getattr(value, name)) for name in written}
        return {"type": type(value).__name__, **described}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return value


def _written(value: Any, field: Field) -> bool:
    """Tell whether a field is part of the JSON: not if it was added later and is at its default."""
    return not field.metadata.get("later") or getattr(value, field.name) != field.default


def decode(value: Any) -> Any:
    """Return what `encode` wrote; names and fields it does not know are errors."""
    if isinstance(value, list):
        return tuple(decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    if not {"unit", "stack", "affine", "network"}.isdisjoint(value):
        return described_model(value)
    if value.get("type") not in CLASSES:
        raise InputError(f"There is no type {value.get('type')!r} in this version of nalm.")
    options = {name: decode(item) for name, item in value.items() if name != "type"}
    return CLASSES[value["type"]](**options)


def canonical(value: Any) -> str:
    """Return the one JSON text of a value."""
    return json.dumps(encode(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
