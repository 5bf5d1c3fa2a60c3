"""What is to be learnt: an operation on subset sums of the inputs, and when it counts as learnt."""

from dataclasses import dataclass
from math import floor

import numpy as np

from nalm.errors import InputError
from nalm.operations import Operation, operation
from nalm.tasks.distributions import InputDistribution, reaches_zero

TRUTH = 0.005
"""How far truth values may be from their targets, root mean square, to count as learnt.

The tolerance of the published accuracies of logic, here for all samples together. With 10,000
samples it also means that no truth value is on the wrong side of 1/2: one alone would give
0.25/10,000 = 0.005².
"""


@dataclass(frozen=True)
class Task:
    """`op` of the sums of adjacent subsets of the inputs.

    The subsets have `subset` inputs each; neighbours share `overlap` of them; the first begins at
    a position that is drawn once per run.
    """

    op: str
    inputs: int
    train: InputDistribution
    test: InputDistribution
    subset: int = 1
    overlap: int = 0
    spans: tuple[tuple[int, int], ...] = ()
    """Where the subset of each operand begins and ends, if they are not alike; then they stay."""
    signs: tuple[int, ...] = ()
    """What each operand is multiplied by, if there are spans."""

    def __post_init__(self) -> None:
        if not 0 <= self.overlap <= self.subset or self.subset < 1:
            raise InputError(
                "Subsets have at least 1 input and share at most all of them; received "
                f"subset={self.subset}, overlap={self.overlap}."
            )
        if self.spans and (
            len(self.spans) != self.operands
            or not all(0 <= start < stop <= self.inputs for start, stop in self.spans)
        ):
            raise InputError(
                f"Spans are {self.operands} ranges of input indices, one per operand; "
                f"received {self.spans} for {self.inputs} inputs."
            )
        if self.signs and (len(self.signs) != len(self.spans) or {*self.signs} - {-1, 1}):
            raise InputError(f"Signs are 1 or -1, one per span; received {self.signs}.")
        if self.width > self.inputs:
            raise InputError(
                f"{self.op} on subsets of {self.subset} that share {self.overlap} needs "
                f"{self.width} inputs; received inputs={self.inputs}."
            )

    @property
    def sums(self) -> bool:
        """Whether operands are sums of inputs or negated, which takes two layers."""
        longest = max((stop - start for start, stop in self.spans), default=self.subset)
        return longest > 1 or -1 in self.signs

    @property
    def leading(self) -> bool:
        """Whether the operands are the first inputs, one each."""
        return self.positions == 1 and self.subset == 1 and not self.spans

    @property
    def operands(self) -> int:
        """The number of subset sums the operation takes."""
        if self.spans and operation(self.op).grows:
            return len(self.spans)
        return len(operation(self.op).weights)

    @property
    def width(self) -> int:
        """How many adjacent inputs take part."""
        if self.spans:
            return self.inputs
        return self.operands * self.subset - (self.operands - 1) * self.overlap

    @property
    def positions(self) -> int:
        """How many positions the first subset may begin at."""
        return self.inputs - self.width + 1

    @property
    def divides_by_zero(self) -> bool:
        """Whether a divisor may come as near to zero as numbers are, in training or test."""
        divides = min(operation(self.op).weights) < 0 and operation(self.op).kind == "power"
        return divides and (reaches_zero(self.train) or reaches_zero(self.test))

    def layout(self, seed: int) -> np.ndarray:
        """Return what the target of a run is made of: the subsets of its operands."""
        return self.subsets(self.position(seed))

    def position(self, seed: int) -> int:
        """Return where the first subset begins in the run of this seed, as published runs do."""
        return int(np.random.RandomState(seed).randint(0, self.positions))

    def subsets(self, position: int) -> np.ndarray:
        """Return which inputs each operand sums: `(operands, inputs)` of 0 and 1."""
        selected = np.zeros((self.operands, self.inputs))
        for k, (start, stop) in enumerate(self.spans):
            selected[k, start:stop] = self.signs[k] if self.signs else 1
        if self.spans:
            return selected
        for k in range(self.operands):
            start = position + k * (self.subset - self.overlap)
            selected[k, start : start + self.subset] = 1
        return selected

    @property
    def tolerated(self) -> float | None:
        """The error of a success where a rule says it: truth values within `TRUTH`."""
        return TRUTH**2 if operation(self.op).kind in {"logic", "comparison"} else None

    def perfect(self, x: np.ndarray) -> np.ndarray:
        """Return the targets of rows of inputs, the first subset at the first input."""
        return operation(self.op).apply(np, list(self.subsets(0) @ x.T))

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return what a model gives whose weights are epsilon from perfect.

        With subsets of one input, a single unit is judged: its operands are off by the factor
        1 - epsilon and each ignored input leaks epsilon of itself. With larger subsets, the first
        of two layers is: its ones are 1 - epsilon, its zeros epsilon.
        """
        wanted, selected = operation(self.op), self.subsets(0)
        if self.sums:
            sized = selected * (1 - epsilon) + epsilon * (selected == 0)
            return wanted.apply(np, list(sized @ x.T))
        ignored = x[:, selected.sum(axis=0) == 0]
        if wanted.kind == "sum":
            return self.perfect(x) - epsilon * np.sum(np.abs(x), axis=1)
        return self.perfect(x) * shrunk(wanted, ignored, epsilon)


def subset_sizes(inputs: int, subset_ratio: float, overlap_ratio: float) -> tuple[int, int]:
    """Return the size of the subsets and their overlap, which is a share of a subset."""
    subset = floor(subset_ratio * inputs)
    return subset, floor(overlap_ratio * subset)


def shrunk(wanted: Operation, ignored: np.ndarray, epsilon: float) -> np.ndarray:
    """Return by what a product of powers is multiplied when its weights are off by epsilon."""
    factors = [1 - epsilon if w > 0 else 1 / (1 + epsilon) for w in wanted.weights]
    return np.prod(factors) * np.prod(1 - epsilon * np.abs(ignored), axis=1)
