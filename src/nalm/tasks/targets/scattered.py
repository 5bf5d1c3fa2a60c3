"""An operation on sums of inputs that lie anywhere, and share none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.formula.operations import Operation, operation
from nalm.tasks.distributions import Distribution
from nalm.tasks.targets._target import Needs, Target
from nalm.tasks.targets.subsets import inexact


@dataclass(frozen=True)
class Scattered(Target):
    """An operation on the sums of scattered inputs.

    In each run, every input is drawn anew to belong to one of the operands or to none, with the
    probabilities `shares`. No operand is left without an input.

    Parameters
    ----------
    op
        The operation: a name of `nalm.formula.operations.OPERATIONS`, such as "mul".
    shares
        With which probability an input belongs to each operand.

    Examples
    --------
    >>> from nalm.tasks import Scattered
    >>> Scattered("mul").layout(6, seed=0)
    array([[0., 1., 1., 1., 0., 0.],
           [1., 0., 0., 0., 0., 0.]])
    """

    op: str
    shares: tuple[float, ...] = (0.5, 0.25)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", tuple(self.shares))
        count = len(operation(self.op).weights)
        if len(self.shares) != count or min(self.shares) <= 0 or sum(self.shares) > 1:
            raise InputError(
                f"Shares are probabilities above 0 that add up to at most 1, one for each of the "
                f"{count} operands of {self.op}; received {self.shares}."
            )

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.op

    @property
    def operation(self) -> Operation:
        """The operation."""
        return operation(self.op)

    @property
    def least(self) -> int:
        """How many inputs it takes."""
        return len(self.shares)

    def check(self, inputs: int, train: Distribution, test: Distribution) -> None:  # noqa: ARG002
        """Raise InputError unless each operand can have an input."""
        if inputs < self.least:
            raise InputError(
                f"{self.op} on scattered inputs needs at least {self.least} of them; received "
                f"inputs={inputs}."
            )

    def weighted(self, inputs: int) -> bool:  # noqa: ARG002 (as every target)
        """Return True: its operands are sums of the inputs."""
        return True

    def layout(self, inputs: int, seed: int) -> np.ndarray:
        """Return which inputs each operand sums in the run of this seed."""
        rng = np.random.default_rng(seed)
        ends = np.cumsum(self.shares)[:, None]
        selected = np.zeros((len(ends), inputs))
        while not selected.any(axis=1).all():
            below = rng.random(inputs) < ends
            selected = np.diff(below, axis=0, prepend=False).astype(float)
        return selected

    def apply(self, xp: Namespace, operands: Sequence[Array], layout: Array) -> Array:  # noqa: ARG002
        """Return the targets of runs."""
        return self.operation.apply(xp, list(operands[: self.least]))

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return what a model gives whose first layer has weights epsilon from perfect."""
        sized = inexact(self.layout(x.shape[1], 0), epsilon)
        return self.operation.apply(np, list(sized @ x.T))

    def divides_by_zero(self, inputs: int, *parts: Distribution) -> bool:  # noqa: ARG002
        """Tell whether it divides by sums of inputs that reach zero."""
        divides = min(self.operation.weights) < 0 and self.operation.kind == "power"
        return divides and any(part.reaches_zero for part in parts)

    def with_operation(self, op: str) -> "Scattered | None":
        """Return the same shares for another operation; None if it has more operands."""
        count = len(operation(op).weights)
        return replace(self, op=op, shares=self.shares[:count]) if count <= self.least else None

    def needs(self, inputs: int) -> Needs:  # noqa: ARG002 (as every target)
        """Return the operation, and two layers: an operand is the sum of several inputs."""
        return Needs(frozenset({self.op}), layers=2)
