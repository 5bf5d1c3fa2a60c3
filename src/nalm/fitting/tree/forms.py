"""The shortest form of a formula that algebra finds: trees from sympy, and their equal forms."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import Any

from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.functions import ABS
from nalm.fitting.tree.nested_powers import joined_roots, numbers_outside, unnested
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import Column, PowerProduct, WeightedSum, columns_of
from nalm.fitting.tree.number import ONE, ZERO, Number

Expression = Any
"""A sympy expression; its own types say less than it can do."""
LARGEST, MANY = 120, 10
"""The largest tree, and the most inputs, for which other forms are tried."""
MOST_TERMS = 300
"""The most terms a tree may have when it is expanded."""
FEW = 4
"""The most magnitudes of which all but one are taken for what is in them."""
SMALL = 5
"""The largest tree that cannot be shortened."""


def from_sympy(expression: Expression, index: dict[Expression, int]) -> Tree:
    """Return an expression of sums, products, constant powers and magnitudes as a tree."""
    if expression in index:
        return Column(index[expression])
    if expression.is_Number:
        return WeightedSum((), _plain(expression))
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
        return WeightedSum(tuple(terms), constant)
    if expression.is_Mul:
        weight, rest = expression.as_coeff_Mul()
        parts = rest.args if rest.is_Mul else (rest,)
        inner = PowerProduct(tuple(_factor(part, index) for part in parts))
        return inner if weight == 1 else WeightedSum(((_plain(weight), inner),))
    if type(expression).__name__ == ABS.sympy_name:
        return Applied(ABS, from_sympy(expression.args[0], index))
    if expression.is_Pow:
        return PowerProduct((_factor(expression, index),))
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
    squared, with the sign that it has in the data. In a tree with measured numbers only powers of
    powers are joined. Algebra takes functions as if they were columns; what they are functions of
    is shortened after that.
    """
    columns: list[Tree] = [Column(i) for i in range(max(columns_of(tree), default=-1) + 1)]
    functions: dict[Tree, int] = {}
    outer = _algebra(tree, functions, len(columns))
    parts = [*columns, *functions]
    outer = _shortest_algebra(outer, lambda other: agrees(other.composed(parts)))
    for place, function in enumerate(functions, len(columns)):
        for k, child in enumerate(function.children):

            def with_child(inner: Tree, place: int = place, k: int = k) -> Tree:
                return outer.composed(
                    [*parts[:place], _with_child(parts[place], k, inner), *parts[place + 1 :]]
                )

            short = shortest(child, lambda inner: agrees(with_child(inner)))
            parts[place] = _with_child(parts[place], k, short)
    return outer.composed(parts)


def _algebra(tree: Tree, functions: dict[Tree, int], first: int) -> Tree:
    """Return a tree with its functions replaced by columns from `first` on."""
    match tree:
        case Column():
            return tree
        case WeightedSum(terms, constant):
            inner = ((w, _algebra(term, functions, first)) for w, term in terms)
            return WeightedSum(tuple(inner), constant)
        case PowerProduct(factors):
            return PowerProduct(tuple((_algebra(f, functions, first), p) for f, p in factors))
    return Column(functions.setdefault(tree, first + len(functions)))


def _with_child(function: Tree, place: int, child: Tree) -> Tree:
    """Return a function of something else."""
    if isinstance(function, VariablePower):
        base, exponent = function.children
        return VariablePower(base, child) if place else VariablePower(child, exponent)
    assert isinstance(function, Applied)
    return Applied(function.function, child)


def _shortest_algebra(tree: Tree, agrees: Callable[[Tree], bool]) -> Tree:
    """Return the shortest form of a tree without functions."""
    tree = _least(_unnested_forms(tree), tree, agrees)
    if _is_plain(tree):
        return tree
    used = sorted(columns_of(tree))
    exact = all(isinstance(n, Fraction) for n in tree.numbers())
    if not exact or not SMALL < tree.size() <= LARGEST or len(used) > MANY:
        return tree
    if tree.expanded_terms() > MOST_TERMS:
        return tree
    import sympy

    symbols = {i: sympy.Symbol(f"x{i}", real=True, nonzero=True) for i in used}
    index = {symbol: i for i, symbol in symbols.items()}
    known = [symbols.get(i, sympy.Integer(0)) for i in range(max(used, default=0) + 1)]
    expression = tree.to_sympy(known)
    return _least(_trees(_forms(expression, list(index)), index), tree, agrees)


def _is_plain(tree: Tree) -> bool:
    """Whether a tree is a product of powers of columns, or a sum of columns with either sign."""
    if not all(isinstance(child, Column) for child in tree.children):
        return False
    match tree:
        case PowerProduct():
            return True
        case WeightedSum(terms, constant):
            return not constant and all(abs(weight) == 1 for weight, _ in terms)
    return False


def _least(others: Iterable[Tree], tree: Tree, agrees: Callable[[Tree], bool]) -> Tree:
    """Return the tree, or of the others that agree the one that costs the least to read."""
    best, least = tree, _effort(tree)
    for other in dict.fromkeys(others):
        effort = _effort(other)
        if effort < least and agrees(other):
            best, least = other, effort
    return best


def _unnested_forms(tree: Tree) -> Iterator[Tree]:
    """Yield the tree with powers of powers joined, and roots; roots of squares with either sign."""
    yield unnested(tree)
    yield joined_roots(tree)
    with suppress(ArithmeticError):
        yield numbers_outside(tree)
    drawn = unnested(tree, draw_squares=True)
    yield drawn
    yield WeightedSum(((-ONE, drawn),)).tidy()


def _trees(forms: Iterable[Expression], index: dict[Expression, int]) -> Iterator[Tree]:
    for form in dict.fromkeys(forms):
        with suppress(ValueError):
            tree = from_sympy(form, index)
            yield tree
            yield from _unnested_forms(tree)


def _effort(tree: Tree) -> tuple[int, int, int]:
    """Return what a form costs to read: its size, how often it divides, and numbers in powers."""
    divisions = sum(power < 0 for power in tree.powers())
    factors = (f for node in tree.walk() if isinstance(node, PowerProduct) for f in node.children)
    scaled = sum(
        isinstance(f, WeightedSum) and len(f.terms) + bool(f.constant) == 1 for f in factors
    )
    return tree.size(), divisions, scaled


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
    """Yield the expression, roots of squares as what was squared: with either sign, or both."""
    import sympy

    plain = expression.replace(sympy.Abs, lambda inner: inner)
    if plain == expression:
        yield plain
        return
    yield from (plain, -plain, expression)
    magnitudes = sorted(expression.atoms(sympy.Abs), key=str)
    if 1 < len(magnitudes) <= FEW:
        for kept in magnitudes:
            bare = {m: m.args[0] for m in magnitudes if m != kept}
            yield from (expression.xreplace(bare), -expression.xreplace(bare))


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
