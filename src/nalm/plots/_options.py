"""The options of a picture by name: of the kind that its function declares."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_origin

from nalm._internal.checks import shown
from nalm.errors import InputError


class Kind(NamedTuple):
    """A kind of value: what it is an object of, and what one and several are called."""

    base: type
    one: str
    several: str


KINDS = {
    int: Kind(Integral, "a whole number", "whole numbers"),
    float: Kind(Real, "a number", "numbers"),
    str: Kind(str, "a text", "texts"),
}


def read(name: str, value: Any, declared: Any) -> Any:
    """Return a value as it is declared: a text is read, one value may be instead of several.

    Parameters
    ----------
    name
        The option.
    value
        What was given.
    declared
        The annotation of the argument; `Any` takes everything.

    Examples
    --------
    >>> read("points", "51", int), read("epsilons", 0.1, Sequence[float])
    (51, [0.1])
    """
    if declared is Any:
        return value
    options = get_args(declared) if isinstance(declared, UnionType) else (declared,)
    if value is None and NoneType in options:
        return None
    (kind,) = (option for option in options if option is not NoneType)
    if get_origin(kind) in (Sequence, tuple):
        item = get_args(kind)[0]
        values = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
        return [_one(name, v, item, KINDS[item].several) for v in values]
    return _one(name, value, kind, KINDS[kind].one)


def _one(name: str, value: Any, kind: type, wanted: str) -> Any:
    found = value
    if isinstance(value, str):
        with suppress(ValueError):
            found = kind(value)
    if not isinstance(found, KINDS[kind].base):
        raise InputError(f"{name} takes {wanted}; received {shown(value)}.")
    return found
