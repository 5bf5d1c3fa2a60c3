"""Formulas as LaTeX."""

import re
from typing import TYPE_CHECKING

from nalm.errors import InputError

if TYPE_CHECKING:
    import sympy

_LATEX_TEXT = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\n": " ",
    **{c: "\\" + c for c in "&%$#_{}"},
}


def latex(expression: "sympy.Basic") -> str:
    r"""Return an expression as LaTeX.

    Parameters
    ----------
    expression
        A sympy expression, such as a formula of a unit.

    Returns
    -------
    str
        Its LaTeX. Names of more than one letter are set as text, whatever characters they have.

    Examples
    --------
    >>> import sympy
    >>> print(latex(sympy.Symbol("price_%") * sympy.Symbol("n")))
    n \cdot \text{price\_\%}
    """
    import sympy

    if not isinstance(expression, sympy.Basic):
        raise InputError(f"latex takes one sympy expression; received {type(expression).__name__}.")
    names = {
        symbol: rf"\text{{{''.join(_LATEX_TEXT.get(c, c) for c in symbol.name)}}}"
        for symbol in expression.free_symbols
        if isinstance(symbol, sympy.Symbol) and not is_plain(symbol.name)
    }
    return sympy.latex(expression, symbol_names=names, mul_symbol="dot" if names else None)


def is_plain(name: str) -> bool:
    """Tell whether sympy's own typesetting fits: one letter, Latin or Greek, perhaps numbered."""
    from sympy.printing.latex import greek_letters_set

    match = re.fullmatch(r"([A-Za-z]+)(_?[0-9]+)?", name)
    return bool(match) and (len(match[1]) == 1 or match[1].lower() in greek_letters_set)
