"""Formulas for people: what is written is what is computed."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from nalm.fitting.tree import Column, PowerProduct, Tree, WeightedSum
from nalm.fitting.tree.text import named, typeset, written

F = Fraction
A, B = Column(0), Column(1)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (A, "a"),
        (WeightedSum((), F(7)), "7"),
        (WeightedSum(((F(-1), A), (F(-2), B))), "-a - 2*b"),
        (WeightedSum(((F(-1), A), (F(1), B)), F(-1, 3)), "b - a - 1/3"),
        (WeightedSum(((F(2, 3), A), (F(3, 2), B))), "2*a/3 + 3*b/2"),
        (WeightedSum(((1.23456789, PowerProduct(((A, F(-1)), (B, F(-2))))),)), "1.23457/(a*b**2)"),
        (PowerProduct(((PowerProduct(((A, F(3)), (B, F(-1)))), F(1, 2)),)), "sqrt(a**3/b)"),
        (
            PowerProduct(((PowerProduct(((A, F(1)), (B, F(-1)))), F(-1)), (A, F(3, 2)))),
            "b*a**(3/2)/a",
        ),
        (
            PowerProduct(((WeightedSum(((F(1), A), (F(1), B))), F(2)), (B, -1.25))),
            "(a + b)**2/b**1.25",
        ),
        (PowerProduct(((WeightedSum(((F(-1), A),), F(1, 8)), F(-1)),)), "1/(1/8 - a)"),
        (PowerProduct(()), "1"),
        (WeightedSum(((F(981, 100), A), (F(1, 2), B)), F(7, 10)), "9.81*a + b/2 + 0.7"),
    ],
)
def test_what_is_written_is_what_is_computed(tree: Tree, text: str):
    assert written(tree, ["a", "b"]) == text
    x = np.random.default_rng(0).uniform(1, 3, (5, 2))
    value = eval(text, {"a": x[:, 0], "b": x[:, 1], "sqrt": np.sqrt})
    np.testing.assert_allclose(value * np.ones(5), tree.evaluate(x), rtol=1e-5)


def test_typeset_numbers_are_the_written_ones():
    tree = WeightedSum(((F(5, 2), A), (F(1, 3), B)), 2.501250000000002)
    text = sympy.latex(typeset(tree, list(sympy.symbols("a b"))))
    assert text == r"\frac{5 a}{2} + \frac{b}{3} + 2.50125"


def test_names_that_are_no_words_stand_in_backquotes():
    assert written(PowerProduct(((A, F(1)), (B, F(1)))), ["a-b", "c"]) == "`a-b`*c"
    assert named("tick`s") == "`tick``s`"
