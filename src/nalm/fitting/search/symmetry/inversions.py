"""Functions of the result that a relation may be about, where they have one inverse."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nalm.fitting.tree import HALF, ONE, Applied, PowerProduct, Tree, VariablePower, WeightedSum
from nalm.fitting.tree.functions import ARCCOS, ARCSIN, ARCTAN, EXP, LOG, TANH, Elementary
from nalm.fitting.tree.nodes import columns_of, power_of

LARGEST = 300.0
"""The largest result whose exponential is taken."""


@dataclass(frozen=True)
class Inversion:
    """A function of the result, and the formula of the result from that of the function."""

    name: str
    t: np.ndarray
    undone: Callable[[Tree], Tree]


def inversions(w: np.ndarray, allowed: frozenset[str]) -> Iterator[Inversion]:
    """Yield the functions of a result that have one inverse on all rows, the plainest first."""
    yield Inversion("plain", w, lambda tree: tree)
    low, high = float(np.min(w)), float(np.max(w))
    if low > 0 or high < 0:
        sign = ONE if low > 0 else -ONE
        yield Inversion("square", w**2, lambda tree: _signed(sign, power_of(tree, HALF)))
        if EXP.name in allowed:
            logarithm = np.log(np.abs(w))
            yield Inversion("log", logarithm, lambda tree: _signed(sign, exponential(tree, allowed)))
    if LOG.name in allowed and max(-low, high) < LARGEST:
        yield _applied("exp", np.exp(w), LOG)
    if ARCSIN.name in allowed and -np.pi / 2 <= low and high <= np.pi / 2:
        yield _applied("sin", np.sin(w), ARCSIN)
    if ARCCOS.name in allowed and low >= 0 and high <= np.pi:
        yield _applied("cos", np.cos(w), ARCCOS)
    if ARCTAN.name in allowed and -np.pi / 2 < low and high < np.pi / 2:
        yield _applied("tan", np.tan(w), ARCTAN)
    if TANH.name in allowed and -1 < low and high < 1:
        yield _applied("artanh", np.arctanh(w), TANH)


def _applied(name: str, t: np.ndarray, undo: Elementary) -> Inversion:
    return Inversion(name, t, lambda tree: Applied(undo, tree))


def _signed(sign: object, tree: Tree) -> Tree:
    return tree if sign == ONE else WeightedSum(((-ONE, tree),))


def exponential(tree: Tree, allowed: frozenset[str]) -> Tree:
    """Return exp of a formula: of `b*log(a) + c` the product `a**b * exp(c)`."""
    if not isinstance(tree, WeightedSum) or "power" not in allowed:
        return Applied(EXP, tree)
    factors: list[tuple[Tree, object]] = []
    rest = []
    for weight, term in tree.terms:
        parts = term.factors if isinstance(term, PowerProduct) else ((term, ONE),)
        logarithms = [
            f for f, p in parts if p == 1 and isinstance(f, Applied) and f.function is LOG
        ]
        if len(logarithms) != 1:
            rest.append((weight, term))
            continue
        logarithm = logarithms[0]
        assert isinstance(logarithm, Applied)
        others = tuple((f, p) for f, p in parts if f is not logarithm)
        base = logarithm.argument
        if not others:
            factors.append((base, weight))
        else:
            exponent = WeightedSum(((weight, PowerProduct(others)),)).tidy()
            factors.append((VariablePower(base, exponent), ONE))
    if rest or tree.constant != 0:
        inner = WeightedSum(tuple(rest), tree.constant)
        if columns_of(inner):
            factors.append((Applied(EXP, inner), ONE))
        else:
            with np.errstate(all="ignore"):
                scale = float(np.exp(float(tree.constant)))
            return WeightedSum(((scale, PowerProduct(tuple(factors))),))  # type: ignore[arg-type]
    return PowerProduct(tuple(factors))  # type: ignore[arg-type]
