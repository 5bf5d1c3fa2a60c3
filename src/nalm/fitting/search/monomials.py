"""Products of small powers of the inputs, as columns."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np

from nalm.fitting.tree import Column, PowerProduct, Tree

Powers = tuple[tuple[int, Fraction], ...]
"""Which input has which power; none is the constant 1."""


def polynomial(inputs: int, degree: int, highest: int) -> list[Powers]:
    """Return the monomials up to a total degree and a highest power, the constant first.

    >>> len(polynomial(4, 2, 2)), len(polynomial(4, 2, 1))
    (15, 11)
    """
    return [()] + [
        tuple(zip(chosen, powers, strict=True))
        for powers in _kinds(degree, highest)
        for chosen in combinations(range(inputs), len(powers))
    ]


def polynomial_size(inputs: int, degree: int, highest: int) -> int:
    """Return how many monomials `polynomial` has.

    >>> polynomial_size(4, 2, 2), polynomial_size(4, 2, 1)
    (15, 11)
    """
    return 1 + sum(comb(inputs, len(powers)) for powers in _kinds(degree, highest))


@cache
def _kinds(degree: int, highest: int) -> list[tuple[Fraction, ...]]:
    """Return the powers of the inputs of a monomial, none above the highest, by total degree."""
    return [
        powers
        for total in range(1, degree + 1)
        for powers in _partitions(total)
        if max(powers) <= highest
    ]


def _partitions(total: int) -> list[tuple[Fraction, ...]]:
    """Return all ways to write a total as an ordered sum of positive integers."""
    if total == 0:
        return [()]
    return [
        (Fraction(first), *rest)
        for first in range(1, total + 1)
        for rest in _partitions(total - first)
    ]


def laurent(inputs: int, most: int) -> list[Powers]:
    """Return monomials with powers such as -1 and 2: as many kinds as stay below `most`."""
    found: list[Powers] = [()]
    for_two = _powers(1, -1, 2, -2)
    kinds = (
        (1, for_two),
        (2, _powers(1, -1)),
        (2, for_two),
        (1, _powers(1, -1, 2, -2, 3, -3, 4, -4, 5, 6, 0.5, -0.5, 1.5, -1.5, 2.5)),
        (3, _powers(1, -1)),
        (4, _powers(1, -1)),
        (3, _powers(1, -1, 2)),
        (2, _powers(1, -1, 2, -2, 3, -3, 0.5, -0.5)),
        (3, for_two),
        (5, _powers(1, -1)),
    )
    known: set[Powers] = {()}
    for variables, powers in kinds:
        if len(found) + comb(inputs, variables) * len(powers) ** variables > 2 * most:
            continue
        more = [
            tuple(zip(chosen, exponents, strict=True))
            for chosen in combinations(range(inputs), variables)
            for exponents in product(powers, repeat=variables)
        ]
        more = [m for m in more if m not in known]
        if len(found) + len(more) > most:
            continue
        found += more
        known.update(more)
    return found


def _powers(*values: float) -> tuple[Fraction, ...]:
    return tuple(Fraction(value) for value in values)


def columns(x: np.ndarray, monomials: list[Powers]) -> np.ndarray:
    """Return the values of monomials, a column each; where there is none, NaN or infinity."""
    made = np.empty((len(x), len(monomials)))
    with np.errstate(all="ignore"):
        raised = {
            (i, power): x[:, i] ** float(power) for powers in monomials for i, power in powers
        }
        for k, powers in enumerate(monomials):
            value = np.ones(len(x))
            for factor in powers:
                value = value * raised[factor]
            made[:, k] = value
    return made


def tree_of(powers: Powers) -> Tree:
    """Return a monomial as a tree."""
    if len(powers) == 1 and powers[0][1] == 1:
        return Column(powers[0][0])
    return PowerProduct(tuple((Column(i), power) for i, power in powers))
