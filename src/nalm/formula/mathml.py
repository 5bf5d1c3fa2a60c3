"""A formula as MathML, which browsers typeset without a library."""

import re
from html import escape
from typing import TYPE_CHECKING, Any

from nalm.formula import is_plain

if TYPE_CHECKING:
    import sympy


def mathml(right: "sympy.Expr", left: str | None = None) -> str:
    """Return `right`, or `left = right`, as MathML; names of more than one letter are set as text.

    Sympy does not escape names, so it prints numbers in their place.
    """
    import sympy
    from sympy.printing.mathml import MathMLPresentationPrinter

    names: list[str] = []

    class Printer(MathMLPresentationPrinter):
        def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
            if is_plain(sym.name):
                return super()._print_Symbol(sym, style)
            names.append(sym.name)
            element = self.dom.createElement("mtext")
            element.appendChild(self.dom.createTextNode(f"@{len(names) - 1}@"))
            return element

        def _print_Exp1(self, e: Any) -> Any:  # noqa: ARG002
            element = self.dom.createElement("mi")
            element.appendChild(self.dom.createTextNode("e"))
            return element

        def _print_NaturalPower(self, power: Any) -> Any:
            return self._print_exp(power)

    class NaturalPower(sympy.Function):  # sympy would move exp(-x) below the line of a fraction
        pass

    printer = Printer({"mul_symbol": "dot"})
    shown = right.replace(sympy.exp, NaturalPower)
    sides = [shown] if left is None else [sympy.Symbol(left), shown]
    equation = "<mo>=</mo>".join(printer.doprint(side) for side in sides)
    text = f'<math display="block"><mrow>{equation}</mrow></math>'
    return re.sub("@([0-9]+)@", lambda place: escape(names[int(place[1])]), text)
