"""Checks of the numbers and names that people give: the rule, what was received."""

from collections.abc import Callable
from math import isfinite
from os import PathLike
from typing import Any

from nalm.errors import InputError


def shown(value: object, longest: int = 80) -> str:
    """Return the repr of a value as an error has it: short, whatever the value is.

    >>> shown(5), shown(10**5000)
    ('5', 'an int too long to print')
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"an {type(value).__name__} too long to print"
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless the value is a whole number of at least this."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} is a whole number of at least {least}; received {shown(value)}.")


def check_number(name: str, value: Any, rule: str, fits: Callable[[float], bool]) -> None:
    """Raise unless the value is a finite number that fits the rule.

    >>> check_number("momentum", 2, "at least 0 and below 1", lambda m: 0 <= m < 1)
    Traceback (most recent call last):
    nalm.errors.InputError: momentum is a number at least 0 and below 1; received 2.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and _is_finite(value) and fits(value)):
        raise InputError(f"{name} is a number {rule}; received {shown(value)}.")


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # a whole number beyond all floating-point numbers
        return False


def positive(name: str, value: Any) -> None:
    """Raise unless the value is a number above 0."""
    check_number(name, value, "above 0", lambda number: number > 0)


def not_negative(name: str, value: Any) -> None:
    """Raise unless the value is a number of at least 0."""
    check_number(name, value, "of at least 0", lambda number: number >= 0)


def qualified(value: object) -> str:
    """Return the repr of a value, that of an object of nalm with the package it is public in.

    >>> from nalm.units import Uniform
    >>> qualified(Uniform(0, 1)), qualified(0.5)
    ('nalm.units.Uniform(low=0, high=1)', '0.5')
    """
    package, _, rest = type(value).__module__.partition(".")
    return (
        f"nalm.{rest.partition('.')[0]}.{value!r}" if package == "nalm" and rest else shown(value)
    )


def check_path(what: str, path: object) -> None:
    """Raise unless this is the name of a file or folder."""
    if not isinstance(path, str | PathLike) or not str(path) or "\0" in str(path):
        raise InputError(f"{what} has a name; received {shown(path)}. Leave it out, or name one.")
