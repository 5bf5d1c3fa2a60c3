"""Trees: values, slopes, rounding, other forms."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from nalm.errors import InputError
from nalm.fitting.expression import from_sympy, shortest, to_sympy
from nalm.fitting.law import _tree_data, _tree_from
from nalm.fitting.layered import Layered, starts, structure
from nalm.fitting.network import network
from nalm.fitting.rounding import simplest
from nalm.fitting.tree import (
    Input,
    Product,
    Sum,
    evaluate,
    evaluate_with_rounding,
    gradient,
    numbers,
    size,
    tidy,
    with_numbers,
)

X = np.random.default_rng(0).uniform(0.5, 2, (40, 3))
weights = st.one_of(
    st.fractions(-3, 3, max_denominator=4), st.floats(0.25, 3), st.just(Fraction(1))
)
powers = st.sampled_from([Fraction(p) for p in (1, -1, 2, -2, 3, 0.5, -0.5, 1.5)])
trees = st.recursive(
    st.builds(Input, st.integers(0, 2)),
    lambda inner: st.one_of(
        st.builds(
            lambda terms, c: Sum(tuple(terms), c),
            st.lists(st.tuples(weights, inner), min_size=1, max_size=3),
            st.fractions(1, 9, max_denominator=3),
        ),
        st.builds(
            lambda factors: Product(tuple(factors)),
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
    assert with_numbers(tree, numbers(tree)) == tree


@given(trees)
def test_a_tidy_tree_has_the_same_values(tree):
    close(evaluate(tidy(tree), X), evaluate(tree, X))


@given(trees)
def test_json_keeps_a_tree(tree):
    assert _tree_from(_tree_data(tree)) == tree


@settings(deadline=None)
@given(trees)
def test_sympy_and_back(tree):
    symbols = list(sympy.symbols("a b c", positive=True))
    again = from_sympy(to_sympy(tree, symbols), {s: i for i, s in enumerate(symbols)})
    close(evaluate(again, X), evaluate(tree, X), 1e-7)


@settings(deadline=None, max_examples=30)
@given(trees)
def test_the_shortest_form_has_the_same_values(tree):
    known = evaluate(tree, X)

    def agrees(other):
        return np.allclose(evaluate(other, X), known, 1e-9, equal_nan=True)

    short = shortest(tree, agrees)
    assert size(short) <= size(tree)
    close(evaluate(short, X), known, 1e-6)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_root_of_a_square_has_the_sign_of_the_rows(sign):
    a, b, c = sympy.symbols("a b c", real=True)
    long = sympy.sqrt((a**2 - 2 * a * b + b**2) / (c**2 - b**2))
    rows = np.array([[3.0, 1.0, 2.0], [5.0, 1.5, 4.0]]) if sign > 0 else np.array([[1.0, 2.0, 3.0]])
    tree = from_sympy(long, {a: 0, b: 1, c: 2})
    short = shortest(tree, lambda t: np.allclose(evaluate(t, rows), evaluate(tree, rows)))
    difference = to_sympy(short, [a, b, c]) - sign * (a - b) / sympy.sqrt(c**2 - b**2)
    assert sympy.simplify(difference.subs({a: sign, b: 2 - sign, c: 7})) == 0
    assert size(short) < size(tree)


@settings(deadline=None)
@given(trees)
def test_a_network_computes_a_tree(tree):
    value = evaluate(tree, X)
    stack, params = network([tidy(tree)], 3)
    got = np.asarray(stack(params, X))[:, 0]
    positive = all(np.all(evaluate(part, X) > 0.05) for part in _parts(tree))
    if positive and np.all(np.abs(value) < 1e6):
        np.testing.assert_allclose(got, value, rtol=1e-3, atol=1e-4)


def _parts(tree):
    inner = [t for _, t in tree.terms] if isinstance(tree, Sum) else []
    inner += [t for t, _ in tree.factors] if isinstance(tree, Product) else []
    return [tree, *(p for t in inner for p in _parts(t))]


@given(trees)
def test_slopes_are_differences(tree):
    value, slopes = gradient(tree, X)
    values = numbers(tree)
    free = [i for i, v in enumerate(values) if isinstance(v, float)]
    assert slopes.shape == (len(X), len(free))
    for k, i in enumerate(free):
        moved = list(values)
        moved[i] = float(values[i]) * (1 + 1e-7)
        step = float(moved[i]) - float(values[i])
        difference = (evaluate(with_numbers(tree, moved), X) - value) / step
        scale = np.abs(slopes[:, k]) + np.abs(value) + 1
        good = np.isfinite(difference) & (scale < 1e6)
        assert np.all(np.abs(difference - slopes[:, k])[good] < 1e-2 * scale[good])


@given(trees)
def test_rounding_explains_what_single_precision_does(tree):
    x = X.astype(np.float32).astype(np.float64)
    value, rounding = evaluate_with_rounding(tree, x, 2.0**-24)
    single = evaluate(tree, x + x * 2.0**-25 * np.sign(np.sin(1e4 * x)))
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
    layers = Layered(structure(shape), rng.uniform(-2, 2, (9, 3)))
    theta = starts(layers.structure, 3, 5, rng)
    value, slopes = layers(theta)
    for k in range(theta.shape[1]):
        moved = theta.copy()
        moved[:, k] += 1e-6
        difference = (layers(moved)[0] - value) / 1e-6
        np.testing.assert_allclose(difference, slopes[:, :, k], rtol=1e-3, atol=1e-2)


def test_powers_a_network_cannot_have_are_named():
    with pytest.raises(InputError, match="multiples of 1/2"):
        network([Product(((Input(0), Fraction(1, 3)),))], 1)
