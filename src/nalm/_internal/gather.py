"""The source of a class, with everything it refers to: a text that can be executed on its own.

A class that was defined in a notebook, a script or a function exists in one process only. Its
source, the imports, functions, classes and constants that the source refers to, and those that
they refer to in turn, are enough to define it again in another process.
"""

import ast
import builtins
import inspect
import sys
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from math import isfinite
from pathlib import Path
from types import FunctionType, GenericAlias, ModuleType, UnionType
from typing import Any

import numpy as np

from nalm._internal.source import Scope, names_used, postpones_annotations, source, why_unknown
from nalm.errors import InputError

LARGEST = 10_000
"""The most characters of a constant that is written into the text."""
INSTALLED = {"site-packages", "dist-packages"}
"""The folders of packages that another process can import as well."""
PLAIN = (bool, int, float, str, bytes, type(None), type(...))


@dataclass(frozen=True)
class Gathered:
    """The text of a class and the global names that it was made from."""

    text: str
    bindings: tuple[tuple[Mapping[str, Any], str, Any], ...]

    def is_current(self) -> bool:
        """Tell whether every global name still has the value that is in the text."""
        return all(names.get(name) is value for names, name, value in self.bindings)


def gather(cls: type) -> Gathered:
    """Return the text that defines a class and all it refers to.

    Raises
    ------
    InputError
        If the source is not known, or if the class refers to a value that cannot be written as
        text, such as an open file or a large array.
    """
    writer = _Writer(cls)
    writer.bind(cls.__name__, cls)
    header = ["from __future__ import annotations"] if postpones_annotations(cls) else []
    return Gathered("\n\n\n".join([*header, *writer.pieces]) + "\n", tuple(writer.bindings))


class _Writer:
    """Writes definitions in an order in which they can be executed."""

    def __init__(self, root: type) -> None:
        self.root = root
        self.pieces: list[str] = []
        self.bound: dict[str, Any] = {}
        self.bindings: list[tuple[Mapping[str, Any], str, Any]] = []

    def bind(self, name: str, value: Any) -> None:
        """Write what gives a name its value, after what that refers to."""
        if name in self.bound:
            if self.bound[name] is not value and not _equal(self.bound[name], value):
                raise self._refusal(f"{name!r} means two things in its source")
            return
        self.bound[name] = value
        statement = _import(name, value)
        if statement is None and (isinstance(value, type) or _is_function(value)):
            statement = self._definition(name, value)
        elif statement is None:
            written = self._constant(name, value)
            if len(written) > LARGEST:
                raise self._refusal(f"{name!r} has more than {LARGEST:,} characters as text")
            statement = f"{name} = {written}"
        self.pieces.append(statement)

    def _definition(self, name: str, value: Any) -> str:
        text = source(value)
        if text is None:
            used = "" if value is self.root else f", which {self.root.__name__} refers to,"
            raise InputError(f"The source of {name}{used} cannot be read, {why_unknown(value)}")
        defined = _defined_name(text)
        if defined is None:
            raise self._refusal(f"the source of {name!r} is more than its definition")
        self.bound.setdefault(defined, value)
        scope = Scope(value)
        for used in sorted(names_used(text) | scope.annotated()):
            if used in self.bound and self.bound[used] is value:
                continue
            self._bind_used(used, scope)
        return text if defined == name else f"{text}\n\n{name} = {defined}"

    def _bind_used(self, name: str, scope: Scope) -> None:
        found = scope.find(name)
        if found is not None:
            self.bind(name, found[0])
            if name in scope.globals:
                self.bindings.append((scope.globals, name, found[0]))
        elif (statement := scope.local_import(name)) is not None:
            if name not in self.bound:
                self.bound[name] = statement
                self.pieces.append(statement)
        elif not hasattr(builtins, name) and name not in {"__name__", "__file__"}:
            raise self._refusal(
                f"{name!r}, which it refers to, is neither global nor imported in its function"
            )

    def _constant(self, name: str, value: Any) -> str:
        """Return the expression of a value."""
        for write in (_plain, self._collection, self._reference, self._instance, self._numbers):
            if (written := write(name, value)) is not None:
                return written
        raise self._refusal(f"{name!r}, which it refers to, is of the type {type(value).__name__}")

    def _collection(self, name: str, value: Any) -> str | None:
        if type(value) is dict:
            pairs = [
                f"{self._constant(name, k)}: {self._constant(name, v)}" for k, v in value.items()
            ]
            return f"{{{', '.join(pairs)}}}"
        if type(value) not in BRACKETS:
            return None
        items = [self._constant(name, item) for item in value]
        if isinstance(value, set | frozenset):
            items.sort()
        before, after = BRACKETS[type(value)]
        comma = "," if len(items) == 1 else ""
        return f"{before}{', '.join(items)}{comma}{after}"

    def _reference(self, _name: str, value: Any) -> str | None:
        if isinstance(value, GenericAlias | UnionType) or type(value).__module__ == "typing":
            self.bind("typing", typing)
            return repr(value)
        if isinstance(value, type | ModuleType) or _is_function(value):
            self.bind(value.__name__, value)
            return value.__name__
        return None

    def _instance(self, name: str, value: Any) -> str | None:
        if isinstance(value, Enum):
            return f"{self._constant(name, type(value))}.{value.name}"
        if not is_dataclass(value):
            return None
        given = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        arguments = [f"{field}={self._constant(name, item)}" for field, item in given.items()]
        return f"{self._constant(name, type(value))}({', '.join(arguments)})"

    def _numbers(self, name: str, value: Any) -> str | None:
        if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "biuf":
            return None
        if value.size > LARGEST // 10:
            raise self._refusal(f"{name!r} is an array of {value.size:,} numbers")
        self.bind("numpy", np)
        array = f"numpy.array({self._constant(name, value.tolist())}, dtype={str(value.dtype)!r})"
        return array if isinstance(value, np.ndarray) else f"{array}[()]"

    def _refusal(self, why: str) -> InputError:
        return InputError(
            f"The source of {self.root.__name__} must be known, for worker processes define it "
            f"again from that text; but {why}. Put the class with all it needs into a file and "
            "give it as FILE.py:CLASS."
        )


