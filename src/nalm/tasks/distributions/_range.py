"""The bounds of distributions: checks, and numbers in labels."""

from math import isfinite
from typing import Any

from nalm._internal.checks import shown
from nalm.errors import InputError

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
"""A number in a label, as a regular expression without groups."""


def check_numbers(distribution: Any, *names: str) -> None:
    """Keep these fields as floats; raise unless they are finite numbers."""
    for name in names:
        value = getattr(distribution, name)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if isinstance(value, str | bool) or not isfinite(number):
            raise InputError(
                f"{name} of {type(distribution).__name__} is a finite number; received "
                f"{shown(value)}."
            )
        object.__setattr__(distribution, name, number)


def check_range(distribution: Any) -> None:
    """Keep the bounds as floats; raise unless they are finite and in order."""
    low, high = distribution.low, distribution.high
    try:
        check_numbers(distribution, "low", "high")
        ordered = distribution.low < distribution.high
    except InputError:
        ordered = False
    if not ordered:
        raise InputError(
            f"A range has finite bounds with lower < upper; received [{low}, {high}). Swap them?"
        )
