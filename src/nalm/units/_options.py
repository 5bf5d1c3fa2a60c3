"""Checks of a unit's sizes and options against their annotations, once, for every unit."""

import sys
from collections.abc import Callable
from dataclasses import field, fields
from functools import lru_cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from nalm._internal.checks import shown
from nalm.errors import InputError, unknown

LARGEST = 2**31 - 1
"""The largest whole number of a size or option."""


def option(*, default: Any, rule: str, valid: Callable[[Any], bool], later: bool = False) -> Any:
    """Declare an option of a unit whose value must also satisfy a rule.

    Parameters
    ----------
    default
        The value of the option unless another is given.
    rule
        The rule as it completes "scale of SignedSum must be ...".
    valid
        Whether a value that fits the annotation satisfies the rule.
    later
        Whether it was added when models were stored already. At its default it is left out of
        what identifies a model, so that those are found again.

    Examples
    --------
    >>> from nalm.units import NAU
    >>> class Scaled(NAU):
    ...     scale: float = option(
    ...         default=1.0, rule="a number above 0", valid=lambda value: value > 0
    ...     )
    >>> Scaled(2, 1, scale=-1.0)
    Traceback (most recent call last):
    nalm.errors.InputError: scale of Scaled must be a number above 0; received -1.0.
    """
    return field(default=default, metadata={"rule": rule, "valid": valid, "later": later})


def written(model: Any) -> dict[str, Any]:
    """Return the fields that identify a model: all but later ones at their default."""
    return {
        declared.name: getattr(model, declared.name)
        for declared in fields(model)
        if not declared.metadata.get("later") or getattr(model, declared.name) != declared.default
    }


def check_options(unit: Any) -> None:
    """Raise an error that names the first size or option with a value that is not allowed."""
    hints = _hints(type(unit))
    for declared in fields(unit):
        value = getattr(unit, declared.name)
        hint = hints[declared.name]
        valid = declared.metadata.get("valid", lambda _: True)
        plain = _plain(value)
        if _fits(plain, hint) and valid(plain):
            object.__setattr__(unit, declared.name, plain)
            continue
        rule = declared.metadata.get("rule")
        words = _words(hint)
        if words and not rule and isinstance(value, str):
            raise unknown(f"{declared.name} of {type(unit).__name__}", value, words)
        rule = rule or (f"one of {words}" if words else _rule(hint))
        raise InputError(
            f"{declared.name} of {type(unit).__name__} must be {rule}; received {shown(value)}."
        )


@lru_cache(maxsize=256)
def _hints(cls: type) -> dict[str, Any]:
    """Return the annotations of a class; every unit that is made asks."""
    return get_type_hints(cls)


def check_names(cls: type, options: Any) -> None:
    """Raise an error if `cls` has no option of one of these names."""
    known = [f.name for f in fields(cls) if f.name not in {"in_features", "out_features"}]
    for name in options:
        if name not in known:
            raise unknown("option", name, known, owner=cls.__name__)


def _plain(value: Any) -> Any:
    """Return NumPy numbers as Python's, lists as tuples."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def _fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911 (one line per kind of annotation)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, arg) for arg in args)
    if origin is Literal:
        return type(value) in {type(arg) for arg in args} and value in args
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if args[1:] == (Ellipsis,):
            return all(_fits(v, args[0]) for v in value)
        return len(value) == len(args) and all(map(_fits, value, args))
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST
    if hint is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and abs(value) <= sys.float_info.max
    return isinstance(value, hint)


def _words(hint: Any) -> list[str]:
    """Return the texts an annotation allows."""
    if get_origin(hint) is Literal:
        return [arg for arg in get_args(hint) if isinstance(arg, str)]
    return [word for arg in get_args(hint) for word in _words(arg)]


def _rule(hint: Any) -> str:
    if hint is int:
        return f"a whole number from 1 to {LARGEST}"
    if hint is bool:
        return "True or False"
    if hint is float:
        return "a finite number"
    return str(hint).replace("typing.", "")
