"""What a known form is, and how one is made from what the user passes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.fitting.form.building import Unknown
from nalm.fitting.form.names import Names
from nalm.fitting.form.reading import tree_of_text
from nalm.fitting.form.reading_sympy import tree_of_sympy
from nalm.fitting.tree import Number, Tree, columns_of
from nalm.fitting.tree.folding import folded
from nalm.fitting.tree.limits import excess


@dataclass(frozen=True)
class Form:
    """A formula with unknown constants.

    Parameters
    ----------
    tree
        The formula; each place of a constant is an `Unknown` number.
    """

    tree: Tree

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of the constants, in the order in which they first appear."""
        return tuple(dict.fromkeys(self.places))

    @property
    def places(self) -> list[str]:
        """The constant that each measured number of the tree is."""
        return [number.name for number in self.tree.numbers() if isinstance(number, Unknown)]

    def ties(self) -> np.ndarray:
        """Return `(places, constants)`: 1 where a place is a constant."""
        places, constants = self.places, self.constants
        return np.array([[float(p == c) for c in constants] for p in places])

    def with_values(self, values: Sequence[Number]) -> Tree:
        """Return the formula with these constants, in the same places."""
        given = dict(zip(self.constants, values, strict=True))
        numbers = self.tree.numbers()
        return self.tree.with_numbers(
            [given[n.name] if isinstance(n, Unknown) else n for n in numbers]
        )


def form_of(given: Any, names: Sequence[str]) -> Form:
    """Return the form that a user passes, as text or as a sympy expression."""
    form = Form(_tree(given, names))
    if not form.constants:
        raise InputError(
            f"A form has at least one unknown constant; received {_text(given)}, whose names are "
            "all columns. Give a constant another name, such as a."
        )
    if not columns_of(form.tree):
        raise InputError(
            f"A form uses a column; received {_text(given)} and the columns {_listed(names)}. "
            "Write a column by its name, in backquotes if that is not one word."
        )
    return form


def formula_of(given: Any, names: Sequence[str]) -> Tree:
    """Return the formula without unknown constants that a user passes."""
    form = Form(_tree(given, names))
    if form.constants:
        raise InputError(
            f"A formula to start from is made of columns and numbers; received {_text(given)} "
            f"with the name {form.constants[0]!r}. Known columns: {_listed(names)}."
        )
    return folded(form.tree)


def _tree(given: Any, names: Sequence[str]) -> Tree:
    import sympy

    if isinstance(given, str):
        tree = tree_of_text(given, Names(names))
    elif isinstance(given, sympy.Expr):
        tree = tree_of_sympy(given, Names(names))
    else:
        raise InputError(f"A form is text or a sympy expression; received {shown(given)}.")
    if reason := _excess(Form(tree)):
        raise InputError(f"The form {_text(given)} cannot be used: {reason}.")
    return tree


def _excess(form: Form) -> str | None:
    """Return why a form cannot be computed, or None."""
    try:
        return excess(folded(form.with_values([1.5] * len(form.constants))))
    except OverflowError:
        return "a number of it is beyond floating-point numbers"


def _text(given: Any) -> str:
    return shown(str(given))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:10]) + (" …" if len(names) > 10 else "")
