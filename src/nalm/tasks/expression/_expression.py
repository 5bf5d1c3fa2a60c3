"""An expression: a function of numbers as a list of steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm import formula
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError, unknown
from nalm.tasks.expression._primitives import DIVISIONS, PRIMITIVES, TIGHTEST

if TYPE_CHECKING:
    import sympy

LONGEST = 80
"""The most characters of a formula in a table."""


@dataclass(frozen=True)
class Expression:
    """A function of numbers as data: it can be hashed, stored, evaluated, read and compared.

    Parameters
    ----------
    names
        The names of the arguments.
    steps
        What is computed, in order: `("number", 2.0)` is a constant, `("add", 0, 3)` the sum of two
        values. Values are numbered: the arguments first, then the steps.
    result
        The number of the value that is the result.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.tasks import trace
    >>> expression = trace(lambda a, b, c: (a + b) * c, 3)
    >>> expression.text, expression(np, [1.0, 2.0, 5.0])
    ('(a + b)*c', 15.0)
    >>> expression.to_sympy(["x", "y", "z"])
    z*(x + y)
    """

    names: tuple[str, ...]
    steps: tuple[tuple[Any, ...], ...]
    result: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "steps", tuple(tuple(step) for step in self.steps))
        for number, (name, *operands) in enumerate(self.steps, start=len(self.names)):
            if name == "number":
                continue
            if name not in PRIMITIVES:
                raise unknown("step", name, PRIMITIVES, owner="An expression")
            if not all(isinstance(i, int) and 0 <= i < number for i in operands):
                raise InputError(f"A step uses values before it; received {name} of {operands}.")

    @property
    def uses(self) -> tuple[int, ...]:
        """The arguments that the result depends on."""
        needed = {self.result}
        for number in range(len(self.steps) - 1, -1, -1):
            name, *operands = self.steps[number]
            if number + len(self.names) in needed and name != "number":
                needed |= set(operands)
        return tuple(sorted(i for i in needed if i < len(self.names)))

    def values(self, xp: Namespace, x: Sequence[Array]) -> list[Array]:
        """Return all values: arguments, then steps."""
        found = list(x[: len(self.names)])
        for name, *operands in self.steps:
            if name == "number":
                found.append(float(operands[0]))
            else:
                found.append(PRIMITIVES[name].apply(xp, *(found[i] for i in operands)))
        return found

    def __call__(self, xp: Namespace, x: Sequence[Array]) -> Array:
        """Return the result for arguments, which are numbers or arrays of one shape."""
        return self.values(xp, x)[self.result]

    def divisors(self, xp: Namespace, x: Sequence[Array]) -> Iterator[Array]:
        """Yield every value that something is divided by."""
        found = self.values(xp, x)
        for name, *operands in self.steps:
            if name in DIVISIONS:
                yield found[operands[DIVISIONS[name]]]
            elif name == "pow" and np.ndim(found[operands[1]]) == 0 and found[operands[1]] < 0:
                yield found[operands[0]]

    def to_sympy(self, names: Sequence[Any] | None = None) -> "sympy.Expr":
        """Return it as a sympy expression of these names, its own by default."""
        import sympy

        found: list[Any] = formula.inputs(self.names if names is None else names, len(self.names))
        for name, *operands in self.steps:
            if name == "number":
                found.append(_exact(sympy, operands[0]))
            else:
                found.append(PRIMITIVES[name].sympy(sympy, *(found[i] for i in operands)))
        return found[self.result]

    @property
    def text(self) -> str:
        """The formula with the names of the arguments, shortened where it is long."""
        written: list[tuple[str, int]] = [(name, TIGHTEST) for name in self.names]
        for name, *operands in self.steps:
            if name == "number":
                written.append(_number(float(operands[0])))
                continue
            step = PRIMITIVES[name]
            line = step.write([written[i] for i in operands])
            cut = line if len(line) <= 4 * LONGEST else line[: 4 * LONGEST]
            written.append((cut, step.binding))
        text = written[self.result][0]
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _exact(sympy: Any, value: float | str) -> Any:
    """Return a constant as a rational number; infinity is written as text."""
    if isinstance(value, str):
        return {"inf": sympy.oo, "-inf": -sympy.oo}.get(value, sympy.nan)
    return sympy.Rational(Fraction(repr(value)))


def _number(value: float) -> tuple[str, int]:
    if not isfinite(value):
        return repr(value), TIGHTEST
    text = repr(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)
    return text, TIGHTEST if value >= 0 else 1
