"""Sympy expressions of inputs and exact weights, built from symbols and never parsed from text."""

from typing import TYPE_CHECKING, Any

import numpy as np

from nalm.errors import InputError

if TYPE_CHECKING:
    import sympy


ROUNDING = 1e-6
"""The largest ε that formulas leave out: about what the units are published with."""


def inputs(names: Any, count: int) -> list["sympy.Expr"]:
    """Return one expression per input: symbols for names, expressions as they are."""
    import sympy

    if names is None:
        names = [f"x{i + 1}" for i in range(count)]
    if isinstance(names, str):
        raise InputError(f"Names are a list with one entry per input; received the text {names!r}.")
    names = list(names)
    if len(names) != count:
        raise InputError(f"A formula of {count} inputs needs {count} names; received {len(names)}.")
    texts = [name for name in names if isinstance(name, str)]
    if not all(text.strip() for text in texts) or len(set(texts)) < len(texts):
        raise InputError(f"Names are different and not empty; received {list(names)}.")
    for name in names:
        if not isinstance(name, str | sympy.Basic):
            raise InputError(f"A name is text or a sympy expression; received {name!r}.")
    return [_expression(name) for name in names]


def _expression(name: Any) -> "sympy.Expr":
    """Return a name as a symbol, a comparison as the number 1 or 0, an expression as it is."""
    import sympy

    if isinstance(name, str):
        return sympy.Symbol(name)
    if isinstance(name, sympy.logic.boolalg.Boolean) and not isinstance(name, sympy.Symbol):
        return sympy.Piecewise((1, name), (0, True))
    return name


def linear(row: np.ndarray, x: list["sympy.Expr"]) -> "sympy.Expr":
    """Return Σ w·x; what has the weight 0 is left out, whatever it is.

    >>> import sympy
    >>> linear(np.array([1, 0]), [sympy.Symbol("a"), sympy.zoo])
    a
    """
    import sympy

    return sympy.Add(*(w * x_i for w, x_i in zip(row, x, strict=True) if w != 0))


def monomial(row: np.ndarray, x: list["sympy.Expr"]) -> "sympy.Expr":
    """Return Π x^w."""
    import sympy

    return sympy.Mul(*(x_i**w for w, x_i in zip(row, x, strict=True) if w != 0))


def magnitude(expression: "sympy.Expr") -> "sympy.Expr":
    """Return `|expression|`."""
    import sympy

    return sympy.Abs(expression)


def enlarged(x: list["sympy.Expr"], epsilon: float) -> list["sympy.Expr"]:
    """Return inputs with their magnitudes enlarged by ε, unless it is within rounding.

    >>> import sympy
    >>> enlarged([sympy.Symbol("a", positive=True)], 0.5), enlarged([sympy.Symbol("a")], 1e-7)
    ([a + 0.5], [a])
    """
    import sympy

    if epsilon <= ROUNDING:
        return x
    return [sympy.sign(x_i) * (sympy.Abs(x_i) + epsilon) for x_i in x]


def relation(truth: tuple[bool, ...], a: "sympy.Expr", b: "sympy.Expr") -> "sympy.Basic":
    """Return the comparison of a and b that has these truths where a > b, a = b and a < b."""
    import sympy

    relations: dict[tuple[bool, ...], Any] = {
        (True, False, False): sympy.Gt,
        (True, True, False): sympy.Ge,
        (False, False, True): sympy.Lt,
        (False, True, True): sympy.Le,
        (False, True, False): sympy.Eq,
        (True, False, True): sympy.Ne,
        (True, True, True): lambda *_: sympy.true,
        (False, False, False): lambda *_: sympy.false,
    }
    return relations[truth](a, b)


def opposite(truth: "sympy.Basic") -> "sympy.Basic":
    """Return what is true where a comparison is false."""
    import sympy

    return sympy.Not(truth)
