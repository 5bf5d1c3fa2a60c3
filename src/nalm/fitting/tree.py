"""A formula as a tree of sums and products: what additive and multiplicative units compute.

A number of a tree is exact (`Fraction`) or measured (`float`). Measured numbers are fitted; exact
ones stay as they are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, log2

import numpy as np

Number = Fraction | float
ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Input:
    """One column of the table."""

    index: int


@dataclass(frozen=True)
class Sum:
    """`constant + Σ weight · term`."""

    terms: tuple[tuple[Number, "Tree"], ...]
    constant: Number = ZERO


@dataclass(frozen=True)
class Product:
    """`Π factor ** power`."""

    factors: tuple[tuple["Tree", Number], ...]


Tree = Input | Sum | Product


def numbers(tree: Tree) -> list[Number]:
    """Return all numbers of a tree, in the order of `with_numbers`."""
    return list(_numbers(tree))


def _numbers(tree: Tree) -> Iterator[Number]:
    if isinstance(tree, Sum):
        for weight, term in tree.terms:
            yield weight
            yield from _numbers(term)
        yield tree.constant
    elif isinstance(tree, Product):
        for factor, power in tree.factors:
            yield from _numbers(factor)
            yield power


def with_numbers(tree: Tree, values: list[Number]) -> Tree:
    """Return the tree with other numbers."""
    rest = iter(values)
    return _replaced(tree, lambda: next(rest))


def _replaced(tree: Tree, draw: Callable[[], Number]) -> Tree:
    if isinstance(tree, Sum):
        terms = []
        for _, term in tree.terms:
            weight = draw()
            terms.append((weight, _replaced(term, draw)))
        return Sum(tuple(terms), draw())
    if isinstance(tree, Product):
        factors = []
        for factor, _ in tree.factors:
            inner = _replaced(factor, draw)
            factors.append((inner, draw()))
        return Product(tuple(factors))
    return tree


def tidy(tree: Tree) -> Tree:
    """Return the tree without terms of weight 0, factors of power 0 and layers of one element."""
    if isinstance(tree, Sum):
        terms: list[tuple[Number, Tree]] = []
        constant = tree.constant
        for weight, term in tree.terms:
            inner = tidy(term)
            if weight == 0:
                continue
            if isinstance(inner, Product) and not inner.factors:
                constant = constant + weight
            elif isinstance(inner, Sum) and not inner.terms:
                constant = constant + weight * inner.constant
            else:
                terms.append((weight, inner))
        if len(terms) == 1 and terms[0][0] == 1 and constant == 0:
            return terms[0][1]
        return Sum(tuple(terms), constant)
    if isinstance(tree, Product):
        inner = [(tidy(factor), power) for factor, power in tree.factors if power != 0]
        if len(inner) == 1 and inner[0][1] == 1:
            return inner[0][0]
        return Product(tuple(inner))
    return tree


def with_inputs(tree: Tree, columns: list[int]) -> Tree:
    """Return the tree with input k replaced by input `columns[k]`."""
    if isinstance(tree, Input):
        return Input(columns[tree.index])
    if isinstance(tree, Sum):
        terms = tuple((w, with_inputs(t, columns)) for w, t in tree.terms)
        return Sum(terms, tree.constant)
    return Product(tuple((with_inputs(f, columns), p) for f, p in tree.factors))


def inputs_of(tree: Tree) -> set[int]:
    """Return the columns a tree uses."""
    if isinstance(tree, Input):
        return {tree.index}
    inner = [t for _, t in tree.terms] if isinstance(tree, Sum) else [t for t, _ in tree.factors]
    return set().union(*(inputs_of(t) for t in inner))


def powers_of(tree: Tree) -> list[Number]:
    """Return all powers of a tree."""
    if isinstance(tree, Product):
        return [p for f, power in tree.factors for p in (power, *powers_of(f))]
    return [p for _, t in tree.terms for p in powers_of(t)] if isinstance(tree, Sum) else []


def size(tree: Tree) -> int:
    """Return the number of inputs, constants and operations of a tree: its complexity."""
    if isinstance(tree, Input):
        return 1
    if isinstance(tree, Sum):
        parts = [size(t) + (abs(w) != 1) * 2 for w, t in tree.terms]
        if tree.constant != 0 or not parts:
            parts.append(1)
        return sum(parts) + len(parts) - 1
    parts = [size(t) + (abs(p) != 1) * 2 for t, p in tree.factors] or [1]
    reciprocal = 2 * (bool(tree.factors) and all(p < 0 for _, p in tree.factors))
    return sum(parts) + len(parts) - 1 + reciprocal


def bits(tree: Tree, columns: int, precision: float) -> float:
    """Return the length of a description of the tree in bits.

    A measured number costs `precision` bits, an exact one what it takes to write it down.
    """
    if isinstance(tree, Input):
        return log2(columns + 1)
    if isinstance(tree, Sum):
        each = [bits(t, columns, precision) + _cost(w, precision) for w, t in tree.terms]
        return 2 + sum(each) + len(each) + _cost(tree.constant, precision)
    each = [bits(t, columns, precision) + _cost(p, precision) for t, p in tree.factors]
    return 2 + sum(each) + len(each)


def _cost(value: Number, precision: float) -> float:
    return number_bits(value) if isinstance(value, Fraction) else precision


def number_bits(value: Fraction) -> float:
    """Return the bits of an exact number: few for 0 and ±1, more for each digit.

    >>> number_bits(Fraction(1)) < number_bits(Fraction(2)) < number_bits(Fraction(1, 3))
    True
    """
    if value == 0:
        return 0.5
    if abs(value) == 1:
        return 1.0
    digits, scale = _decimal(value)
    plain = log2(abs(value.numerator) + 1) + 2 * log2(value.denominator)
    return 2 + min(plain, log2(digits + 1) + 2 + 2 * log2(abs(scale) + 1) if digits else plain)


def _decimal(value: Fraction) -> tuple[int, int]:
    """Return the digits of a decimal number and the power of ten; 0 digits if there is none."""
    rest = value.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest //= 2
        twos += 1
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        return 0, 0
    places = max(twos, fives)
    digits = abs(int(value * 10**places))
    while digits and digits % 10 == 0:
        digits //= 10
        places -= 1
    return digits, -places


# --- values --------------------------------------------------------------------------------------


def evaluate(tree: Tree, x: np.ndarray) -> np.ndarray:
    """Return the values of a tree on the rows of a table; where there is none, NaN or infinity."""
    with np.errstate(all="ignore"):
        return _value(tree, x)


def _value(tree: Tree, x: np.ndarray) -> np.ndarray:
    if isinstance(tree, Input):
        return x[:, tree.index]
    if isinstance(tree, Sum):
        total = np.full(len(x), float(tree.constant))
        for weight, term in tree.terms:
            total += float(weight) * _value(term, x)
        return total
    product = np.ones(len(x))
    for factor, power in tree.factors:
        product *= _power(_value(factor, x), power)
    return product


def _power(base: np.ndarray, power: Number) -> np.ndarray:
    if power == 1:
        return base
    if power == -1:
        return 1 / base
    if isinstance(power, Fraction) and power.denominator % 2 == 1 and power.denominator > 1:
        root = np.abs(base) ** float(power)
        return np.where(base < 0, -root, root) if power.numerator % 2 else root
    return base ** float(power)


def evaluate_with_rounding(
    tree: Tree, x: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return values and the size of their rounding errors, to first order.

    Inputs, and the result of each operation, are off by `epsilon` of themselves; a sum is off by
    `epsilon` of the sum of its absolute terms, which is what knows cancellation. Errors of
    different operations add like those of independent measurements.
    """
    with np.errstate(all="ignore"):
        value, variance = _rounded(tree, x, epsilon)
        return value, np.sqrt(variance)


