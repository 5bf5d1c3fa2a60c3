"""Functions in formulas: values, slopes, rounding, text, files, other array libraries."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from nalm.errors import InputError
from nalm.fitting.named_formula import NamedFormula
from nalm.fitting.tree import (
    HALF,
    ONE,
    Applied,
    Column,
    PowerProduct,
    Tree,
    VariablePower,
    WeightedSum,
    columns_of,
    constant,
)
from nalm.fitting.tree.array_formulas import ArrayFormulas
from nalm.fitting.tree.forms import shortest
from nalm.fitting.tree.functions import ABS, COS, ELEMENTARY, EXP, LOG, SIN
from nalm.fitting.tree.json_form import decoded_tree, encoded_tree
from nalm.fitting.tree.text import typeset, written

X = np.random.default_rng(0).uniform(0.1, 0.9, (30, 2))
A, B = Column(0), Column(1)


def scaled(number: float | Fraction, tree: Tree, offset: float | Fraction = Fraction(0)) -> Tree:
    return WeightedSum(((number, tree),), offset)


def examples() -> list[Tree]:
    each: list[Tree] = [Applied(f, scaled(0.7, A, 0.2)) for f in ELEMENTARY.values()]
    return [*each, VariablePower(scaled(0.9, A), scaled(1.3, B))]


@pytest.mark.parametrize("tree", examples(), ids=str)
def test_slopes_are_the_derivatives(tree):
    numbers = tree.measured()
    _, slopes = tree.slopes(X)
    for k in range(len(numbers)):
        moved = [[*tree.numbers()] for _ in range(2)]
        place = [i for i, n in enumerate(tree.numbers()) if isinstance(n, float)][k]
        for sign, values in zip((1, -1), moved, strict=True):
            values[place] = float(values[place]) + sign * 1e-6
        up, down = (tree.with_numbers(values).evaluate(X) for values in moved)
        np.testing.assert_allclose(slopes[:, k], (up - down) / 2e-6, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("tree", examples(), ids=str)
def test_every_form_has_the_same_values(tree):
    torch = pytest.importorskip("torch")
    expected = tree.evaluate(X)
    symbols = sympy.symbols("a b", positive=True)
    by_sympy = sympy.lambdify(symbols, tree.to_sympy(symbols), "numpy")(*X.T)
    np.testing.assert_allclose(by_sympy, expected, rtol=1e-12)
    model = ArrayFormulas((tree,), 2)
    np.testing.assert_allclose(model(model.params(), X)[:, 0], expected, rtol=1e-12)
    module = NamedFormula(tree, ("a", "b")).to_torch(torch.float64)
    np.testing.assert_allclose(module(torch.as_tensor(X))[:, 0].numpy(), expected, rtol=1e-12)
    assert decoded_tree(encoded_tree(tree), 2) == tree
    assert tree.with_numbers(tree.numbers()) == tree
    assert float(np.max(np.abs(tree.tidy().evaluate(X) - expected))) == 0
    assert typeset(tree, symbols).free_symbols == {symbols[i] for i in columns_of(tree)}


@settings(deadline=None)
@given(st.floats(0.1, 3), st.sampled_from(list(ELEMENTARY.values())))
def test_rounding_grows_with_the_slope(weight, function):
    tree = Applied(function, scaled(weight, A))
    with np.errstate(all="ignore"):
        _, rounding = tree.evaluate_with_rounding(X, 1e-7)
        moved = tree.evaluate(X * (1 + 1e-7)) - tree.evaluate(X)
    good = np.isfinite(moved) & np.isfinite(rounding) & (rounding < 1e-3)
    assert np.all(np.abs(moved[good]) <= 1.1 * rounding[good] + 1e-12)


def test_text_reads_as_python():
    wave = PowerProduct(((A, ONE), (Applied(SIN, scaled(Fraction(2), B)), Fraction(2))))
    assert written(wave, "ab") == "a*sin(2*b)**2"
    assert written(scaled(ONE, Applied(EXP, scaled(-ONE, A)), ONE), "ab") == "exp(-a) + 1"
    assert written(PowerProduct(((Applied(ABS, A), HALF),)), "ab") == "sqrt(abs(a))"
    power = VariablePower(WeightedSum(((ONE, A), (ONE, B))), B)
    assert written(power, "ab") == "(a + b)**b"
    assert written(PowerProduct(((power, Fraction(-2)),)), "ab") == "1/((a + b)**b)**2"


def test_a_function_of_a_number_is_that_number():
    assert Applied(COS, constant(Fraction(0))).tidy() == constant(1.0)
    assert VariablePower(A, constant(Fraction(2))).tidy() == PowerProduct(((A, Fraction(2)),))


def test_the_shortest_form_is_found_around_and_inside_functions():
    two = Fraction(2)
    inner = WeightedSum(((ONE, PowerProduct(((A, ONE), (B, ONE)))), (two, A)))
    wave = Applied(SIN, inner)
    tree = WeightedSum(((ONE, PowerProduct(((wave, ONE), (A, ONE)))), (two, wave)))
    known = tree.evaluate(X)
    short = shortest(tree, lambda t: np.allclose(t.evaluate(X), known, 1e-12))
    assert written(short, "ab") in {"(a + 2)*sin(a*(b + 2))", "sin(a*(b + 2))*(a + 2)"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"function": "eval", "of": 0}, "there is no function 'eval'"),
        ({"function": "sin", "of": {"sum": [], "constant": "3"}}, "which is a number itself"),
        ({"base": 0, "exponent": {"sum": [], "constant": "3"}}, "which is a number itself"),
        (
            {"function": "exp", "of": {"sum": [["100000000", {"function": "log", "of": {
                "sum": [["3", 0]], "constant": "0"}}]], "constant": "0"}},
            "more than 3 digits",
        ),
        ({"function": "sin", "of": 0, "more": 1}, "is no formula"),
    ],
)  # fmt: skip
def test_a_file_cannot_ask_for_other_functions_or_endless_powers(data, reason):
    with pytest.raises(ValueError, match=reason):
        decoded_tree(data, 2)


def test_a_file_may_have_powers_of_a_number():
    power = decoded_tree({"base": {"sum": [], "constant": "3"}, "exponent": 0}, 1)
    np.testing.assert_allclose(power.evaluate(X), 3 ** X[:, 0])


def test_a_network_of_units_has_no_functions():
    with pytest.raises(InputError, match="the formula has log, sin"):
        NamedFormula(
            WeightedSum(((ONE, Applied(LOG, A)), (ONE, Applied(SIN, A)))), ("a",)
        ).to_network()
