"""Powers of powers are one power, as a person would write it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nalm
from nalm.fitting.tree import HALF, ONE, Column, PowerProduct, WeightedSum
from nalm.fitting.tree.forms import shortest
from nalm.fitting.tree.nested_powers import unnested
from nalm.fitting.tree.text import written

A, B, C = (Column(i) for i in range(3))
ROWS = np.random.default_rng(0).uniform(1, 3, (40, 3))
EVERYWHERE = np.random.default_rng(1).choice([-2.0, -0.5, 0.0, 0.5, 3.0], (60, 3))


def product(*factors):
    return PowerProduct(tuple(factors))


def total(*terms, plus=Fraction(0)):
    return WeightedSum(tuple((ONE, term) for term in terms), plus)


def times(number, tree):
    return WeightedSum(((number, tree),))


INVERSE_ROOT = product((product((A, -ONE)), -HALF))


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (product((B, ONE), *INVERSE_ROOT.factors, (total(C, plus=ONE), -ONE)), "sqrt(a)*b/(c + 1)"),
        (times(1.2345678, INVERSE_ROOT), "1.23457*sqrt(a)"),
        (
            product((C, ONE), (product((B, ONE), (A, -ONE)), -HALF), (total(C, plus=ONE), -ONE)),
            "c*sqrt(a/b)/(c + 1)",
        ),
        (
            product((product((A, ONE), (B, ONE), (total(B, C), -2 * ONE)), HALF)),
            "sqrt(a*b)/(b + c)",
        ),
        (product((product((A, 3 * ONE)), HALF)), "a**(3/2)"),
    ],
)
def test_powers_of_powers_are_joined(tree, text):
    known = tree.evaluate(ROWS)
    assert written(shortest(tree, lambda t: np.allclose(t.evaluate(ROWS), known)), "abc") == text


def test_the_root_of_a_square_has_the_sign_of_the_rows():
    tree = product((product((A, ONE), (total(B, plus=-5 * ONE), 2 * ONE)), HALF))
    known = tree.evaluate(ROWS)
    short = shortest(tree, lambda t: np.allclose(t.evaluate(ROWS), known))
    np.testing.assert_allclose(short.evaluate(ROWS), known)
    assert short.size() <= tree.size()


powers = st.sampled_from([Fraction(p) for p in ("1", "-1", "2", "-2", "3", "1/2", "-1/2", "1/3")])
trees = st.recursive(
    st.builds(Column, st.integers(0, 2)),
    lambda inner: st.lists(st.tuples(inner, powers), min_size=1, max_size=2).map(
        lambda factors: PowerProduct(tuple(factors))
    ),
    max_leaves=5,
)


@settings(deadline=None)
@given(trees)
def test_joining_changes_no_value_on_any_rows(tree):
    before, after = tree.evaluate(EVERYWHERE), unnested(tree).evaluate(EVERYWHERE)
    finite = np.isfinite(before) & (before != 0)
    np.testing.assert_allclose(after[finite], before[finite], rtol=1e-12)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (lambda a, b, c: 2 * np.pi * np.sqrt(a / b), "2*pi*sqrt(a/b)"),
        (lambda a, b, c: 1.2345678 * np.sqrt(a / b) * c, "1.23457*c*sqrt(a/b)"),
        (lambda a, b, c: 3 / np.sqrt(a * b), "3/sqrt(a*b)"),
        (lambda a, b, c: np.sqrt(a**3 / (b * c)), "sqrt(a**3/(b*c))"),
        (lambda a, b, c: np.cbrt(a / b), "(a/b)**(1/3)"),
    ],
)
def test_roots_of_one_degree_are_one_root(y, text):
    rows = np.random.default_rng(0).uniform(1, 3, (80, 3))
    law = nalm.fit(rows, y(*rows.T), ["a", "b", "c"], functions="arithmetic")
    assert law.text() == text
    np.testing.assert_allclose(law.predict(rows), y(*rows.T), rtol=1e-9)
    model, params = law.to_jax()
    np.testing.assert_allclose(model(params, rows)[:, 0], law.predict(rows), rtol=1e-12)


def test_numbers_stand_before_powers():
    inner = WeightedSum(((2.5, A),), Fraction(0))
    square = PowerProduct(((inner, 2 * ONE), (B, ONE)))
    whole = WeightedSum(((2.0, square), (ONE, C)), Fraction(1))
    assert written(shortest(whole, lambda other: True), "abc") == "12.5*a**2*b + c + 1"
    huge = PowerProduct(((WeightedSum(((1e200, A),), Fraction(0)), 2 * ONE),))
    assert written(shortest(huge, lambda other: True), "abc") == "(1e+200*a)**2"


def test_a_measured_number_is_not_under_a_square():
    a = np.random.default_rng(0).uniform(1, 5, 120)
    noise = np.random.default_rng(1).normal(0, 0.0005, 120)
    law = nalm.fit({"a": a}, 9.80665 / 2 * a**2 * (1 + noise), functions="arithmetic")
    assert law.text().endswith("*a**2")
