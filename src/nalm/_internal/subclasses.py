"""What happens to a class that derives from one of nalm: it becomes data, and it is checked."""

from collections.abc import Iterable
from dataclasses import Field, dataclass
from inspect import signature
from types import FunctionType

from nalm.errors import InputError


def make_dataclass(cls: type) -> None:
    """Make a class a frozen dataclass, so that a decorator that does so again changes nothing.

    Its base refuses every change of an attribute.
    """
    declared = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
    dataclass(frozen=True)(cls)
    for method in ("__setattr__", "__delattr__"):
        delattr(cls, method)
    for name, value in declared.items():
        setattr(cls, name, value)


def check_signatures(cls: type, base: type, names: Iterable[str]) -> None:
    """Raise unless the methods of these names in a class can be called as those of a base are.

    >>> class Base:
    ...     def apply(self, x): ...
    >>> class Mine:
    ...     def apply(self): ...
    >>> check_signatures(Mine, Base, ["apply"])
    Traceback (most recent call last):
    nalm.errors.InputError: Write def apply(self, x) in Mine; received def apply(self).
    """
    for name in names:
        method = vars(cls).get(name)
        if not isinstance(method, FunctionType):
            continue
        wanted = list(signature(getattr(base, name)).parameters)
        received = signature(method)
        try:
            received.bind(*wanted)
        except TypeError:
            raise InputError(
                f"Write def {name}({', '.join(wanted)}) in {cls.__name__}; received "
                f"def {name}({', '.join(map(str, received.parameters.values()))})."
            ) from None
