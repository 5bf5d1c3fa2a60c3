"""Formulas for people: simple fractions as sympy writes them, other numbers as decimals."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import Column, PowerProduct, WeightedSum
from nalm.fitting.tree.number import HALF, ONE, Number

if TYPE_CHECKING:
    import sympy

DIGITS = 6
"""Digits of a measured number, and the most that an exact one may have as a decimal."""


def written(tree: Tree, names: Sequence[str]) -> str:
    """Return a formula as Python would compute it.

    >>> a, b = Column(0), Column(1)
    >>> product = PowerProduct(((a, ONE), (b, -HALF)))
    >>> written(WeightedSum(((Fraction(5, 2), product),), Fraction(-1, 3)), "ab")
    '5*a/(2*sqrt(b)) - 1/3'
    >>> written(PowerProduct(((a, ONE), (b, ONE))), ["m", "v [m/s]"])
    'm*`v [m/s]`'
    >>> from nalm.fitting.tree.functions import SIN
    >>> written(WeightedSum(((ONE, VariablePower(a, Applied(SIN, b))),), ONE), "ab")
    'a**sin(b) + 1'
    """
    return _sum(tree, names) if isinstance(tree, WeightedSum) else _times(ONE, tree, names)


def _sum(tree: WeightedSum, names: Sequence[str]) -> str:
    parts = [(w < 0, _times(abs(w), term, names)) for w, term in tree.terms]
    if tree.constant != 0 or not parts:
        parts.append((tree.constant < 0, number_text(abs(tree.constant))))
    first = next((i for i, (minus, _) in enumerate(parts) if not minus), 0)
    parts.insert(0, parts.pop(first))
    text = "".join(f" {'-' if minus else '+'} {part}" for minus, part in parts)
    return text[3:] if text.startswith(" + ") else "-" + text[3:]


def _times(weight: Number, tree: Tree, names: Sequence[str]) -> str:
    """Return a number above 0 times a tree as one fraction."""
    factors = list(_flat(tree, ONE))
    above = [_power(f, p, names) for f, p in factors if p > 0]
    below = [_power(f, -p, names) for f, p in factors if p < 0]
    if isinstance(weight, Closed):
        numerator, denominator = weight.above_and_below()
        above, below, weight = [*numerator, *above], [*denominator, *below], ONE
    elif isinstance(weight, Fraction) and _decimal(weight) is None:
        below = [str(weight.denominator), *below]
        weight = Fraction(weight.numerator)
    if weight != 1 or not above:
        above = [number_text(weight), *above]
    if not below:
        return "*".join(above)
    under = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return f"{'*'.join(above)}/{under}"


def _flat(tree: Tree, power: Number) -> Iterator[tuple[Tree, Number]]:
    """Yield the factors of a tree; products and quotients inside it are part of it."""
    if isinstance(tree, PowerProduct) and abs(power) == 1:
        for factor, inner in tree.factors:
            yield from _flat(factor, inner * power)
    else:
        yield tree, power


def _power(base: Tree, power: Number, names: Sequence[str]) -> str:
    inner = _word(base, names)
    if power == HALF:
        return f"sqrt({inner or written(base, names)})"
    if isinstance(base, VariablePower) and power == 1:
        below, above = (_word(child, names) or _bracketed(child, names) for child in base.children)
        return f"{below}**{above}"
    inner = inner or _bracketed(base, names)
    if power == 1:
        return inner
    if isinstance(power, Fraction) and power.denominator > 1:
        return f"{inner}**({power})"
    return f"{inner}**{number_text(power)}"


def _word(tree: Tree, names: Sequence[str]) -> str:
    """Return a column, or a function with its argument; nothing for what needs brackets."""
    if isinstance(tree, Column):
        return named(names[tree.index])
    return f"{tree.function}({written(tree.argument, names)})" if isinstance(tree, Applied) else ""


def _bracketed(tree: Tree, names: Sequence[str]) -> str:
    inner = _power(tree, ONE, names) if isinstance(tree, VariablePower) else written(tree, names)
    return f"({inner})"


def named(name: str) -> str:
    """Return a name as it stands in a formula: in backquotes if it is not one word.

    >>> named("speed"), named("a-b")
    ('speed', '`a-b`')
    """
    return name if name.isidentifier() else f"`{name.replace('`', '``')}`"


def number_text(value: Number) -> str:
    """Return a number: exact ones as they are, measured ones to six digits.

    >>> number_text(Fraction(5, 2)), number_text(Fraction(981, 100)), number_text(0.30000000001)
    ('5/2', '9.81', '0.3')
    """
    if isinstance(value, Fraction):
        return _decimal(value) or str(value)
    if isinstance(value, Closed):
        return str(value)
    return f"{value:.{DIGITS}g}"


def _decimal(value: Fraction) -> str | None:
    """Return an exact number as a decimal, if that is short and it is no fraction as 5/2 is."""
    if value.denominator == 1:
        return str(value.numerator)
    if value.denominator % 5:
        return None
    text = f"{float(value):.{DIGITS}g}"
    return text if Fraction(text) == value else None


def typeset(tree: Tree, symbols: Sequence["sympy.Expr"]) -> "sympy.Expr":
    """Return an expression with the numbers that `written` shows, to print it in other ways."""
    import sympy

    found = _decimals(tree).to_sympy(symbols)
    short = {n: sympy.Float(n, DIGITS) for n in found.atoms(sympy.Float)}
    return cast("sympy.Expr", found.xreplace(short))


def _decimals(tree: Tree) -> Tree:
    """Return the tree with short decimals for exact weights; powers stay fractions."""
    if isinstance(tree, WeightedSum):
        terms = tuple((_as_decimal(w), _decimals(t)) for w, t in tree.terms)
        return WeightedSum(terms, _as_decimal(tree.constant))
    if isinstance(tree, PowerProduct):
        return PowerProduct(tuple((_decimals(f), p) for f, p in tree.factors))
    if isinstance(tree, Applied):
        return Applied(tree.function, _decimals(tree.argument))
    if isinstance(tree, VariablePower):
        return VariablePower(_decimals(tree.base), _decimals(tree.exponent))
    return tree


def _as_decimal(value: Number) -> Number:
    whole = isinstance(value, Fraction) and value.denominator == 1
    short = isinstance(value, Fraction) and _decimal(value) is not None
    return float(value) if short and not whole else value
