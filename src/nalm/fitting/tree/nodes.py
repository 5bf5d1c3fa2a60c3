"""The nodes of a formula: columns, weighted sums, products of powers.

These are what additive and multiplicative units compute.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.node import Tree, Values
from nalm.fitting.tree.number import ONE, ZERO, Number, description_bits, is_measured

MOST_BITS = 1000.0
"""The most bits of a number of terms: more is as much as no one expands."""


@dataclass(frozen=True)
class Column(Tree):
    """One column of the table."""

    index: int

    @property
    def children(self) -> tuple[Tree, ...]:
        return ()

    def own_powers(self) -> tuple[Number, ...]:
        return ()

    def own_coefficients(self) -> tuple[Number, ...]:
        return ()

    def all_numbers(self) -> Iterator[Number]:
        return iter(())

    def replaced(self, draw: Callable[[], Number]) -> Tree:
        return self

    def composed(self, parts: Sequence[Tree]) -> Tree:
        return parts[self.index]

    def tidy(self) -> Tree:
        return self

    def size(self) -> int:
        return 1

    def bits(self, columns: int, precision: float) -> float:
        return log2(columns + 1)

    def expanded_terms(self) -> float:
        return 1

    def values(self, x: np.ndarray) -> Values:
        return x[:, self.index]

    def computed(self, xp: Namespace, x: Array, coefficient: Callable[[], Array]) -> Array:
        return x[..., self.index]

    def values_and_variance(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        value = x[:, self.index]
        return value, (epsilon * value) ** 2

    def values_and_slopes(self, x: np.ndarray) -> tuple[Values, list[Values]]:
        return x[:, self.index], []

    def to_sympy(self, symbols: Sequence[Any]) -> Any:
        return symbols[self.index]


@dataclass(frozen=True)
class WeightedSum(Tree):
    """`constant + Σ weight · term`."""

    terms: tuple[tuple[Number, Tree], ...]
    constant: Number = ZERO

    @property
    def children(self) -> tuple[Tree, ...]:
        return tuple(term for _, term in self.terms)

    def own_powers(self) -> tuple[Number, ...]:
        return ()

    def own_coefficients(self) -> tuple[Number, ...]:
        return (*(weight for weight, _ in self.terms), self.constant)

    def all_numbers(self) -> Iterator[Number]:
        for weight, term in self.terms:
            yield weight
            yield from term.all_numbers()
        yield self.constant

    def replaced(self, draw: Callable[[], Number]) -> Tree:
        terms = tuple((draw(), term.replaced(draw)) for _, term in self.terms)
        return WeightedSum(terms, draw())

    def composed(self, parts: Sequence[Tree]) -> Tree:
        terms = tuple((weight, term.composed(parts)) for weight, term in self.terms)
        return WeightedSum(terms, self.constant)

    def tidy(self) -> Tree:
        terms: list[tuple[Number, Tree]] = []
        constant = self.constant
        for weight, term in self.terms:
            inner = term.tidy()
            if weight == 0:
                continue
            if isinstance(inner, PowerProduct) and not inner.factors:
                constant = constant + weight
            elif isinstance(inner, WeightedSum) and not inner.terms:
                constant = constant + weight * inner.constant
            else:
                terms.append((weight, inner))
        if len(terms) == 1 and terms[0][0] == 1 and constant == 0:
            return terms[0][1]
        return WeightedSum(tuple(terms), constant)

    def size(self) -> int:
        parts = [term.size() + (abs(weight) != 1) * 2 for weight, term in self.terms]
        if self.constant != 0 or not parts:
            parts.append(1)
        return sum(parts) + len(parts) - 1

    def bits(self, columns: int, precision: float) -> float:
        each = [
            term.bits(columns, precision) + description_bits(weight, precision)
            for weight, term in self.terms
        ]
        return 2 + sum(each) + len(each) + description_bits(self.constant, precision)

    def expanded_terms(self) -> float:
        return sum(term.expanded_terms() for term in self.children) + (self.constant != 0)

    def values(self, x: np.ndarray) -> Values:
        total = np.full(len(x), float(self.constant))
        for weight, term in self.terms:
            total += float(weight) * term.values(x)
        return total

    def computed(self, xp: Namespace, x: Array, coefficient: Callable[[], Array]) -> Array:
        weights = [coefficient() for _ in self.terms]
        total = xp.zeros_like(x[..., 0]) + coefficient()
        for weight, (_, term) in zip(weights, self.terms, strict=True):
            total = total + weight * term.computed(xp, x, coefficient)
        return total

    def values_and_variance(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        total = np.full(len(x), float(self.constant))
        absolute, variance = np.abs(total), np.zeros(len(x))
        for weight, term in self.terms:
            value, inner = term.values_and_variance(x, epsilon)
            part = float(weight) * value
            total = total + part
            absolute += np.abs(part)
            variance += np.float64(weight) ** 2 * inner
        return total, variance + (epsilon * absolute) ** 2

    def values_and_slopes(self, x: np.ndarray) -> tuple[Values, list[Values]]:
        total, slopes = np.full(len(x), float(self.constant)), []
        for weight, term in self.terms:
            value, inner = term.values_and_slopes(x)
            total = total + float(weight) * value
            if is_measured(weight):
                slopes.append(value)
            slopes += [float(weight) * slope for slope in inner]
        if is_measured(self.constant):
            slopes.append(np.ones(len(x)))
        return total, slopes

    def to_sympy(self, symbols: Sequence[Any]) -> Any:
        import sympy

        terms = [sympy_number(weight) * term.to_sympy(symbols) for weight, term in self.terms]
        return sympy.Add(*terms, sympy_number(self.constant))


@dataclass(frozen=True)
class PowerProduct(Tree):
    """`Π factor ** power`."""

    factors: tuple[tuple[Tree, Number], ...]

    @property
    def children(self) -> tuple[Tree, ...]:
        return tuple(factor for factor, _ in self.factors)

    def own_powers(self) -> tuple[Number, ...]:
        return tuple(power for _, power in self.factors)

    def own_coefficients(self) -> tuple[Number, ...]:
        return ()

    def all_numbers(self) -> Iterator[Number]:
        for factor, power in self.factors:
            yield from factor.all_numbers()
            yield power

    def replaced(self, draw: Callable[[], Number]) -> Tree:
        return PowerProduct(tuple((factor.replaced(draw), draw()) for factor, _ in self.factors))

    def composed(self, parts: Sequence[Tree]) -> Tree:
        factors = ((factor.composed(parts), power) for factor, power in self.factors)
        return PowerProduct(tuple(factors))

    def tidy(self) -> Tree:
        inner = [(factor.tidy(), power) for factor, power in self.factors if power != 0]
        if len(inner) == 1 and inner[0][1] == 1:
            return inner[0][0]
        return PowerProduct(tuple(inner))

    def size(self) -> int:
        parts = [factor.size() + (abs(power) != 1) * 2 for factor, power in self.factors] or [1]
        reciprocal = 2 * (bool(self.factors) and all(power < 0 for _, power in self.factors))
        return sum(parts) + len(parts) - 1 + reciprocal

    def bits(self, columns: int, precision: float) -> float:
        each = [
            factor.bits(columns, precision) + description_bits(power, precision)
            for factor, power in self.factors
        ]
        return 2 + sum(each) + len(each)

    def expanded_terms(self) -> float:
        each = (log2(f.expanded_terms() or 1) * max(1.0, abs(float(p))) for f, p in self.factors)
        return 2.0 ** min(sum(each), MOST_BITS)

    def values(self, x: np.ndarray) -> Values:
        product = np.ones(len(x))
        for factor, power in self.factors:
            product *= raised(factor.values(x), power)
        return product

    def computed(self, xp: Namespace, x: Array, coefficient: Callable[[], Array]) -> Array:
        product = xp.ones_like(x[..., 0])
        for factor, power in self.factors:
            product = product * raised(factor.computed(xp, x, coefficient), power, xp)
        return product

    def values_and_variance(self, x: np.ndarray, epsilon: float) -> tuple[Values, Values]:
        product, relative = np.ones(len(x)), np.zeros(len(x))
        for factor, power in self.factors:
            value, inner = factor.values_and_variance(x, epsilon)
            product = product * raised(value, power)
            relative += np.float64(power) ** 2 * inner / value**2 + epsilon**2
        return product, product**2 * relative

    def values_and_slopes(self, x: np.ndarray) -> tuple[Values, list[Values]]:
        inner = [(factor.values_and_slopes(x), power) for factor, power in self.factors]
        parts = [raised(value, power) for (value, _), power in inner]
        product, slopes = np.prod(parts, axis=0) if parts else np.ones(len(x)), []
        for (value, inside), power in inner:
            outer = product * float(power) / value
            slopes += [outer * slope for slope in inside]
            if is_measured(power):
                slopes.append(product * np.log(np.abs(value)))
        return product, slopes

    def to_sympy(self, symbols: Sequence[Any]) -> Any:
        import sympy

        return sympy.Mul(*(f.to_sympy(symbols) ** sympy_number(p) for f, p in self.factors))


def raised(base: Array, power: Number, xp: Namespace = np) -> Array:
    """Return a power of each value; odd roots of negative values are negative."""
    if power == 1:
        return base
    if power == -1:
        return 1 / base
    if isinstance(power, Fraction) and power.denominator % 2 == 1 and power.denominator > 1:
        root = xp.abs(base) ** float(power)
        return xp.where(base < 0, -root, root) if power.numerator % 2 else root
    return base ** float(power)


def sympy_number(value: Number) -> Any:
    """Return a number for sympy: a rational, or a float of all its digits."""
    import sympy

    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if isinstance(value, Closed):
        return value.to_sympy()
    return sympy.Float(value, 17)


def constant(value: Number) -> WeightedSum:
    """Return a formula that is a number."""
    return WeightedSum((), value)


def power_of(tree: Tree, power: Number) -> Tree:
    """Return a power of a formula."""
    return tree if power == ONE else PowerProduct(((tree, power),))


def with_columns(tree: Tree, columns: Sequence[int]) -> Tree:
    """Return a formula with column k replaced by column `columns[k]`."""
    return tree.composed([Column(i) for i in columns])


def columns_of(tree: Tree) -> set[int]:
    """Return the columns that a formula uses."""
    return {node.index for node in tree.walk() if isinstance(node, Column)}
