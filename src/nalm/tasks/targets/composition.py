"""Several steps of arithmetic: an operation on the result of an operation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nalm import formula
from nalm._internal.checks import shown
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError, unknown
from nalm.formula.operations import CUMULATIVE, Operation
from nalm.tasks.distributions import Distribution
from nalm.tasks.targets._target import Target
from nalm.tasks.targets.subsets import shrunk

if TYPE_CHECKING:
    import sympy

SAMPLES = 10_000


@dataclass(frozen=True, init=False)
class Composition(Target):
    """`op_k(… op_2(op_1(a, b), c) …)` of the first inputs; the others are redundant.

    The operations are cumulative: add(u, v) = u + v, sub(u, v) = -u - v, mul(u, v) = uv and
    div(u, v) = 1/(uv).

    Parameters
    ----------
    ops
        The operations, first to last: names, or one text such as "add-mul".

    Examples
    --------
    >>> from nalm.tasks import Composition
    >>> Composition("add-div").expression(["a", "b", "c", "d"], 4)
    1/(c*(a + b))
    """

    ops: tuple[str, ...]

    compared: ClassVar[bool] = True

    def __init__(self, ops: str | Sequence[str]) -> None:
        if not isinstance(ops, str | tuple | list):
            raise InputError(
                "A composition is named by its operations, such as 'add-mul' or ('add', 'mul'); "
                f"received {shown(ops)}."
            )
        object.__setattr__(self, "ops", tuple(ops.split("-") if isinstance(ops, str) else ops))
        if not self.ops or self.ops == ("",):
            raise InputError("A composition has at least 1 operation; received none.")
        for op in self.ops:
            if op not in CUMULATIVE:
                raise unknown("operation", op, CUMULATIVE, owner="A composition")

    @property
    def name(self) -> str:
        """The name of the composition: `add-mul`."""
        return "-".join(self.ops)

    @property
    def least(self) -> int:
        """How many inputs it takes."""
        return len(self.ops) + 1

    def check(self, inputs: int, train: Distribution, test: Distribution) -> None:
        """Raise InputError unless there are enough inputs, away from zero if it divides."""
        if inputs < self.least:
            raise InputError(
                f"{self.name} takes at least {self.least} inputs, a whole number; received "
                f"inputs={inputs!r}."
            )
        if "div" in self.ops and any(part.reaches_zero for part in (train, test)):
            raise InputError(
                f"{self.name} divides by its inputs, which must stay away from zero; received "
                f"train={train} and test={test}."
            )

    def layout(self, inputs: int, seed: int) -> np.ndarray:  # noqa: ARG002 (as every target)
        """Return the code of each operation."""
        return np.array([list(CUMULATIVE).index(op) for op in self.ops], float)

    def opened(self) -> "Composition":
        """Return a composition of as many steps, for which steps they are is in the layout."""
        return replace(self, ops=("add",) * len(self.ops))

    def apply(self, xp: Namespace, operands: Sequence[Array], layout: Array) -> Array:
        """Return the targets of runs, whose layouts are the codes of their operations."""
        value = operands[0]
        for k in range(len(self.ops)):
            wanted = [step.apply(xp, [value, operands[k + 1]]) for step in CUMULATIVE.values()]
            value = wanted[0]
            for code, other in enumerate(wanted[1:], start=1):
                value = xp.where(layout[:, k, None] == code, other, value)
        return value

    def perfect(self, x: np.ndarray) -> np.ndarray:
        """Return the targets of rows of inputs."""
        return self._chained(x, 0.0, -1)

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return the targets with the errors of weights epsilon from perfect, one unit per step.

        Each unit sees all inputs and the result before it, as a single unit sees its inputs. The
        errors of the steps are added as squares, so that they do not cancel.
        """
        perfect = self.perfect(x)
        errors = [self._chained(x, epsilon, k) - perfect for k in range(len(self.ops))]
        return perfect + np.sqrt(np.sum(np.square(errors), axis=0))

    def _chained(self, x: np.ndarray, epsilon: float, imperfect: int) -> np.ndarray:
        """Return the result of all steps, one of which may have weights epsilon from perfect."""
        value = x[:, 0]
        for k, op in enumerate(self.ops):
            step: Operation = CUMULATIVE[op]
            before = value
            value = step.apply(np, [before, x[:, k + 1]])
            if k == imperfect and step.kind == "sum":
                seen = x if k == 0 else np.column_stack([before, x])
                value = value - epsilon * np.sum(np.abs(seen), axis=1)
            elif k == imperfect:
                ignored = np.delete(x, [0, 1] if k == 0 else [k + 1], axis=1)
                value = value * shrunk(step, ignored, epsilon)
        return value

    def expression(self, names: Sequence[Any] | None, inputs: int) -> "sympy.Expr":
        """Return the target as a sympy expression of the inputs."""
        value, *operands = formula.inputs(names, inputs)
        for op, operand in zip(self.ops, operands, strict=False):
            value = CUMULATIVE[op].apply(None, [value, operand])
        return value

    def divides_by_zero(self, inputs: int, *parts: Distribution) -> bool:
        """Tell whether the result of a step that is divided by takes both signs."""
        for part in parts:
            x = part.sample(np.random.default_rng(0).random((SAMPLES, inputs))).T
            value = x[0]
            for op, operand in zip(self.ops, x[1:], strict=False):
                if op == "div" and value.min() < 0 < value.max():
                    return True
                value = CUMULATIVE[op].apply(np, [value, operand])
        return False
