"""Several steps of arithmetic: an operation on the result of an operation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm import formula
from nalm._types import Array, Namespace
from nalm.errors import InputError, unknown
from nalm.operations import CUMULATIVE
from nalm.tasks.distributions import InputDistribution, reaches_zero, sample
from nalm.tasks.task import shrunk

if TYPE_CHECKING:
    import sympy

SAMPLES = 10_000


@dataclass(frozen=True)
class Composition:
    """`op_k(… op_2(op_1(a, b), c) …)` of the first inputs; the others are redundant.

    The operations are cumulative: add(u, v) = u + v, sub(u, v) = -u - v, mul(u, v) = uv and
    div(u, v) = 1/(uv).

    >>> from nalm.tasks import RANGES
    >>> Composition(("add", "div"), 4, *RANGES["U[1,2)"]).expression(["a", "b", "c", "d"])
    1/(c*(a + b))
    """

    ops: tuple[str, ...]
    inputs: int
    train: InputDistribution
    test: InputDistribution

    def __post_init__(self) -> None:
        object.__setattr__(self, "ops", tuple(self.ops))
        if not self.ops:
            raise InputError("A composition has at least 1 operation; received none.")
        for op in self.ops:
            if op not in CUMULATIVE:
                raise unknown("operation of a composition:", op, CUMULATIVE)
        if not isinstance(self.inputs, int) or self.inputs < len(self.ops) + 1:
            raise InputError(
                f"{self.op} takes at least {len(self.ops) + 1} inputs, a whole number; received "
                f"inputs={self.inputs!r}."
            )
        if "div" in self.ops and any(reaches_zero(part) for part in (self.train, self.test)):
            raise InputError(
                f"{self.op} divides by its inputs, which must stay away from zero; received "
                f"train={self.train} and test={self.test}."
            )

    @property
    def op(self) -> str:
        """The name of the composition: `add-mul`."""
        return "-".join(self.ops)

    @property
    def tolerated(self) -> None:
        """No rule says the error of a success: it is simulated."""

    @property
    def divides_by_zero(self) -> bool:
        """Whether the result of a step that is divided by takes both signs."""
        for part in (self.train, self.test):
            x = sample(part, np.random.default_rng(0).random((SAMPLES, self.inputs))).T
            value = x[0]
            for op, operand in zip(self.ops, x[1:], strict=False):
                if op == "div" and value.min() < 0 < value.max():
                    return True
                value = CUMULATIVE[op].apply(np, [value, operand])
        return False

    def layout(self, seed: int) -> np.ndarray:  # noqa: ARG002 (as every task)
        """Return what the target of a run is made of: the code of each operation."""
        return np.array([list(CUMULATIVE).index(op) for op in self.ops], float)

    def target(self, xp: Namespace, x: Sequence[Array], codes: Array) -> Array:
        """Return the targets of runs with these codes; x are arrays over runs and samples."""
        value = x[0]
        for k in range(len(self.ops)):
            wanted = [step.apply(xp, [value, x[k + 1]]) for step in CUMULATIVE.values()]
            value = wanted[0]
            for code, other in enumerate(wanted[1:], start=1):
                value = xp.where(codes[:, k, None] == code, other, value)
        return value

    def perfect(self, x: np.ndarray) -> np.ndarray:
        """Return the targets of rows of inputs."""
        return self._chained(x, 0.0, -1)

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return the targets off by what weights epsilon from perfect do, one unit per step.

        Each unit sees all inputs and the result before it, as a single unit sees its inputs. What
        the steps are off by is added as squares, so that it does not cancel.
        """
        perfect = self.perfect(x)
        off = [self._chained(x, epsilon, k) - perfect for k in range(len(self.ops))]
        return perfect + np.sqrt(np.sum(np.square(off), axis=0))

    def _chained(self, x: np.ndarray, epsilon: float, imperfect: int) -> np.ndarray:
        """Return the result of all steps, one of which may be off by epsilon."""
        value = x[:, 0]
        for k, op in enumerate(self.ops):
            step, before = CUMULATIVE[op], value
            value = step.apply(np, [before, x[:, k + 1]])
            if k == imperfect and step.kind == "sum":
                seen = x if k == 0 else np.column_stack([before, x])
                value = value - epsilon * np.sum(np.abs(seen), axis=1)
            elif k == imperfect:
                ignored = np.delete(x, [0, 1] if k == 0 else [k + 1], axis=1)
                value = value * shrunk(step, ignored, epsilon)
        return value

    def expression(self, names: Sequence[Any] | None = None) -> "sympy.Expr":
        """Return the target as a sympy expression of the inputs."""
        value, *operands = formula.inputs(names, self.inputs)
        for op, operand in zip(self.ops, operands, strict=False):
            value = CUMULATIVE[op].apply(None, [value, operand])
        return value
