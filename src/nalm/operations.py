"""The operations that units can represent and tasks ask for, each by one name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, index, mul
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
        raise InputError(f"{self.name} is logic, not arithmetic; tasks ask for arithmetic.")

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


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("add", "sum", (1, 1), grows=True),
        Operation("sub", "sum", (1, -1)),
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
