"""What every node of a formula can do: the contract of the classes in `nodes`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, final

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.fitting.tree.number import Number, is_measured

Values = np.ndarray
"""One number per row."""


class Tree(ABC):
    """A formula of the columns of a table: a column, or an operation on smaller formulas.

    A subclass writes what its operation means; the final methods are the same for all of them.
    """

    # --- what each operation writes --------------------------------------------------------------

    @property
    @abstractmethod
    def children(self) -> tuple["Tree", ...]:
        """The formulas it operates on."""

    @abstractmethod
    def own_powers(self) -> tuple[Number, ...]:
        """Return the powers that the operation itself raises to."""

    @abstractmethod
    def own_coefficients(self) -> tuple[Number, ...]:
        """Return the numbers that the operation itself multiplies by and adds."""

    @abstractmethod
    def all_numbers(self) -> Iterator[Number]:
        """Yield all numbers of the formula, in the order in which `replaced` draws them."""

    @abstractmethod
    def replaced(self, draw: Callable[[], Number]) -> "Tree":
        """Return the formula with each number replaced by the next that is drawn."""

    @abstractmethod
    def composed(self, parts: Sequence["Tree"]) -> "Tree":
        """Return the formula with column k replaced by the formula `parts[k]`."""

    @abstractmethod
    def tidy(self) -> "Tree":
        """Return it without terms of weight 0, factors of power 0, operations on one element."""

    @abstractmethod
    def size(self) -> int:
        """Return the number of columns, constants and operations: its complexity."""

    @abstractmethod
    def bits(self, columns: int, precision: float) -> float:
        """Return the length of its description; a measured number costs `precision` bits."""

    @abstractmethod
    def expanded_terms(self) -> float:
        """Return about how many terms it has when it is expanded."""

    @abstractmethod
    def values(self, x: np.ndarray) -> Values:
        """Return its value for each row."""

    @abstractmethod
    def computed(self, xp: Namespace, x: Array, coefficient: Callable[[], Array]) -> Array:
        """Return what `values` returns, on any array library.

        The last axis of `x` is the columns. Each call of `coefficient` returns the next of
        `coefficients`; powers are those of the formula.
        """

    @abstractmethod
    def values_and_variance(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        """Return its values, and the variance that rounding gives them."""

    @abstractmethod
    def values_and_slopes(self, x: np.ndarray) -> tuple[Values, list[Values]]:
        """Return its values, and their derivative by each measured number."""

    @abstractmethod
    def to_sympy(self, symbols: Sequence[Any]) -> Any:
        """Return it as a sympy expression of these symbols; exact numbers stay exact."""

    # --- what every formula can do ---------------------------------------------------------------

    @final
    def walk(self) -> Iterator["Tree"]:
        """Yield the formula and all that it is made of."""
        yield self
        for child in self.children:
            yield from child.walk()

    @final
    def numbers(self) -> list[Number]:
        """Return all numbers, in the order of `with_numbers`."""
        return list(self.all_numbers())

    @final
    def measured(self) -> list[float]:
        """Return the measured numbers, in the order of the columns of `slopes`."""
        return [number for number in self.all_numbers() if is_measured(number)]

    @final
    def powers(self) -> list[Number]:
        """Return all powers."""
        return [power for node in self.walk() for power in node.own_powers()]

    @final
    def coefficients(self) -> list[Number]:
        """Return the numbers that are multiplied by or added, in the order of `computed`."""
        return [number for node in self.walk() for number in node.own_coefficients()]

    @final
    def with_numbers(self, values: Sequence[Number]) -> "Tree":
        """Return the formula with other numbers."""
        rest = iter(values)
        return self.replaced(lambda: next(rest))

    @final
    def is_finite(self) -> bool:
        """Whether all its numbers are finite."""
        return all(isfinite(float(n)) for n in self.all_numbers())

    @final
    def evaluate(self, x: np.ndarray) -> Values:
        """Return its value for each row; where there is none, NaN or infinity."""
        with np.errstate(all="ignore"):
            return self.values(x)

    @final
    def evaluate_with_rounding(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        """Return values and the size of their rounding errors, to first order.

        Inputs, and the result of each operation, are wrong by `epsilon` of themselves; a sum is
        wrong by `epsilon` of the sum of its absolute terms, which accounts for cancellation.
        Errors of different operations add like those of independent measurements.
        """
        with np.errstate(all="ignore"):
            values, variance = self.values_and_variance(x, epsilon)
            return values, np.sqrt(variance)

    @final
    def slopes(self, x: np.ndarray) -> tuple[Values, np.ndarray]:
        """Return values `(rows,)` and their derivatives `(rows, measured)`.

        The derivative by a power is that of the magnitude; its sign does not move.
        """
        with np.errstate(all="ignore"):
            values, columns = self.values_and_slopes(x)
        return values, np.stack(columns, axis=1) if columns else np.empty((len(x), 0))
