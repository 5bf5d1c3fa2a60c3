"""Whether two formulas are the same function."""

from typing import TYPE_CHECKING, Any, cast

from nalm.errors import InputError

if TYPE_CHECKING:
    import sympy

POINT = (1.37, 2.11, 3.53, 1.73, 4.19, 2.87, 3.01, 1.09)
CLOSE = 1e-9
"""Where two expressions are compared, and how closely, before they are simplified."""


def same_function(a: "sympy.Basic", b: "sympy.Basic") -> bool:
    """Tell whether two expressions are equal for all positive values of their symbols.

    Positive, for that is what networks are trained on here: `|x|` and `x` are the same function.

    >>> from sympy.abc import x, y
    >>> same_function((x + y) ** 2 / (x + y), x + y), same_function(abs(x), x)
    (True, True)
    >>> same_function(x + y, x * y)
    False
    """
    import sympy

    for expression in (a, b):
        if not isinstance(expression, sympy.Expr):
            raise InputError(
                "Functions are compared as sympy expressions of numbers; received "
                f"{expression!r} ({type(expression).__name__}). Use sympy.sympify of a formula."
            )
    symbols: list[Any] = sorted(a.free_symbols | b.free_symbols, key=str)
    positive: Any = {s: sympy.Symbol(f"p{i}", positive=True) for i, s in enumerate(symbols)}
    first, second = (cast("sympy.Expr", expression.subs(positive)) for expression in (a, b))
    point: Any = {p: POINT[i % len(POINT)] + i for i, p in enumerate(positive.values())}
    there, wanted = (complex(expression.subs(point).evalf()) for expression in (first, second))
    if not abs(there - wanted) < CLOSE * abs(wanted):
        return False
    difference = first - second
    return sympy.cancel(sympy.together(difference)) == 0 or sympy.simplify(difference) == 0
