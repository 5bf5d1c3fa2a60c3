"""A formula from text: a parser of its own, so that no text is ever executed."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn

from nalm.errors import InputError, unknown
from nalm.fitting.form.building import (
    FUNCTIONS,
    divided,
    given_number,
    known,
    negative,
    plus,
    power,
    times,
)
from nalm.fitting.form.names import Names
from nalm.fitting.tree import ONE, Tree
from nalm.fitting.tree.limits import DEEPEST

QUOTED = re.compile(r"`(?:[^`]|``)+`")
"""A name in backquotes."""
LONGEST = 5000
"""The most letters of a form."""
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,3})?)"
    r"|(?P<name>[^\W\d²³][^\W²³]*)|`(?P<quoted>(?:[^`]|``)+)`|(?P<sign>\*\*|[-+*/^()−·×÷²³]))"
)
RAISED = {"²": 2, "³": 3}
SIGNS = {"^": "**", "−": "-", "·": "*", "×": "*", "÷": "/"}


def tree_of_text(text: str, names: Names) -> Tree:
    """Return the formula that a text is, or raise an error that says where it does not parse.

    >>> from sympy.abc import x
    >>> tree_of_text("2*x - 1/2", Names(["x"])).to_sympy([x])
    2*x - 1/2
    """
    if len(text) > LONGEST:
        raise InputError(f"A form has at most {LONGEST:,} letters; received {len(text):,}.")
    return _Reader(text, names).whole()


class _Reader:
    """Reads sums of products of powers of names, numbers, brackets and calls."""

    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names = text, names
        if "=" in QUOTED.sub("", text):
            raise InputError(
                f"A form is the right side of an equation alone; received '=' in {text[:60]!r}. "
                "Leave out the left side."
            )
        self.place = 0
        self.depth = 0
        self.kind, self.token, self.start = "", "", 0
        self._next()

    def whole(self) -> Tree:
        if not self.kind:
            raise InputError("A form is a formula such as a*exp(-b*x) + c; received nothing.")
        tree = self._sum()
        if self.kind:
            self._refuse()
        return tree

    def _next(self) -> None:
        rest = self.text[self.place :]
        if not rest.strip():
            self.kind, self.token, self.start = "", "", len(self.text)
            return
        self.start = self.place + len(rest) - len(rest.lstrip())
        found = TOKEN.match(self.text, self.place)
        if not found or not found.lastgroup:
            self.kind, self.token = "other", self.text[self.start]
            self._refuse()
        self.kind, self.token = found.lastgroup, found[found.lastgroup]
        self.place = found.end()

    def _refuse(self) -> NoReturn:
        what = repr(self.token) if self.kind else "its end"
        raise InputError(
            f"The form {self.text[:60]!r} does not parse at {what}, position {self.start + 1}. "
            "Write it as a*exp(-b*x) + c, with * between factors."
        )

    def _take(self, *signs: str) -> str | None:
        token = SIGNS.get(self.token, self.token)
        if self.kind != "sign" or token not in signs:
            return None
        self._next()
        return token

    def _nested(self, read: Callable[[], Tree]) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InputError(f"A form has at most {DEEPEST} brackets inside each other.")
        tree = read()
        self.depth -= 1
        return tree

    def _sum(self) -> Tree:
        tree = self._product()
        while sign := self._take("+", "-"):
            tree = plus(tree, self._product(), ONE if sign == "+" else -ONE)
        return tree

    def _product(self) -> Tree:
        tree = self._signed()
        while sign := self._take("*", "/"):
            start = self.start
            other = self._signed()
            if sign == "/" and known(other) == 0:
                raise InputError(f"The form divides by 0 at position {start + 1}.")
            tree = times(tree, other) if sign == "*" else divided(tree, other)
        return tree

    def _signed(self) -> Tree:
        sign = self._take("-", "+")
        if sign is None:
            return self._power()
        inner = self._nested(self._signed)
        return negative(inner) if sign == "-" else inner

    def _power(self) -> Tree:
        base = self._atom()
        if raised := self._take(*RAISED):
            return power(base, given_number(Fraction(RAISED[raised]), raised))
        return power(base, self._nested(self._signed)) if self._take("**") else base

    def _atom(self) -> Tree:
        if self._take("("):
            return self._closed(self._nested(self._sum))
        kind, token = self.kind, self.token
        if kind not in ("number", "name", "quoted"):
            self._refuse()
        self._next()
        if kind == "number":
            return given_number(Fraction(token), token)
        if kind == "quoted":
            return self.names.column(token.replace("``", "`"))
        if not self._take("("):
            return self.names.leaf(token)
        if token not in FUNCTIONS:
            if token in self.names.columns:
                self._refuse()
            raise unknown("function", token, FUNCTIONS)
        return FUNCTIONS[token](self._closed(self._nested(self._sum)))

    def _closed(self, tree: Tree) -> Tree:
        if not self._take(")"):
            self._refuse()
        return tree
