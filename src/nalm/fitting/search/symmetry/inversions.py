"""Functions of the result that a relation may be about, where they have one inverse."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nalm.fitting.tree import (
    HALF,
    ONE,
    Applied,
    Number,
    PowerProduct,
    Tree,
    VariablePower,
    WeightedSum,
    power_of,
)
from nalm.fitting.tree.functions import ARCCOS, ARCSIN, ARCTAN, EXP, LOG, POWER, TANH, Elementary

LARGEST = 300.0
"""The largest result whose exponential is taken."""


@dataclass(frozen=True)
class Inversion:
    """A function of the result, and the formula of the result from that of the function."""

    name: str
    t: np.ndarray
    undone: Callable[[Tree], Tree]
    slope: Callable[[np.ndarray], np.ndarray]
    """The slope of the function by the result."""


def inversions(w: np.ndarray, allowed: frozenset[str]) -> Iterator[Inversion]:
    """Yield the functions of a result that have one inverse on all rows, the plainest first."""
    yield Inversion("plain", w, lambda tree: tree, np.ones_like)
    low, high = float(np.min(w)), float(np.max(w))
    if low > 0 or high < 0:
        sign = ONE if low > 0 else -ONE
        yield Inversion(
            "square", w**2, lambda tree: _signed(sign, power_of(tree, HALF)), lambda w: 2 * w
        )
        if EXP.name in allowed:
            yield Inversion(
                "log",
                np.log(np.abs(w)),
                lambda tree: _signed(sign, exponential(tree, allowed)),
                lambda w: 1 / w,
            )
    if LOG.name in allowed and max(-low, high) < LARGEST:
        yield _applied("exp", np.exp(w), LOG, np.exp)
    if ARCSIN.name in allowed and -np.pi / 2 <= low and high <= np.pi / 2:
        yield _applied("sin", np.sin(w), ARCSIN, np.cos)
    if ARCCOS.name in allowed and low >= 0 and high <= np.pi:
        yield _applied("cos", np.cos(w), ARCCOS, np.sin)
    if ARCTAN.name in allowed and -np.pi / 2 < low and high < np.pi / 2:
        yield _applied("tan", np.tan(w), ARCTAN, lambda w: 1 / np.cos(w) ** 2)
    if TANH.name in allowed and low > -1 and high < 1:
        yield _applied("artanh", np.arctanh(w), TANH, lambda w: 1 / (1 - w**2))


def _applied(
    name: str, t: np.ndarray, undo: Elementary, slope: Callable[[np.ndarray], np.ndarray]
) -> Inversion:
    return Inversion(name, t, lambda tree: Applied(undo, tree), slope)


def _signed(sign: Number, tree: Tree) -> Tree:
    return tree if sign == ONE else WeightedSum(((-ONE, tree),))


def exponential(tree: Tree, allowed: frozenset[str]) -> Tree:
    """Return exp of a formula: of `b*log(a) + c` the product `a**b * exp(c)`."""
    if not isinstance(tree, WeightedSum):
        return Applied(EXP, tree)
    factors: list[tuple[Tree, Number]] = []
    rest: list[tuple[Number, Tree]] = []
    for weight, term in tree.terms:
        power = _power(weight, term) if POWER in allowed else None
        if power is None:
            rest.append((weight, term))
        else:
            factors.append(power)
    if rest:
        factors.append((Applied(EXP, WeightedSum(tuple(rest))), ONE))
    whole = PowerProduct(tuple(factors))
    if tree.constant == 0:
        return whole
    with np.errstate(all="ignore"):
        return WeightedSum(((float(np.exp(float(tree.constant))), whole),))


def powered(tree: Tree, power: Fraction) -> Tree:
    """Return a power of a formula; that of a multiple of an exponential is one again."""
    if isinstance(tree, WeightedSum) and len(tree.terms) == 1 and tree.constant == 0:
        weight, term = tree.terms[0]
        if weight > 0:
            with np.errstate(all="ignore"):
                factor = weight if weight == 1 else float(weight) ** float(power)
            return WeightedSum(((factor, powered(term, power)),))
    if isinstance(tree, PowerProduct) and power.denominator == 1:
        factors = (
            (powered(f, power), p) if f.children else (f, p * power) for f, p in tree.factors
        )
        return PowerProduct(tuple(factors))
    if isinstance(tree, Applied) and tree.function is EXP:
        return Applied(EXP, WeightedSum(((power, tree.argument),)))
    return power_of(tree, power)


def _power(weight: Number, term: Tree) -> tuple[Tree, Number] | None:
    """Return the power that the exponential of a weighted term is, if that has one logarithm."""
    parts = term.factors if isinstance(term, PowerProduct) else ((term, ONE),)
    logarithms = [
        f.argument for f, p in parts if p == 1 and isinstance(f, Applied) and f.function is LOG
    ]
    if len(logarithms) != 1:
        return None
    others = tuple((f, p) for f, p in parts if f != Applied(LOG, logarithms[0]))
    if not others:
        return logarithms[0], weight
    exponent = WeightedSum(((weight, PowerProduct(others)),)).tidy()
    return VariablePower(logarithms[0], exponent), ONE
