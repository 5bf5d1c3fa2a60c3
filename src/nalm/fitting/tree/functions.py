"""The elementary functions that a formula may use, as data."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm._internal.checks import shown
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError, unknown


@dataclass(frozen=True)
class Elementary:
    """A function of one number: its value on any array library, its slope, and its sympy."""

    name: str
    value: Callable[[Namespace, Array], Array]
    slope: Callable[[np.ndarray], np.ndarray]
    sympy_name: str

    def to_sympy(self, argument: Any) -> Any:
        """Return the function of a sympy expression."""
        import sympy

        return getattr(sympy, self.sympy_name)(argument)

    def __repr__(self) -> str:
        return self.name


EXP = Elementary("exp", lambda xp, x: xp.exp(x), np.exp, "exp")
LOG = Elementary("log", lambda xp, x: xp.log(x), lambda x: 1 / x, "log")
SIN = Elementary("sin", lambda xp, x: xp.sin(x), np.cos, "sin")
COS = Elementary("cos", lambda xp, x: xp.cos(x), lambda x: -np.sin(x), "cos")
TAN = Elementary("tan", lambda xp, x: xp.tan(x), lambda x: 1 + np.tan(x) ** 2, "tan")
TANH = Elementary("tanh", lambda xp, x: xp.tanh(x), lambda x: 1 - np.tanh(x) ** 2, "tanh")
ARCSIN = Elementary("arcsin", lambda xp, x: xp.asin(x), lambda x: (1 - x**2) ** -0.5, "asin")
ARCCOS = Elementary("arccos", lambda xp, x: xp.acos(x), lambda x: -((1 - x**2) ** -0.5), "acos")
ARCTAN = Elementary("arctan", lambda xp, x: xp.atan(x), lambda x: 1 / (1 + x**2), "atan")
ABS = Elementary("abs", lambda xp, x: xp.abs(x), np.sign, "Abs")

ELEMENTARY = {f.name: f for f in (EXP, LOG, SIN, COS, TAN, TANH, ARCSIN, ARCCOS, ARCTAN, ABS)}
"""The functions by name."""
POWER = "power"
"""The name of powers whose exponent is a formula."""
NAMES = (*ELEMENTARY, POWER)
"""What a fit may be allowed to use besides arithmetic."""
BITS = float(np.log2(len(NAMES)))
"""The bits that name one of them."""
ALL, ARITHMETIC = "all", "arithmetic"
"""What stands for every function, and for none."""


def chosen_functions(functions: object) -> frozenset[str]:
    """Return the names of the functions that a user allows.

    >>> sorted(chosen_functions("exp, log")), len(chosen_functions("arithmetic"))
    (['exp', 'log'], 0)
    """
    if functions == ALL:
        return frozenset(NAMES)
    if functions == ARITHMETIC:
        return frozenset()
    listed = functions.split(",") if isinstance(functions, str) else functions
    names = [str(name).strip() for name in listed] if isinstance(listed, Iterable) else []
    if not names:
        raise InputError(
            f'functions are "{ALL}", "{ARITHMETIC}" or names such as ["exp", "sin"]; '
            f"received {shown(functions)}."
        )
    for name in names:
        if name not in NAMES:
            raise unknown("function", name, [*NAMES, ALL, ARITHMETIC])
    return frozenset(names)
