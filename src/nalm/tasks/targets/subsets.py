"""An operation on sums of inputs: the tasks of the papers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm import formula
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.formula.operations import Operation, operation
from nalm.tasks.distributions import Distribution
from nalm.tasks.targets._target import Needs, Target

if TYPE_CHECKING:
    import sympy

TRUTH = 0.005
"""How far truth values may be from their targets, root mean square, to count as learnt.

The tolerance of the published accuracies of logic, here for all samples together. With 10,000
samples it also means that no truth value is on the wrong side of 1/2: one alone would give
0.25/10,000 = 0.005².
"""


@dataclass(frozen=True)
class Subsets(Target):
    """An operation on the sums of adjacent subsets of the inputs.

    The subsets have `subset` inputs each; neighbours share `overlap` of them; the first begins at
    a position that is drawn once per run. With subsets of one input, it is the operation on
    adjacent inputs.

    Parameters
    ----------
    op
        The operation: a name of `nalm.formula.operations.OPERATIONS`, such as "mul".
    subset, overlap
        How many inputs a subset has, and how many of them neighbours share.
    spans
        Where the subset of each operand begins and ends, if they are not alike. Then they are the
        same in every run.
    signs
        What each operand is multiplied by, 1 or -1, if there are spans.

    Examples
    --------
    >>> from nalm.tasks import Subsets
    >>> Subsets("mul", spans=((0, 4), (0, 2))).subsets(4, 0)
    array([[1., 1., 1., 1.],
           [1., 1., 0., 0.]])
    """

    op: str
    subset: int = 1
    overlap: int = 0
    spans: tuple[tuple[int, int], ...] = ()
    signs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "spans", tuple(tuple(span) for span in self.spans))
        object.__setattr__(self, "signs", tuple(self.signs))
        operation(self.op)
        if not 0 <= self.overlap <= self.subset or self.subset < 1:
            raise InputError(
                "Subsets have at least 1 input and share at most all of them; received "
                f"subset={self.subset}, overlap={self.overlap}."
            )
        if self.signs and (len(self.signs) != len(self.spans) or {*self.signs} - {-1, 1}):
            raise InputError(f"Signs are 1 or -1, one per span; received {self.signs}.")

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.op

    def check(self, inputs: int, train: Distribution, test: Distribution) -> None:  # noqa: ARG002
        """Raise InputError unless there are enough inputs."""
        if self.spans and (
            len(self.spans) != self.operands
            or not all(0 <= start < stop <= inputs for start, stop in self.spans)
        ):
            raise InputError(
                f"Spans are {self.operands} ranges of input indices, one per operand; "
                f"received {self.spans} for {inputs} inputs."
            )
        if self.width(inputs) > inputs:
            raise InputError(
                f"{self.op} on subsets of {self.subset} that share {self.overlap} needs "
                f"{self.width(inputs)} inputs; received inputs={inputs}."
            )

    @property
    def operation(self) -> Operation:
        """The operation."""
        return operation(self.op)

    @property
    def operands(self) -> int:
        """The number of subset sums the operation takes."""
        if self.spans and self.operation.grows:
            return len(self.spans)
        return len(self.operation.weights)

    @property
    def least(self) -> int:
        """How many inputs it takes."""
        if self.spans:
            return max(stop for _, stop in self.spans)
        return self.width(0)

    def width(self, inputs: int) -> int:
        """Return how many adjacent inputs take part."""
        if self.spans:
            return inputs
        return self.operands * self.subset - (self.operands - 1) * self.overlap

    def positions(self, inputs: int) -> int:
        """Return how many positions the first subset may begin at."""
        return inputs - self.width(inputs) + 1

    def position(self, inputs: int, seed: int) -> int:
        """Return where the first subset begins in the run of this seed, as published runs do."""
        return _position(self.positions(inputs), seed)

    @property
    def sums(self) -> bool:
        """Whether operands are sums of inputs or negated, which takes two layers."""
        longest = max((stop - start for start, stop in self.spans), default=self.subset)
        return longest > 1 or -1 in self.signs

    def weighted(self, inputs: int) -> bool:
        """Tell whether the operands are other than the first inputs, one each."""
        return self.positions(inputs) > 1 or self.subset > 1 or bool(self.spans)

    def layout(self, inputs: int, seed: int) -> np.ndarray:
        """Return the subsets of the operands in the run of this seed."""
        return self.subsets(inputs, self.position(inputs, seed))

    def subsets(self, inputs: int, position: int) -> np.ndarray:
        """Return which inputs each operand sums: `(operands, inputs)` of 0 and 1."""
        selected = np.zeros((self.operands, inputs))
        for k, (start, stop) in enumerate(self.spans):
            selected[k, start:stop] = self.signs[k] if self.signs else 1
        if self.spans:
            return selected
        for k in range(self.operands):
            start = position + k * (self.subset - self.overlap)
            selected[k, start : start + self.subset] = 1
        return selected

    def apply(self, xp: Namespace, operands: Sequence[Array], layout: Array) -> Array:  # noqa: ARG002
        """Return the targets of runs."""
        return self.operation.apply(xp, list(operands[: self.operands]))

    def perfect(self, x: np.ndarray) -> np.ndarray:
        """Return the targets of rows of inputs, the first subset at the first input."""
        return self.operation.apply(np, list(self.subsets(x.shape[1], 0) @ x.T))

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return what a model gives whose weights are epsilon from perfect.

        With subsets of one input, a single unit is judged: its operands are read with the factor
        1 - epsilon, and each ignored input leaks epsilon of itself. With larger subsets, the first
        of two layers is: its ones are 1 - epsilon, its zeros epsilon.
        """
        selected = self.subsets(x.shape[1], 0)
        if self.sums:
            return self.operation.apply(np, list(inexact(selected, epsilon) @ x.T))
        ignored = x[:, selected.sum(axis=0) == 0]
        if self.operation.kind == "sum":
            return self.perfect(x) - epsilon * np.sum(np.abs(x), axis=1)
        return self.perfect(x) * shrunk(self.operation, ignored, epsilon)

    def tolerated(self, test: Distribution) -> float | None:  # noqa: ARG002 (as every target)
        """Return the error of a success of logic: truth values within `TRUTH`."""
        return TRUTH**2 if self.operation.kind in {"logic", "comparison"} else None

    def expression(self, names: Sequence[Any] | None, inputs: int) -> "sympy.Expr | None":
        """Return sums and products as sympy; the first subset begins at the first input."""
        if self.operation.kind not in {"sum", "power"}:
            return None
        import sympy

        symbols = formula.inputs(names, inputs)
        rows = self.subsets(inputs, 0).astype(int)
        operands = [
            sympy.Add(*(w * x for w, x in zip(row.tolist(), symbols, strict=True) if w))
            for row in rows
        ]
        weights = self.operation.weights
        weights = (1,) * len(operands) if self.operation.grows else weights
        exact = [sympy.Rational(w) for w in weights]
        if self.operation.kind == "sum":
            return sympy.Add(*(w * x for w, x in zip(exact, operands, strict=True)))
        return sympy.Mul(*(x**w for w, x in zip(exact, operands, strict=True)))

    def divides_by_zero(self, inputs: int, *parts: Distribution) -> bool:  # noqa: ARG002
        """Tell whether it divides by inputs that reach zero."""
        divides = min(self.operation.weights) < 0 and self.operation.kind == "power"
        return divides and any(part.reaches_zero for part in parts)

    def with_operation(self, op: str) -> "Subsets":
        """Return the same subsets for another operation."""
        return replace(self, op=op)

    def needs(self, inputs: int) -> Needs:
        """Return the operation, and two layers if an operand is the sum of several inputs."""
        operands = self.subsets(inputs, 0)
        if abs(operands).sum(axis=1).max() > 1:
            return Needs(frozenset({self.op}), layers=2)
        return Needs(frozenset({self.op, "sub"} if operands.min() < 0 else {self.op}))

    def with_spans(self, *spans: tuple[int, int]) -> "Subsets":
        """Return the operation on other subsets, which are the same in every run."""
        return replace(self, spans=spans)


def inexact(selected: np.ndarray, epsilon: float) -> np.ndarray:
    """Return weights of 1, -1 and 0 as a first layer has them that is epsilon from perfect."""
    return selected * (1 - epsilon) + epsilon * (selected == 0)


def shrunk(wanted: Operation, ignored: np.ndarray, epsilon: float) -> np.ndarray:
    """Return the factor of a product of powers whose weights are epsilon from perfect."""
    factors = [1 - epsilon if w > 0 else 1 / (1 + epsilon) for w in wanted.weights]
    return np.prod(factors) * np.prod(1 - epsilon * np.abs(ignored), axis=1)


@lru_cache(maxsize=4096)
def _position(choices: int, seed: int) -> int:
    """Return a position below `choices`; every run of a plan asks, several times."""
    return int(np.random.RandomState(seed).randint(0, choices)) if choices > 1 else 0
