"""The languages that a formula is written in: Python, NumPy, C, Excel and LaTeX."""

import builtins
import keyword
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import ClassVar

from nalm.errors import unknown
from nalm.fitting.code.c_words import C_WORDS
from nalm.fitting.code.identifiers import identifiers
from nalm.fitting.code.language import Language
from nalm.fitting.tree import Number, Tree
from nalm.fitting.tree.functions import ELEMENTARY
from nalm.fitting.tree.text import typeset

FUNCTION = "law"
"""What the function is called if the result has no name."""
PYTHON_WORDS = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "math", "np"}


def _commented(text: str) -> str:
    """Return a text that stays on one line and ends no comment."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shown.replace("*/", "* /").replace("/*", "/ *")


def _legend(names: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return what each identifier that differs from its name stands for."""
    pairs = zip(names, words, strict=True)
    return [f"{word}: {_commented(name)}" for name, word in pairs if word != name]


class Python(Language):
    """A function of floats; it raises an error where the formula has no value."""

    name = "python"
    functions: ClassVar[dict[str, str]] = {
        f: f"math.{f.replace('arc', 'a')}" for f in ("sqrt", *ELEMENTARY)
    } | {"abs": "abs"}
    pi = "math.pi"
    imported = "import math"

    def variables(self, names: Sequence[str]) -> list[str]:
        """Return identifiers."""
        return identifiers(names, PYTHON_WORDS)

    def number(self, value: Number) -> str:
        """Return a whole number, or all digits."""
        whole = isinstance(value, Fraction) and value.denominator == 1
        return str(value) if whole and abs(value) < 2**53 else repr(float(value))

    def whole_power(self, base: str, power: int) -> str:
        """Return a power."""
        return f"{base}**{power}"

    def real_power(self, base: str, power: str) -> str:
        """Return a power; `**` would make complex numbers of negative ones."""
        return f"math.pow({base}, {power})"

    def odd_root(self, base: str, power: Fraction) -> str:
        """Return a power of a root."""
        if power.denominator == 3:
            root = f"math.cbrt({base})"
            return root if power.numerator == 1 else f"{root}**{power.numerator}"
        root = f"abs({base})**({power})"
        return f"math.copysign({root}, {base})" if power.numerator % 2 else root

    def program(
        self, tree: Tree, names: Sequence[str], target: str | None, used: Collection[int]
    ) -> str:
        """Return a function of the columns that the formula uses."""
        words = self.variables([target or FUNCTION, *names])
        function, variables = words[0], words[1:]
        chosen = sorted(used)
        body = self.expression(tree, variables)
        legend = _legend([names[i] for i in chosen], [variables[i] for i in chosen])
        lines = [f"def {function}({', '.join(variables[i] for i in chosen)}):"]
        lines += [*(f"    # {line}" for line in legend), f"    return {body}"]
        imported = [self.imported, "", ""] if self.imported.split()[-1] + "." in body else []
        return "\n".join([*imported, *lines]) + "\n"


class NumPy(Python):
    """A function of arrays; NaN or infinity where the formula has no value."""

    name = "numpy"
    functions: ClassVar[dict[str, str]] = {f: f"np.{f}" for f in Python.functions}
    pi = "np.pi"
    imported = "import numpy as np"

    def real_power(self, base: str, power: str) -> str:
        """Return a power."""
        return f"np.power({base}, {power})"

    def odd_root(self, base: str, power: Fraction) -> str:
        """Return a power of a root."""
        if power.denominator == 3:
            root = f"np.cbrt({base})"
            return root if power.numerator == 1 else f"{root}**{power.numerator}"
        root = f"np.abs({base})**({power})"
        return f"np.copysign({root}, {base})" if power.numerator % 2 else root


