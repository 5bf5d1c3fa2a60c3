"""A function of the inputs that someone wrote."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nalm import formula
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions import Distribution
from nalm.tasks.expression import Expression, trace
from nalm.tasks.targets._target import Target

if TYPE_CHECKING:
    import sympy

SAMPLES = 4096
NEAR = 1e-3
"""How small a divisor is, beside the median, to come near zero."""


@dataclass(frozen=True)
class Function(Target):
    """A function of the first inputs; the others are redundant.

    A run is a success when its test error is that of a model which reads each input that the
    function uses with the weight 1 - epsilon; their errors are added as squares. Where a step
    function makes that zero, epsilon of the root mean square of the targets is allowed.

    Parameters
    ----------
    computed
        What it computes; `Function.of` makes it from a Python function.

    Examples
    --------
    >>> from nalm.tasks import Function
    >>> Function.of(lambda a, b: a * b + 1).name
    'a*b + 1'
    """

    computed: Expression

    compared: ClassVar[bool] = True

    @classmethod
    def of(cls, function: Callable[..., Any], inputs: int | None = None) -> "Function":
        """Return the target of a Python function of numbers."""
        return cls(trace(function, inputs))

    @property
    def name(self) -> str:
        """Its formula."""
        return self.computed.text

    @property
    def least(self) -> int:
        """How many arguments it has."""
        return len(self.computed.names)

    def check(self, inputs: int, train: Distribution, test: Distribution) -> None:
        """Raise InputError unless there are enough inputs and the results are finite."""
        if inputs < self.least:
            raise InputError(
                f"{self.name} takes {self.least} inputs; received inputs={inputs}. Pass "
                f"inputs={self.least} or more."
            )
        for name, part in (("train", train), ("test", test)):
            x = _samples(part, inputs)
            with np.errstate(all="ignore"):
                bad = ~np.isfinite(self.values(x.astype(np.float32), np.zeros(0)))
            if bad.any():
                raise InputError(
                    f"{self.name} is no finite number for {bad.mean():.0%} of the inputs of "
                    f"{name}={part.label}, in the float32 of training. Choose another range."
                )

    def apply(self, xp: Namespace, operands: Sequence[Array], layout: Array) -> Array:  # noqa: ARG002
        """Return the targets of runs."""
        return self.computed(xp, operands) + xp.zeros_like(operands[0])

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return the targets with the errors of inputs that are read with weight 1 - epsilon."""
        perfect = self.perfect(x)
        squares = np.zeros(len(x))
        for i in self.computed.uses:
            moved = x.copy()
            moved[:, i] *= 1 - epsilon
            squares += (self.perfect(moved) - perfect) ** 2
        if not squares.any():
            squares += epsilon**2 * (np.mean(perfect**2) or 1.0)
        return perfect + np.sqrt(squares)

    def expression(self, names: Sequence[Any] | None, inputs: int) -> "sympy.Expr":
        """Return it as a sympy expression of the inputs."""
        return self.computed.to_sympy(formula.inputs(names, inputs)[: self.least])

    def input_names(self, inputs: int) -> tuple[str, ...] | None:
        """Return the names of the arguments, and x4, say, for a fourth input that it ignores."""
        redundant = tuple(f"x{i + 1}" for i in range(self.least, inputs))
        names = self.computed.names + redundant
        return names if len(set(names)) == len(names) else None

    def divides_by_zero(self, inputs: int, *parts: Distribution) -> bool:
        """Tell whether a divisor comes near zero in samples."""
        for part in parts:
            for divisor in self.computed.divisors(np, list(_samples(part, inputs).T)):
                size = np.abs(divisor)
                if np.min(size) <= NEAR * np.median(size):
                    return True
        return False


def _samples(part: Distribution, inputs: int) -> np.ndarray:
    return part.sample(np.random.default_rng(0).random((SAMPLES, inputs)))