def _rounded(tree: Tree, x: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(tree, Input):
        value = x[:, tree.index]
        return value, (epsilon * value) ** 2
    if isinstance(tree, Sum):
        total = np.full(len(x), float(tree.constant))
        absolute, variance = np.abs(total), np.zeros(len(x))
        for weight, term in tree.terms:
            value, inner = _rounded(term, x, epsilon)
            part = float(weight) * value
            total = total + part
            absolute += np.abs(part)
            variance += float(weight) ** 2 * inner
        return total, variance + (epsilon * absolute) ** 2
    product, relative = np.ones(len(x)), np.zeros(len(x))
    for factor, power in tree.factors:
        value, inner = _rounded(factor, x, epsilon)
        product = product * _power(value, power)
        relative += float(power) ** 2 * inner / value**2 + epsilon**2
    return product, product**2 * relative


def gradient(tree: Tree, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return values and their derivatives by the measured numbers: `(rows,)`, `(rows, measured)`.

    The derivative by a power is that of the magnitude; its sign does not move.
    """
    with np.errstate(all="ignore"):
        value, columns = _gradient(tree, x)
    return value, np.stack(columns, axis=1) if columns else np.empty((len(x), 0))


def _gradient(tree: Tree, x: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    if isinstance(tree, Input):
        return x[:, tree.index], []
    if isinstance(tree, Sum):
        total, columns = np.full(len(x), float(tree.constant)), []
        for weight, term in tree.terms:
            value, inner = _gradient(term, x)
            total = total + float(weight) * value
            if isinstance(weight, float):
                columns.append(value)
            columns += [float(weight) * c for c in inner]
        if isinstance(tree.constant, float):
            columns.append(np.ones(len(x)))
        return total, columns
    values = [(_gradient(factor, x), power) for factor, power in tree.factors]
    powers = [_power(value, power) for (value, _), power in values]
    product, columns = np.prod(powers, axis=0) if powers else np.ones(len(x)), []
    for (value, inner), power in values:
        slope = product * float(power) / value
        columns += [slope * c for c in inner]
        if isinstance(power, float):
            columns.append(product * np.log(np.abs(value)))
    return product, columns


def is_finite(tree: Tree) -> bool:
    """Whether all numbers of a tree are finite."""
    return all(isfinite(float(n)) for n in numbers(tree))
