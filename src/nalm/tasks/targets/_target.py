"""What every target is: from inputs to the number that is to be learnt."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.formula.operations import Operation
from nalm.tasks.distributions import Distribution

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Needs:
    """What a unit must be able to represent to learn a target."""

    ops: frozenset[str]
    """The operations it must have exact weights for."""
    layers: int = 1
    """2 if another unit has to give it sums of the inputs."""


class Target(ABC):
    """What is to be learnt from the inputs: a frozen dataclass that computes it.

    The computation is written once, with the array functions of `xp`: training, thresholds and
    scaling all use `apply`.

    Examples
    --------
    >>> from nalm.tasks import Composition, Task, Uniform
    >>> target = Composition(("add", "mul"))
    >>> target.name, Task(target, 4, Uniform(1, 2), Uniform(2, 6)).op
    ('add-mul', 'add-mul')
    """

    compared: ClassVar[bool] = False
    """Whether the formulas that models learn are compared with it by algebra."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in tables."""

    @property
    @abstractmethod
    def least(self) -> int:
        """How many inputs it takes; a task may have more, which are redundant."""

    @abstractmethod
    def check(self, inputs: int, train: Distribution, test: Distribution) -> None:
        """Raise InputError unless it can be computed from so many inputs of these distributions."""

    @abstractmethod
    def apply(self, xp: Namespace, operands: Sequence[Array], layout: Array) -> Array:
        """Return the targets of runs.

        Parameters
        ----------
        xp
            The module of array functions: `numpy` or `jax.numpy`.
        operands
            One array `(runs, samples)` for each input; or for each row of the layout, if the
            target is `weighted`.
        layout
            The layouts of the runs, `(runs, ...)`.

        Returns
        -------
        Array
            The targets, `(runs, samples)`.
        """

    @abstractmethod
    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return what a model gives, for rows of inputs, whose weights are epsilon from perfect."""

    def layout(self, inputs: int, seed: int) -> np.ndarray:  # noqa: ARG002 (as every target)
        """Return what the target of a run is made of, as numbers; nothing by default."""
        return np.zeros(0)

    def weighted(self, inputs: int) -> bool:  # noqa: ARG002 (as every target)
        """Tell whether its operands are sums of the inputs, with the layout as their weights."""
        return False

    def values(self, x: np.ndarray, layout: np.ndarray) -> np.ndarray:
        """Return the targets of rows of inputs for one layout."""
        operands = layout @ x.T if self.weighted(x.shape[1]) else x.T
        return self.apply(np, list(operands[:, None]), layout[None])[0]

    def perfect(self, x: np.ndarray) -> np.ndarray:
        """Return the targets of rows of inputs, as a run has them that begins at the first."""
        return self.values(x, self.layout(x.shape[1], 0))

    def tolerated(self, test: Distribution) -> float | None:  # noqa: ARG002 (as every target)
        """Return the test error of a success where a rule gives it; None where it is simulated."""
        return None

    def expression(self, names: Sequence[Any] | None, inputs: int) -> "sympy.Expr | None":  # noqa: ARG002
        """Return it as a sympy expression of the inputs; None where it has none."""
        return None

    def input_names(self, inputs: int) -> tuple[str, ...] | None:  # noqa: ARG002 (as every target)
        """Return the names of the inputs, for formulas; None for x1, x2, ..."""
        return None

    def divides_by_zero(self, inputs: int, *parts: Distribution) -> bool:  # noqa: ARG002
        """Tell whether a divisor may come as near to zero as numbers are."""
        return False

    def opened(self) -> Self:
        """Return what a program depends on: the target without what its layout says."""
        return self

    @property
    def operation(self) -> Operation | None:
        """The operation it is, if it is a single one on inputs."""
        return None

    def with_operation(self, op: str) -> "Target | None":  # noqa: ARG002 (as every target)
        """Return the same target for another operation; None if it is no single operation."""
        return None

    def needs(self, inputs: int) -> Needs | None:  # noqa: ARG002 (as every target)
        """Return what a single unit must be able to represent; None if that is not known."""
        return None
