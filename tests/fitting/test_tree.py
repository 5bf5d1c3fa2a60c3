"""Trees: values, slopes, rounding, other forms."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from nalm.errors import InputError
from nalm.fitting.evidence.exact_numbers import simplest
from nalm.fitting.evidence.refit import refit
from nalm.fitting.rows import Rows
from nalm.fitting.search.unit_layers import UnitLayers, starts, structure
from nalm.fitting.tree import Column, PowerProduct, WeightedSum
from nalm.fitting.tree.forms import from_sympy, shortest
from nalm.fitting.tree.json_form import decoded_tree, encoded_tree
from nalm.fitting.tree.network import network

X = np.random.default_rng(0).uniform(0.5, 2, (40, 3))
weights = st.one_of(
    st.fractions(-3, 3, max_denominator=4), st.floats(0.25, 3), st.just(Fraction(1))
)
powers = st.sampled_from([Fraction(p) for p in (1, -1, 2, -2, 3, 0.5, -0.5, 1.5)])
trees = st.recursive(
    st.builds(Column, st.integers(0, 2)),
    lambda inner: st.one_of(
        st.builds(
            lambda terms, c: WeightedSum(tuple(terms), c),
            st.lists(st.tuples(weights, inner), min_size=1, max_size=3),
            st.fractions(1, 9, max_denominator=3),
        ),
        st.builds(
            lambda factors: PowerProduct(tuple(factors)),
            st.lists(st.tuples(inner, powers), min_size=1, max_size=2),
        ),
    ),
    max_leaves=6,
)


def close(a, b, tolerance=1e-9):
    good = np.isfinite(a) & np.isfinite(b) & (np.abs(b) < 1e12)
    np.testing.assert_allclose(a[good], b[good], rtol=tolerance, atol=tolerance)


@given(trees)
def test_numbers_go_out_and_in(tree):
    assert tree.with_numbers(tree.numbers()) == tree


@given(trees)
def test_a_tidy_tree_has_the_same_values(tree):
    close(tree.tidy().evaluate(X), tree.evaluate(X))


@given(trees)
def test_json_keeps_a_tree(tree):
    assert decoded_tree(encoded_tree(tree), 9) == tree


@settings(deadline=None)
@given(trees)
def test_sympy_and_back(tree):
    symbols = list(sympy.symbols("a b c", positive=True))
    again = from_sympy(tree.to_sympy(symbols), {s: i for i, s in enumerate(symbols)})
    close(again.evaluate(X), tree.evaluate(X), 1e-7)


@settings(deadline=None, max_examples=30)
@given(trees)
def test_the_shortest_form_has_the_same_values(tree):
    known = tree.evaluate(X)

    def agrees(other):
        return np.allclose(other.evaluate(X), known, 1e-9, equal_nan=True)

    short = shortest(tree, agrees)
    assert short.size() <= tree.size()
    close(short.evaluate(X), known, 1e-6)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_root_of_a_square_has_the_sign_of_the_rows(sign):
    a, b, c = sympy.symbols("a b c", real=True)
    long = sympy.sqrt((a**2 - 2 * a * b + b**2) / (c**2 - b**2))
    rows = np.array([[3.0, 1.0, 2.0], [5.0, 1.5, 4.0]]) if sign > 0 else np.array([[1.0, 2.0, 3.0]])
    tree = from_sympy(long, {a: 0, b: 1, c: 2})
    short = shortest(tree, lambda t: np.allclose(t.evaluate(rows), tree.evaluate(rows)))
    difference = short.to_sympy([a, b, c]) - sign * (a - b) / sympy.sqrt(c**2 - b**2)
    assert sympy.simplify(difference.subs({a: sign, b: 2 - sign, c: 7})) == 0
    assert short.size() < tree.size()


@settings(deadline=None)
@given(trees)
def test_a_network_computes_a_tree(tree):
    value = tree.evaluate(X)
    stack, params = network([tree.tidy()], 3)
    got = np.asarray(stack(params, X))[:, 0]
    positive = all(np.all(part.evaluate(X) > 0.05) for part in _parts(tree))
    if positive and np.all(np.abs(value) < 1e6):
        np.testing.assert_allclose(got, value, rtol=1e-3, atol=1e-4)


def _parts(tree):
    return list(tree.walk())


@given(trees)
def test_slopes_are_differences(tree):
    value, slopes = tree.slopes(X)
    values = tree.numbers()
    free = [i for i, v in enumerate(values) if isinstance(v, float)]
    assert slopes.shape == (len(X), len(free))
    for k, i in enumerate(free):
        moved = list(values)
        moved[i] = float(values[i]) * (1 + 1e-7)
        step = float(moved[i]) - float(values[i])
        difference = (tree.with_numbers(moved).evaluate(X) - value) / step
        scale = np.abs(slopes[:, k]) + np.abs(value) + 1
        good = np.isfinite(difference) & (scale < 1e6)
        assert np.all(np.abs(difference - slopes[:, k])[good] < 1e-2 * scale[good])


@given(trees)
def test_rounding_explains_what_single_precision_does(tree):
    x = X.astype(np.float32).astype(np.float64)
    value, rounding = tree.evaluate_with_rounding(x, 2.0**-24)
    single = tree.evaluate(x + x * 2.0**-25 * np.sign(np.sin(1e4 * x)))
    good = np.isfinite(value) & np.isfinite(single)
    assert np.all(np.abs(single - value)[good] <= 4 * rounding[good] + 1e-300)


@pytest.mark.parametrize(
    ("value", "error", "number"),
    [
        (3.0000001, 1e-5, Fraction(3)),
        (-0.5, 1e-9, Fraction(-1, 2)),
        (2 / 3, 1e-9, Fraction(2, 3)),
        (6.674e-11, 1e-16, Fraction(6674, 10**14)),
        (1e-20, 1e-5, Fraction(0)),
        (3.14159265, 1e-8, None),
        (2.0, 0.3, None),
        (float("nan"), 1e-3, None),
    ],
)
def test_exact_numbers_are_recognised_unless_by_coincidence(value, error, number):
    assert simplest(value, error) == number


@pytest.mark.parametrize("shape", ["M2 A1", "A2 M1", "M1 A1 M1", "A2 M2 A1 M1"])
def test_slopes_of_layers_are_differences(shape):
    rng = np.random.default_rng(0)
    layers = UnitLayers(structure(shape), rng.uniform(-2, 2, (9, 3)))
    theta = starts(layers.structure, 3, 5, rng)
    value, slopes = layers(theta)
    for k in range(theta.shape[1]):
        moved = theta.copy()
        moved[:, k] += 1e-6
        difference = (layers(moved)[0] - value) / 1e-6
        np.testing.assert_allclose(difference, slopes[:, :, k], rtol=1e-3, atol=1e-2)


def test_a_huge_number_has_an_infinite_rounding_error():
    tree = WeightedSum(((1e200, Column(0)), (1.0, PowerProduct(((Column(1), 1e200),)))))
    value, rounding = tree.evaluate_with_rounding(np.full((2, 2), 2.0), 2.0**-53)
    assert np.all(np.isinf(value) & ~np.isfinite(rounding))


def test_a_number_without_influence_stays_where_it_is():
    x = np.column_stack([np.linspace(1, 2, 30), np.zeros(30)])
    tree = WeightedSum(((1.0, Column(0)), (3.0, PowerProduct(((Column(1), Fraction(2)),)))), 0.5)
    fitted, _ = refit(tree, Rows(x, 2.5 * x[:, 0] + 1, np.ones(30)), 2.0**-53)
    np.testing.assert_allclose([float(n) for n in fitted.numbers()], [2.5, 3, 2, 1], rtol=1e-12)


def test_powers_a_network_cannot_have_are_named():
    with pytest.raises(InputError, match="multiples of 1/2"):
        network([PowerProduct(((Column(0), Fraction(1, 3)),))], 1)
