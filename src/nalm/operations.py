"""The operations that units can represent and tasks ask for, each by one name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, eq, ge, gt, index, le, lt, mul, ne
from typing import Literal

import numpy as np

from nalm._types import Array, Namespace
from nalm.errors import InputError, unknown

Kind = Literal["sum", "power", "logic", "comparison"]


@dataclass(frozen=True)
class Operation:
    """An operation on the first inputs of a unit.

    `weights` holds a coefficient per operand for a sum, an exponent per operand for a power
    (a product of powers), 1 and -1 for the two sides of a comparison, and 1 per operand of logic.
    Truth is 1, falsehood 0; logic takes and gives every number between them as well.
    """

    name: str
    kind: Kind
    weights: tuple[float, ...]
    grows: bool = False
    """Whether it takes any number of operands."""

    def apply(self, xp: Namespace, operands: Sequence[Array]) -> Array:
        """Return the operation of these operands: what a task asks a unit to learn."""
        if self.kind == "sum":
            weights = self.weights if not self.grows else (1,) * len(operands)
            return reduce(add, (w * x for w, x in zip(weights, operands, strict=True)))
        if self.kind == "power":
            weights = self.weights if not self.grows else (1,) * len(operands)
            return reduce(mul, (_power(xp, x, w) for w, x in zip(weights, operands, strict=True)))
        if self.kind == "comparison":
            first, second = operands
            truth = COMPARISONS[self.name](first, second)
            return xp.where(truth, xp.ones_like(first), xp.zeros_like(first))
        return LOGIC[self.name](xp, operands)

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


def _power(xp: Namespace, x: Array, exponent: float) -> Array:
    if exponent == 0.5:
        return xp.sqrt(x)
    return 1 / x if exponent == -1 else x ** int(exponent)


def _and(_xp: Namespace, x: Sequence[Array]) -> Array:
    return reduce(mul, x)


def _or(_xp: Namespace, x: Sequence[Array]) -> Array:
    return 1 - reduce(mul, [1 - x_i for x_i in x])


LOGIC: dict[str, Callable[[Namespace, Sequence[Array]], Array]] = {
    "and": _and,
    "or": _or,
    "nand": lambda xp, x: 1 - _and(xp, x),
    "nor": lambda xp, x: 1 - _or(xp, x),
    "not": lambda _xp, x: 1 - x[0],
    "xor": lambda xp, x: _or(xp, x) * (1 - _and(xp, x)),
    "and_not": lambda _xp, x: x[0] * (1 - x[1]),
    "constant": lambda xp, x: xp.full_like(x[0], 0.7),
}
"""Logic on [0, 1]: a and b is ab, not a is 1 - a, the others follow; `constant` is 0.7."""
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "gt": gt,
    "ge": ge,
    "lt": lt,
    "le": le,
    "eq": eq,
    "ne": ne,
}
CUMULATIVE: dict[str, Operation] = {
    "add": Operation("add", "sum", (1, 1)),
    "sub": Operation("sub", "sum", (-1, -1)),
    "mul": Operation("mul", "power", (1, 1)),
    "div": Operation("div", "power", (-1, -1)),
}
"""The steps of a composition: u + v, -u - v, uv and 1/(uv), in the order of their codes."""
OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("add", "sum", (1, 1), grows=True),
        Operation("sub", "sum", (1, -1)),
        Operation("mean", "sum", (0.5, 0.5)),
        Operation("identity", "sum", (1,)),
        Operation("mul", "power", (1, 1), grows=True),
        Operation("div", "power", (1, -1)),
        Operation("reciprocal", "power", (-1,)),
        Operation("square", "power", (2,)),
        Operation("root", "power", (0.5,)),
        Operation("and", "logic", (1, 1), grows=True),
        Operation("or", "logic", (1, 1), grows=True),
        Operation("nand", "logic", (1, 1), grows=True),
        Operation("nor", "logic", (1, 1), grows=True),
        Operation("not", "logic", (1,)),
        Operation("xor", "logic", (1, 1)),
        Operation("and_not", "logic", (1, 1)),
        Operation("constant", "logic", (1,)),
        Operation("gt", "comparison", (1, -1)),
        Operation("ge", "comparison", (1, -1)),
        Operation("lt", "comparison", (1, -1)),
        Operation("le", "comparison", (1, -1)),
        Operation("eq", "comparison", (1, -1)),
        Operation("ne", "comparison", (1, -1)),
    )
}


def operation(name: str) -> Operation:
    """Return the operation of this name."""
    if name not in OPERATIONS:
        raise unknown("operation", name, OPERATIONS)
    return OPERATIONS[name]