class C(Language):
    """A function of doubles, for C and C++."""

    name = "c"
    pi = "3.141592653589793"
    functions: ClassVar[dict[str, str]] = {f: f.replace("arc", "a") for f in Python.functions} | {
        "abs": "fabs"
    }

    def variables(self, names: Sequence[str]) -> list[str]:
        """Return identifiers."""
        return identifiers(names, C_WORDS)

    def number(self, value: Number) -> str:
        """Return a double: quotients of whole numbers would be whole."""
        return repr(float(value))

    def whole_power(self, base: str, power: int) -> str:
        """Return a square as a product."""
        if power == 2 and base.isidentifier():
            return f"({base}*{base})"
        return f"pow({base}, {power})"

    def real_power(self, base: str, power: str) -> str:
        """Return a power."""
        return f"pow({base}, {power})"

    def odd_root(self, base: str, power: Fraction) -> str:
        """Return a power of a root."""
        if power.denominator == 3:
            root = f"cbrt({base})"
            return root if power.numerator == 1 else f"pow({root}, {power.numerator})"
        root = f"pow(fabs({base}), {float(power)!r})"
        return f"copysign({root}, {base})" if power.numerator % 2 else root

    def program(
        self, tree: Tree, names: Sequence[str], target: str | None, used: Collection[int]
    ) -> str:
        """Return a function of the columns that the formula uses."""
        words = self.variables([target or FUNCTION, *names])
        function, variables = words[0], words[1:]
        chosen = sorted(used)
        legend = _legend([names[i] for i in chosen], [variables[i] for i in chosen])
        arguments = ", ".join(f"double {variables[i]}" for i in chosen) or "void"
        lines = [
            "#include <math.h>",
            "",
            *(f"/* {line} */" for line in legend),
            f"double {function}({arguments}) {{",
            f"    return {self.expression(tree, variables)};",
            "}",
        ]
        return "\n".join(lines) + "\n"


class Excel(Language):
    """A formula for row 2, with the columns of the fit from A on."""

    name = "excel"
    pi = "PI()"
    functions: ClassVar[dict[str, str]] = {
        f: f.replace("arc", "a").upper() for f in Python.functions
    } | {"log": "LN"}

    def variables(self, names: Sequence[str]) -> list[str]:
        """Return the cells of row 2."""
        return [f"{_letters(i)}2" for i in range(len(names))]

    def number(self, value: Number) -> str:
        """Return a number with the 15 digits that Excel keeps."""
        return f"{float(value):.15g}".upper()

    def whole_power(self, base: str, power: int) -> str:
        """Return a power."""
        return f"{base}^{power}"

    def real_power(self, base: str, power: str) -> str:
        """Return a power."""
        return f"{base}^{power}"

    def odd_root(self, base: str, power: Fraction) -> str:
        """Return a power of a root; Excel has none of negative numbers."""
        root = f"ABS({base})^({power.numerator}/{power.denominator})"
        return f"(SIGN({base})*{root})" if power.numerator % 2 else root

    def minus(self, text: str) -> str:
        """Return the negative of a product: -A2^2 is the square of -A2 in Excel."""
        return f"-({text})"

    def program(
        self, tree: Tree, names: Sequence[str], target: str | None, used: Collection[int]
    ) -> str:
        """Return what a cell takes."""
        return f"={self.expression(tree, self.variables(names))}".replace(" ", "") + "\n"


def _letters(column: int) -> str:
    """Return the letters of a column of a sheet.

    >>> _letters(0), _letters(25), _letters(26), _letters(701), _letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    text = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


class Latex:
    """An equation for math mode."""

    name = "latex"

    def program(
        self, tree: Tree, names: Sequence[str], target: str | None, used: Collection[int]
    ) -> str:
        """Return the equation, numbers as people read them."""
        import sympy

        from nalm import formula

        symbols = formula.inputs(list(names), len(names))
        right = formula.latex(typeset(tree, symbols))
        left = f"{formula.latex(sympy.Symbol(target))} = " if target else ""
        return f"{left}{right}\n"


LANGUAGES: dict[str, Language | Latex] = {
    language.name: language for language in (Python(), NumPy(), C(), Excel(), Latex())
}
"""The languages by name."""


def code(
    language: str, tree: Tree, names: Sequence[str], target: str | None, used: Collection[int]
) -> str:
    """Return a formula as a program."""
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    return LANGUAGES[language].program(tree, names, target, used)
