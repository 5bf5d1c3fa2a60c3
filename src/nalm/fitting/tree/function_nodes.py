"""The nodes of a formula beyond arithmetic: elementary functions, and variable powers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.fitting.tree.functions import BITS, Elementary
from nalm.fitting.tree.node import Tree, Values
from nalm.fitting.tree.nodes import PowerProduct, WeightedSum, constant
from nalm.fitting.tree.number import Number


@dataclass(frozen=True)
class Applied(Tree):
    """An elementary function of a formula."""

    function: Elementary
    argument: Tree

    @property
    def children(self) -> tuple[Tree, ...]:
        return (self.argument,)

    def own_powers(self) -> tuple[Number, ...]:
        return ()

    def own_coefficients(self) -> tuple[Number, ...]:
        return ()

    def all_numbers(self) -> Iterator[Number]:
        return self.argument.all_numbers()

    def replaced(self, draw: Callable[[], Number]) -> Tree:
        return Applied(self.function, self.argument.replaced(draw))

    def composed(self, parts: Sequence[Tree]) -> Tree:
        return Applied(self.function, self.argument.composed(parts))

    def tidy(self) -> Tree:
        inner = self.argument.tidy()
        value = _number(inner)
        if value is not None:
            with np.errstate(all="ignore"):
                return constant(float(self.function.value(np, np.float64(value))))
        return Applied(self.function, inner)

    def size(self) -> int:
        return 1 + self.argument.size()

    def bits(self, columns: int, precision: float) -> float:
        return 2 + BITS + self.argument.bits(columns, precision)

    def expanded_terms(self) -> float:
        return 1.0

    def values(self, x: np.ndarray) -> Values:
        return np.asarray(self.function.value(np, self.argument.values(x)))

    def computed(self, xp: Namespace, x: Array, coefficient: Callable[[], Array]) -> Array:
        return self.function.value(xp, self.argument.computed(xp, x, coefficient))

    def values_and_variance(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        inside, inner = self.argument.values_and_variance(x, epsilon)
        value = np.asarray(self.function.value(np, inside))
        return value, self.function.slope(inside) ** 2 * inner + (epsilon * value) ** 2

    def values_and_slopes(self, x: np.ndarray) -> tuple[Values, list[Values]]:
        inside, inner = self.argument.values_and_slopes(x)
        outer = self.function.slope(inside)
        return np.asarray(self.function.value(np, inside)), [outer * slope for slope in inner]

    def to_sympy(self, symbols: Sequence[Any]) -> Any:
        return self.function.to_sympy(self.argument.to_sympy(symbols))


@dataclass(frozen=True)
class VariablePower(Tree):
    """`base ** exponent`, where the exponent is a formula; for a base above 0."""

    base: Tree
    exponent: Tree

    @property
    def children(self) -> tuple[Tree, ...]:
        return (self.base, self.exponent)

    def own_powers(self) -> tuple[Number, ...]:
        return ()

    def own_coefficients(self) -> tuple[Number, ...]:
        return ()

    def all_numbers(self) -> Iterator[Number]:
        yield from self.base.all_numbers()
        yield from self.exponent.all_numbers()

    def replaced(self, draw: Callable[[], Number]) -> Tree:
        base = self.base.replaced(draw)
        return VariablePower(base, self.exponent.replaced(draw))

    def composed(self, parts: Sequence[Tree]) -> Tree:
        return VariablePower(self.base.composed(parts), self.exponent.composed(parts))

    def tidy(self) -> Tree:
        base, exponent = self.base.tidy(), self.exponent.tidy()
        power = _number(exponent)
        if power is not None:
            return PowerProduct(((base, power),)).tidy()
        return VariablePower(base, exponent)

    def size(self) -> int:
        return 1 + self.base.size() + self.exponent.size()

    def bits(self, columns: int, precision: float) -> float:
        inner = self.base.bits(columns, precision) + self.exponent.bits(columns, precision)
        return 2 + BITS + inner

    def expanded_terms(self) -> float:
        return 1.0

    def values(self, x: np.ndarray) -> Values:
        return self.base.values(x) ** self.exponent.values(x)

    def computed(self, xp: Namespace, x: Array, coefficient: Callable[[], Array]) -> Array:
        base = self.base.computed(xp, x, coefficient)
        return base ** self.exponent.computed(xp, x, coefficient)

    def values_and_variance(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        base, below = self.base.values_and_variance(x, epsilon)
        power, above = self.exponent.values_and_variance(x, epsilon)
        value = base**power
        relative = (power / base) ** 2 * below + np.log(base) ** 2 * above + epsilon**2
        return value, value**2 * relative

    def values_and_slopes(self, x: np.ndarray) -> tuple[Values, list[Values]]:
        base, below = self.base.values_and_slopes(x)
        power, above = self.exponent.values_and_slopes(x)
        value = base**power
        by_base, by_power = value * power / base, value * np.log(base)
        slopes = [by_base * slope for slope in below] + [by_power * slope for slope in above]
        return value, slopes

    def to_sympy(self, symbols: Sequence[Any]) -> Any:
        return self.base.to_sympy(symbols) ** self.exponent.to_sympy(symbols)


def _number(tree: Tree) -> Number | None:
    """Return the number that a formula is; None if it is none."""
    return tree.constant if isinstance(tree, WeightedSum) and not tree.terms else None
