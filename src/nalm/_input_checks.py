"""Checks of the numbers and names that people give: the rule, what was received."""

from collections.abc import Callable
from math import isfinite
from os import PathLike
from typing import Any

from nalm.errors import InputError


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless the value is a whole number of at least this."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} is a whole number of at least {least}; received {value!r}.")


def check_number(name: str, value: Any, rule: str, fits: Callable[[float], bool]) -> None:
    """Raise unless the value is a finite number that fits the rule.

    >>> check_number("momentum", 2, "at least 0 and below 1", lambda m: 0 <= m < 1)
    Traceback (most recent call last):
    nalm.errors.InputError: momentum is a number at least 0 and below 1; received 2.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and isfinite(value) and fits(value)):
        raise InputError(f"{name} is a number {rule}; received {value!r}.")


def positive(name: str, value: Any) -> None:
    """Raise unless the value is a number above 0."""
    check_number(name, value, "above 0", lambda number: number > 0)


def not_negative(name: str, value: Any) -> None:
    """Raise unless the value is a number of at least 0."""
    check_number(name, value, "of at least 0", lambda number: number >= 0)


def check_path(what: str, path: object) -> None:
    """Raise unless this is the name of a file or folder."""
    if not isinstance(path, str | PathLike) or not str(path):
        raise InputError(f"{what} has a name; received {path!r}. Leave it out, or name one.")
