"""Trees as sympy expressions and back, and the shortest form that is equal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import prod
from typing import Any

from nalm.fitting.tree import (
    ZERO,
    Input,
    Number,
    Product,
    Sum,
    Tree,
    inputs_of,
    numbers,
    powers_of,
    size,
)  # fmt: skip

Expression = Any
"""A sympy expression; its own types say less than it can do."""
LARGEST, MANY = 120, 10
"""The largest tree, and the most inputs, for which other forms are tried."""
MOST_TERMS = 300
"""The most terms a tree may have when it is expanded."""
SMALL = 5
"""The largest tree that cannot be shortened."""


def to_sympy(tree: Tree, symbols: Sequence[Expression]) -> Expression:
    """Return a tree as an expression of these symbols; exact numbers stay exact."""
    import sympy

    if isinstance(tree, Input):
        return symbols[tree.index]
    if isinstance(tree, Sum):
        terms = [_number(w) * to_sympy(t, symbols) for w, t in tree.terms]
        return sympy.Add(*terms, _number(tree.constant))
    return sympy.Mul(*(to_sympy(f, symbols) ** _number(p) for f, p in tree.factors))


def _number(value: Number) -> Expression:
    import sympy

    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.Float(value, 17)


def from_sympy(expression: Expression, index: dict[Expression, int]) -> Tree:
    """Return an expression of sums, products and constant powers as a tree."""
    if expression in index:
        return Input(index[expression])
    if expression.is_Number:
        return Sum((), _plain(expression))
    if expression.is_Add:
        terms: list[tuple[Number, Tree]] = []
        constant: Number = ZERO
        for part in expression.args:
            weight, rest = part.as_coeff_Mul()
            if rest == 1:
                constant = constant + _plain(weight)
            elif part.is_Number:
                constant = constant + _plain(part)
            else:
                terms.append((_plain(weight), from_sympy(rest, index)))
        return Sum(tuple(terms), constant)
    if expression.is_Mul:
        weight, rest = expression.as_coeff_Mul()
        parts = rest.args if rest.is_Mul else (rest,)
        inner = Product(tuple(_factor(part, index) for part in parts))
        return inner if weight == 1 else Sum(((_plain(weight), inner),))
    if expression.is_Pow:
        return Product((_factor(expression, index),))
    raise ValueError(f"{expression} is no sum, product or constant power.")


def _factor(part: Expression, index: dict[Expression, int]) -> tuple[Tree, Number]:
    base, power = part.as_base_exp()
    if not power.is_Number:
        raise ValueError(f"{part} is no constant power.")
    return from_sympy(base, index), _plain(power)


def _plain(value: Expression) -> Number:
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)


def shortest(tree: Tree, agrees: Callable[[Tree], bool]) -> Tree:
    """Return the shortest form of a tree that algebra finds and rows agree with.

    It is equal in value, not only on the data, but for one thing: the root of a square is what was
    squared, with the sign that it has in the data. A tree with measured numbers keeps its form.
    """
    import sympy

    used = sorted(inputs_of(tree))
    exact = all(isinstance(n, Fraction) for n in numbers(tree))
    if not exact or not SMALL < size(tree) <= LARGEST or len(used) > MANY:
        return tree
    if _expanded(tree) > MOST_TERMS:
        return tree
    symbols = {i: sympy.Symbol(f"x{i}", real=True, nonzero=True) for i in used}
    index = {symbol: i for i, symbol in symbols.items()}
    known = [symbols.get(i, sympy.Integer(0)) for i in range(max(used, default=0) + 1)]
    expression = to_sympy(tree, known)
    best = tree
    for form in _forms(expression, list(index)):
        with suppress(ValueError):
            other = from_sympy(form, index)
            if _effort(other) < _effort(best) and agrees(other):
                best = other
    return best


def _effort(tree: Tree) -> tuple[int, int]:
    """Return what a form costs to read: its size, and how often it divides."""
    return size(tree), sum(power < 0 for power in powers_of(tree))


def _expanded(tree: Tree) -> float:
    """Return about how many terms an expanded tree has."""
    if isinstance(tree, Input):
        return 1
    if isinstance(tree, Sum):
        return sum(_expanded(t) for _, t in tree.terms) + (tree.constant != 0)
    return prod(_expanded(t) ** max(1.0, abs(float(p))) for t, p in tree.factors)


def _forms(expression: Expression, symbols: list[Expression]) -> Iterator[Expression]:
    """Yield equal forms: factored, expanded, in partial fractions, with completed squares."""
    import sympy

    inside, power = expression.as_base_exp()
    if not power.is_Number or power == -1:
        inside, power = expression, sympy.Integer(1)
    for form in _rational_forms(inside, symbols):
        yield sympy.Pow(form, power)
        yield sympy.Pow(1 / form, -power)
        yield from _rooted(sympy.Pow(_squares_completed(form), power))
    for fraction in (sympy.together, sympy.factor):
        yield from _rooted(_in_roots(expression, fraction))


def _in_roots(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with what is under its roots in another form, squares completed."""
    import sympy

    def changed(root: Expression) -> Expression:
        return sympy.Pow(_squares_completed(change(root.base)), root.exp)

    return expression.replace(lambda e: e.is_Pow and not e.exp.is_Integer, changed)


