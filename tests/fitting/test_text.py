"""Formulas for people: what is written is what is computed."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from nalm.fitting.text import named, typeset, written
from nalm.fitting.tree import Input, Product, Sum, Tree, evaluate

F = Fraction
A, B = Input(0), Input(1)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (A, "a"),
        (Sum((), F(7)), "7"),
        (Sum(((F(-1), A), (F(-2), B))), "-a - 2*b"),
        (Sum(((F(-1), A), (F(1), B)), F(-1, 3)), "b - a - 1/3"),
        (Sum(((F(2, 3), A), (F(3, 2), B))), "2*a/3 + 1.5*b"),
        (Sum(((1.23456789, Product(((A, F(-1)), (B, F(-2))))),)), "1.23457/(a*b**2)"),
        (Product(((Product(((A, F(3)), (B, F(-1)))), F(1, 2)),)), "sqrt(a**3/b)"),
        (Product(((Product(((A, F(1)), (B, F(-1)))), F(-1)), (A, F(3, 2)))), "b*a**(3/2)/a"),
        (Product(((Sum(((F(1), A), (F(1), B))), F(2)), (B, -1.25))), "(a + b)**2/b**1.25"),
        (Product(((Sum(((F(-1), A),), F(1, 8)), F(-1)),)), "1/(0.125 - a)"),
        (Product(()), "1"),
    ],
)
def test_what_is_written_is_what_is_computed(tree: Tree, text: str):
    assert written(tree, ["a", "b"]) == text
    x = np.random.default_rng(0).uniform(1, 3, (5, 2))
    value = eval(text, {"a": x[:, 0], "b": x[:, 1], "sqrt": np.sqrt})
    np.testing.assert_allclose(value * np.ones(5), evaluate(tree, x), rtol=1e-5)


def test_typeset_numbers_are_the_written_ones():
    tree = Sum(((F(5, 2), A), (F(1, 3), B)), 2.501250000000002)
    text = sympy.latex(typeset(tree, list(sympy.symbols("a b"))))
    assert text == r"2.5 a + \frac{b}{3} + 2.50125"


def test_names_that_are_no_words_stand_in_backquotes():
    assert written(Product(((A, F(1)), (B, F(1)))), ["a-b", "c"]) == "`a-b`*c"
    assert named("tick`s") == "`tick``s`"
