"""Where a class or function was defined: its source, and the values of the names in it."""

import __future__

import ast
import inspect
import linecache
import symtable
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any


class Scope:
    """Where the names in the source of a class or function have their values."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.functions = functions_of(value)
        module = sys.modules.get(value.__module__)
        self.globals: Mapping[str, Any] = (
            self.functions[0].__globals__ if self.functions else vars(module) if module else {}
        )
        self.closure = {
            name: cell.cell_contents
            for function in self.functions
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            )
            if name != "__class__"
        }
        bases = value.__mro__[1:] if isinstance(value, type) else ()
        self.bases = {base.__name__: base for base in bases}

    def find(self, name: str) -> tuple[Any] | None:
        """Return the value of a name, in a tuple; None where there is none."""
        for names in (self.closure, self.globals, self.bases):
            if name in names:
                return (names[name],)
        return None

    def annotated(self) -> set[str]:
        """Return the names in annotations that are text; the names in others are in the code."""
        texts = vars(self.value).get("__annotations__", {}).values()
        return {
            node.id
            for text in texts
            if isinstance(text, str)
            for node in ast.walk(ast.parse(text, mode="eval"))
            if isinstance(node, ast.Name)
        }

    def local_import(self, name: str) -> str | None:
        """Return the import that gives a name its value in a function around the definition."""
        found = definition(self.value)
        if found is None:
            return None
        around = [
            function
            for function in ast.walk(found.tree)
            if isinstance(function, ast.FunctionDef) and _within(found.node, function)
        ]
        for node in (node for function in around for node in ast.walk(function)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name.partition(".")[0]) == name:
                        node.names = [alias]
                        return ast.unparse(node)
        return None


@dataclass(frozen=True)
class Definition:
    """The lines of a file or cell, their tree, and the definition of a class or function there."""

    lines: list[str]
    tree: ast.Module
    node: Any

    @property
    def text(self) -> str:
        """The definition without indentation."""
        return dedent("".join(self.lines[_first(self.node) - 1 : self.node.end_lineno])).strip()


def source(value: Any) -> str | None:
    """Return the source of a class or function, without indentation; None if it is not known."""
    found = definition(value)
    if found is not None:
        return found.text
    if any(function.__name__ != "<lambda>" for function in functions_of(value)):
        return None
    try:
        return dedent(inspect.getsource(value)).strip()
    except (OSError, TypeError):
        return None


def why_unknown(value: Any) -> str:
    """Say why a class or function has no source, and what helps, after "cannot be read,"."""
    kind = "class" if isinstance(value, type) else "function"
    files = {function.__code__.co_filename for function in functions_of(value)}
    if any(Path(file).is_file() for file in files):
        return "because its file has changed since it was imported. Start Python again."
    if "<stdin>" in files:
        cause = "because it was typed into standard input"
    elif value.__module__ == "__main__" and sys.argv[:1] == ["-c"]:
        cause = "because it was given to python -c"
    else:
        cause = "because no file or notebook cell defines it"
    return f"{cause}. Put the {kind} into a file."


def definition(value: Any) -> Definition | None:
    """Return where a class or function is defined.

    Python finds the source of a class by the file of its module, which a notebook does not have.
    The code of its methods knows the cell; for a class without methods, the last cell that
    defines its name is taken.
    """
    kind = ast.ClassDef if isinstance(value, type) else ast.FunctionDef
    codes = [function.__code__ for function in functions_of(value)]
    places: list[tuple[str, CodeType | None]] = [(code.co_filename, code) for code in codes]
    if not codes and value.__module__ == "__main__":
        places = [(name, None) for name in reversed(linecache.cache) if not Path(name).exists()]
    for file, code in places:
        lines = linecache.getlines(file)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:
            continue
        if code is not None and not is_from(code, file, lines):
            return None
        for node in reversed(list(ast.walk(tree))):
            if isinstance(node, kind) and node.name == value.__name__ and _spans(node, code):
                return Definition(lines, tree, node)
    return None


def is_from(code: CodeType, file: str, lines: list[str]) -> bool:
    """Tell whether a file still holds the code that was imported from it."""
    rewritten = any(name.startswith("@") for name in code.co_names)  # by pytest
    if rewritten or not Path(file).is_file():
        return True
    return code in _codes(compile("".join(lines), file, "exec"))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _spans(node: Any, code: CodeType | None) -> bool:
    return code is None or _first(node) <= code.co_firstlineno <= node.end_lineno


def _first(node: Any) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _within(inner: Any, outer: Any) -> bool:
    return outer.lineno < inner.lineno and inner.end_lineno <= outer.end_lineno


def functions_of(value: Any) -> list[FunctionType]:
    """Return the function itself, or the functions that are written in the body of a class."""
    members = vars(value).values() if isinstance(value, type) else [value]
    found = []
    for member in members:
        for attribute in ("__func__", "fget", "func"):
            member = getattr(member, attribute, member)  # noqa: PLW2901 (what a member wraps)
        function = inspect.unwrap(member) if callable(member) else member
        if isinstance(function, FunctionType) and function.__code__.co_filename != "<string>":
            found.append(function)
    return found


def names_used(text: str) -> set[str]:
    r"""Return the names that a source refers to and does not define inside.

    >>> sorted(names_used("class A(B):\n    def f(self, x):\n        return g(x)"))
    ['B', 'g']
    """
    tables = [symtable.symtable(text, "<source>", "exec")]
    found = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and s.is_global()}
    return found


def postpones_annotations(cls: type) -> bool:
    """Tell whether annotations stay text where a class was defined."""
    flag = __future__.annotations.compiler_flag
    return any(function.__code__.co_flags & flag for function in functions_of(cls))