def _rooted(expression: Expression) -> Iterator[Expression]:
    """Yield the expression, roots of squares as what was squared, with either sign."""
    import sympy

    plain = expression.replace(sympy.Abs, lambda inner: inner)
    yield from (plain,) if plain == expression else (plain, -plain)


def _rational_forms(expression: Expression, symbols: list[Expression]) -> Iterator[Expression]:
    import sympy

    tries: list[Callable[[], Expression]] = [
        lambda: expression,
        lambda: sympy.factor(expression),
        lambda: sympy.expand(expression),
        lambda: sympy.factor_terms(sympy.expand(expression)),
    ]
    if expression.is_rational_function(*symbols):
        tries += [lambda s=s: _apart(expression, s) for s in symbols]
        tries += [
            lambda s=s: sympy.collect(sympy.expand(expression), s, sympy.factor) for s in symbols
        ]
    for attempt in tries:
        with suppress(sympy.PolynomialError, ArithmeticError, TypeError, ValueError):
            yield attempt()


def _apart(expression: Expression, symbol: Expression) -> Expression:
    """Return partial fractions by one symbol, each factored."""
    import sympy

    parts = sympy.apart(sympy.together(expression), symbol)
    return sympy.Add(*(sympy.factor(part) for part in sympy.Add.make_args(parts)))


def _squares_completed(expression: Expression) -> Expression:
    """Return the expression with sums such as `a² - 2ab + b²` written as squares."""
    return expression.replace(lambda e: e.is_Add, _complete)


def _complete(total: Expression) -> Expression:
    import sympy

    terms = dict.fromkeys(total.args)
    for first, second in combinations(total.args, 2):
        (u, a), (v, b) = _square(first), _square(second)
        if a is None or b is None or u * v <= 0 or not {first, second} <= terms.keys():
            continue
        ratio = sympy.sqrt(v / u)
        for signed in (ratio, -ratio):
            cross = 2 * u * signed * a * b
            if cross in terms:
                for used in (first, second, cross):
                    del terms[used]
                terms[u * (a + signed * b) ** 2] = None
                break
    return reduce(lambda x, y: x + y, terms, sympy.Integer(0))


def _square(term: Expression) -> tuple[Expression, Expression | None]:
    """Return the weight of a term and the root of the rest, None if that is no square."""
    weight, rest = term.as_coeff_Mul()
    powers = rest.as_powers_dict()
    if rest == 1 or any(not p.is_Integer or p % 2 for p in powers.values()):
        return weight, None
    return weight, reduce(lambda x, y: x * y, (base ** (p / 2) for base, p in powers.items()))
