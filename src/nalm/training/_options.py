"""Fields of a frozen dataclass that are given as text: `learning_rate=5e-3`, `decay.every=100`."""

from dataclasses import fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from nalm._internal.checks import shown
from nalm.errors import InputError, unknown
from nalm.training.optimizers import Optimizer

Described = TypeVar("Described")


def changed(described: Described, path: str, value: Any) -> Described:
    """Return a description with one field changed; a dot in the path leads into a field."""
    name, _, rest = path.partition(".")
    if isinstance(described, Optimizer):
        return _with_option(described, name, value)
    known = [field.name for field in fields(described)]  # pyright: ignore[reportArgumentType]
    if name not in known:
        raise unknown(_kind(described), name, known)
    if rest:
        return replace(described, **{name: _inside(name, getattr(described, name), rest, value)})  # pyright: ignore[reportArgumentType]
    kind = get_type_hints(type(described))[name]
    current = getattr(described, name)
    return replace(described, **{name: read(name, kind, value, current)})  # pyright: ignore[reportArgumentType]


def _kind(described: object) -> str:
    return f"{type(described).__name__.lower()} field"


def _with_option(optimizer: Any, name: str, value: Any) -> Any:
    return Optimizer(optimizer.name, **(dict(optimizer.options) | {name: literal(value)}))


def _inside(name: str, part: Any, path: str, value: Any) -> Any:
    """Return a part of a description with a field of it changed."""
    if isinstance(part, tuple):
        key, _, rest = path.partition(".")
        pairs = dict(part)
        if not pairs:
            raise InputError(f"This recipe has no {name}; received {name}.{path}={value!r}.")
        if key not in pairs:
            raise unknown("entry", key, pairs, owner=name)
        if not rest:
            raise _needs_field(f"{name}.{key}", pairs[key], value)
        return tuple((k, changed(v, rest, value) if k == key else v) for k, v in part)
    if not is_dataclass(part):
        raise InputError(f"{name} is {part!r} and has no fields; received {name}.{path}={value!r}.")
    return changed(part, path, value)


def _needs_field(path: str, part: Any, value: Any) -> InputError:
    """Say which field of a part a value may be meant for."""
    if isinstance(part, tuple) and part:
        names = [key for key, _ in part]
        wanted = value if value in names else names[0]
        return InputError(
            f"{path} has {', '.join(names)}; write {path}.{wanted}.FIELD=VALUE. Fields of "
            f"{wanted} are {_fields(dict(part)[wanted])}. Received {path}={value}."
        )
    if is_dataclass(part):
        first = fields(part)[0].name
        return InputError(f"Write {path}.{first}={value}; its fields are {_fields(part)}.")
    return InputError(
        f"This recipe has no {path}, and text cannot add one; received {path}={value}. Write a "
        "nalm.Recipe in Python."
    )


def _fields(part: Any) -> str:
    return ", ".join(field.name for field in fields(part))


def read(name: str, kind: Any, value: Any, current: Any) -> Any:
    """Return a value, or its text converted to what a field, which holds another now, holds."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if NoneType in kinds and text.lower() == "none":
        return None
    for each in kinds:
        if each in READERS:
            return _converted(name, each, text)
        if get_origin(each) is Literal:
            return text
    if any(get_origin(each) is tuple or is_dataclass(each) for each in kinds):
        raise _needs_field(name, current, text)
    return text


def _converted(name: str, kind: type, text: str) -> Any:
    rule, convert = READERS[kind]
    try:
        return convert(text)
    except (KeyError, ValueError):
        raise InputError(f"{name} is {rule}; received {shown(text)}.") from None


def _whole(text: str) -> int:
    number = float(text)
    if number != int(number):
        raise ValueError
    return int(text) if text.lstrip("+-").replace("_", "").isdigit() else int(number)


BOOLEANS = {"true": True, "false": False}
READERS: dict[type, tuple[str, Any]] = {
    bool: ("true or false", lambda text: BOOLEANS[text.lower()]),
    int: ("a whole number", _whole),
    float: ("a number", float),
}
"""What each kind of field is called, and how its text is read."""


def literal(value: Any) -> Any:
    """Return text as the boolean, None or number that it spells, or else as it is.

    >>> [literal(text) for text in ("0.9", "true", "none", "10", "hard")]
    [0.9, True, None, 10, 'hard']
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    if text.lower() == "none":
        return None
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text
