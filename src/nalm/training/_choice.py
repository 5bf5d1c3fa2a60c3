"""Fields of a dataclass that accept a name or an object."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Given = TypeVar("Given")
Kept = TypeVar("Kept")


class Choice(Generic[Given, Kept]):
    """A dataclass field that is given as a name or an object and is always read as the object.

    Parameters
    ----------
    convert
        From what is given to the object; it raises for unknown names.
    default
        What is taken if nothing is given.
    """

    def __init__(self, convert: Callable[[Given], Kept], default: Given) -> None:
        self._convert, self._default = convert, default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Kept:
        if instance is None:  # the dataclass asks for its default
            return self._convert(self._default)
        return instance.__dict__[self._name]

    def __set__(self, instance: Any, value: Given) -> None:
        instance.__dict__[self._name] = self._convert(value)
