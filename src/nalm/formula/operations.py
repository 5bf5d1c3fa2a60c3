"""The operations that units can represent and tasks ask for, each by one name."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, eq, ge, gt, index, le, lt, mul, ne
from typing import ClassVar, Literal, final

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.errors import InputError, unknown

Kind = Literal["sum", "power", "logic", "comparison"]


@dataclass(frozen=True)
class Operation(ABC):
    """An operation on the first inputs of a unit.

    Parameters
    ----------
    name
        Its name.
    weights
        A coefficient per operand of a sum, an exponent per operand of a product of powers, 1 and
        -1 for the two sides of a comparison, and 1 per operand of logic.
    grows
        Whether it takes any number of operands, all with the first weight.
    """

    name: str
    weights: tuple[float, ...]
    grows: bool = False

    kind: ClassVar[Kind]

    @abstractmethod
    def apply(self, xp: Namespace, operands: Sequence[Array]) -> Array:
        """Return the operation of these operands: what a task asks a unit to learn."""

    @final
    def weighted(self, operands: Sequence[Array]) -> Iterator[tuple[float, Array]]:
        """Return each operand with its weight."""
        weights = (1,) * len(operands) if self.grows else self.weights
        return zip(weights, operands, strict=True)

    @final
    def rows(self, shape: tuple[int, int], operands: Sequence[int] | None = None) -> np.ndarray:
        """Return its weights placed at the operands, zero elsewhere: `(out, in)`."""
        operands = tuple(range(len(self.weights))) if operands is None else operands
        try:
            operands = tuple(index(i) for i in operands)
        except TypeError:
            raise InputError(
                f"The operands of {self.name} are a list of input indices; received {operands!r}."
            ) from None
        self._check(operands, shape[1])
        row = np.zeros(shape[1])
        row[list(operands)] = self.weights[0] if self.grows else self.weights
        return np.tile(row, (shape[0], 1))

    @final
    def _check(self, operands: tuple[int, ...], in_features: int) -> None:
        arity = len(self.weights)
        fits = len(operands) >= arity if self.grows else len(operands) == arity
        if not fits:
            least = "at least " if self.grows else ""
            raise InputError(
                f"{self.name} takes {least}{arity} operands; received {len(operands)}: {operands}."
            )
        if len(set(operands)) < len(operands) or not all(0 <= i < in_features for i in operands):
            raise InputError(
                f"The operands of {self.name} are different indices from 0 to {in_features - 1} "
                f"(in_features={in_features}); received {operands}. "
                "Use a unit with more input features or other operands."
            )


@final
@dataclass(frozen=True)
class Sum(Operation):
    """A sum of operands times their weights."""

    kind = "sum"

    def apply(self, xp: Namespace, operands: Sequence[Array]) -> Array:  # noqa: ARG002
        """Return Σ w·x."""
        return reduce(add, (w * x for w, x in self.weighted(operands)))


@final
@dataclass(frozen=True)
class Power(Operation):
    """A product of operands to the power of their weights."""

    kind = "power"

    def apply(self, xp: Namespace, operands: Sequence[Array]) -> Array:
        """Return Π x^w."""
        return reduce(mul, (_power(xp, x, w) for w, x in self.weighted(operands)))


@final
@dataclass(frozen=True)
class Comparison(Operation):
    """A comparison of two operands: truth is 1, falsehood 0."""

    holds: Callable[[Array, Array], Array] = eq

    kind = "comparison"

    def apply(self, xp: Namespace, operands: Sequence[Array]) -> Array:
        """Return 1 where it holds and 0 elsewhere."""
        first, second = operands
        return xp.where(self.holds(first, second), xp.ones_like(first), xp.zeros_like(first))


@final
@dataclass(frozen=True)
class Logic(Operation):
    """Logic on [0, 1]: a and b is ab, not a is 1 - a, the others follow."""

    compute: Callable[[Namespace, Sequence[Array]], Array] = lambda _xp, x: x[0]

    kind = "logic"

    def apply(self, xp: Namespace, operands: Sequence[Array]) -> Array:
        """Return a degree of truth."""
        return self.compute(xp, operands)


def _power(xp: Namespace, x: Array, exponent: float) -> Array:
    if exponent == 0.5:
        return xp.sqrt(x)
    return 1 / x if exponent == -1 else x ** int(exponent)


def _and(_xp: Namespace, x: Sequence[Array]) -> Array:
    return reduce(mul, x)


def _or(_xp: Namespace, x: Sequence[Array]) -> Array:
    return 1 - reduce(mul, [1 - x_i for x_i in x])


TWO, DIFFERENCE = (1, 1), (1, -1)
CUMULATIVE: dict[str, Operation] = {
    "add": Sum("add", (1, 1)),
    "sub": Sum("sub", (-1, -1)),
    "mul": Power("mul", (1, 1)),
    "div": Power("div", (-1, -1)),
}
"""The steps of a composition: u + v, -u - v, uv and 1/(uv), in the order of their codes."""
OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Sum("add", TWO, grows=True),
        Sum("sub", DIFFERENCE),
        Sum("mean", (0.5, 0.5)),
        Sum("identity", (1,)),
        Power("mul", TWO, grows=True),
        Power("div", DIFFERENCE),
        Power("reciprocal", (-1,)),
        Power("square", (2,)),
        Power("root", (0.5,)),
        Logic("and", TWO, True, _and),
        Logic("or", TWO, True, _or),
        Logic("nand", TWO, True, lambda xp, x: 1 - _and(xp, x)),
        Logic("nor", TWO, True, lambda xp, x: 1 - _or(xp, x)),
        Logic("not", (1,), False, lambda _xp, x: 1 - x[0]),
        Logic("xor", TWO, False, lambda xp, x: _or(xp, x) * (1 - _and(xp, x))),
        Logic("and_not", TWO, False, lambda _xp, x: x[0] * (1 - x[1])),
        Logic("constant", (1,), False, lambda xp, x: xp.full_like(x[0], 0.7)),
        Comparison("gt", DIFFERENCE, holds=gt),
        Comparison("ge", DIFFERENCE, holds=ge),
        Comparison("lt", DIFFERENCE, holds=lt),
        Comparison("le", DIFFERENCE, holds=le),
        Comparison("eq", DIFFERENCE, holds=eq),
        Comparison("ne", DIFFERENCE, holds=ne),
    )
}
"""Every operation by its name."""


def operation(name: str) -> Operation:
    """Return the operation of this name.

    Examples
    --------
    >>> import numpy as np
    >>> operation("div").apply(np, [6.0, 3.0])
    2.0
    """
    if name not in OPERATIONS:
        raise unknown("operation", name, OPERATIONS)
    return OPERATIONS[name]