BRACKETS: dict[type, tuple[str, str]] = {
    tuple: ("(", ")"),
    list: ("[", "]"),
    set: ("set([", "])"),
    frozenset: ("frozenset([", "])"),
}


def _plain(_name: str, value: Any) -> str | None:
    if type(value) is float and not isfinite(value):
        return f"float({str(value)!r})"
    return repr(value) if type(value) in PLAIN else None


def _defined_name(text: str) -> str | None:
    """Return the one name that a source defines."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    if len(body) != 1:
        return None
    (node,) = body
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _import(name: str, value: Any) -> str | None:
    """Return the import that gives a name its value in every process; None if there is none."""
    if isinstance(value, ModuleType):
        same = value.__name__ == name
        return f"import {name}" if same else f"import {value.__name__} as {name}"
    module = getattr(value, "__module__", None)
    path = getattr(value, "__qualname__", getattr(value, "__name__", None))
    if not (isinstance(module, str) and isinstance(path, str) and is_installed(module)):
        return None
    if getattr(sys.modules.get(module), path, None) is not value:
        return None
    return f"from {module} import {path}" + ("" if path == name else f" as {name}")


def is_installed(module: str) -> bool:
    """Tell whether a module is of Python, of nalm or of an installed package.

    >>> is_installed("math"), is_installed("nalm.units"), is_installed("__main__")
    (True, True, False)
    """
    top = module.partition(".")[0]
    if top in {*sys.stdlib_module_names, "__main__", "nalm"}:
        return module != "__main__"
    file = getattr(sys.modules.get(module), "__file__", None)
    return bool(file) and not INSTALLED.isdisjoint(Path(file).parts)


def _is_function(value: Any) -> bool:
    return isinstance(inspect.unwrap(value) if callable(value) else value, FunctionType)


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and type(a) in PLAIN and a == b
