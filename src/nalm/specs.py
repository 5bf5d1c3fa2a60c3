"""Frozen dataclasses as JSON and back: what a run is, written so that it can be hashed and read."""

import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

from nalm import distributions, tasks
from nalm.engine import recipe
from nalm.errors import InputError
from nalm.networks import Stack
from nalm.units import REGISTRY, Unit, unit

CLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        Stack,
        distributions.Uniform,
        tasks.Benford,
        tasks.Exponential,
        tasks.TruncatedNormal,
        tasks.Union,
        tasks.Task,
        recipe.Growth,
        recipe.Ramp,
        recipe.Recipe,
    )
}


def encode(value: Any) -> Any:
    """Return a value as JSON: a dataclass becomes an object that names its type."""
    if isinstance(value, Unit):
        if REGISTRY.get(value.name) is not type(value):
            raise InputError(f"Only units of the registry can be written down; received {value!r}.")
        return {"unit": value.name, **_fields(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {"type": type(value).__name__, **_fields(value)}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return value


def decode(value: Any) -> Any:
    """Return what `encode` wrote; names and fields it does not know are errors."""
    if isinstance(value, list):
        return tuple(decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    options = {name: decode(item) for name, item in value.items() if name not in {"type", "unit"}}
    if "unit" in value:
        sizes = options.pop("in_features"), options.pop("out_features")
        return unit(value["unit"], *sizes, **options)
    if value.get("type") not in CLASSES:
        raise InputError(f"There is no type {value.get('type')!r} in this version of nalm.")
    return CLASSES[value["type"]](**options)


def canonical(value: Any) -> str:
    """Return the one JSON text of a value."""
    return json.dumps(encode(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
