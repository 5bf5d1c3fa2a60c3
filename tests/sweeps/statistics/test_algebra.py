"""Whether two expressions are the same function."""

import pytest
import sympy

from nalm.errors import InputError
from nalm.formula import same_function

a, b, c = sympy.symbols("a b c")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ((a + b) * c, a * c + b * c, True),
        (1 / (1 / (a * b) + c), a * b / (1 + a * b * c), True),
        (sympy.sqrt(a) * sympy.sqrt(a), a, True),
        (abs(a) * sympy.sign(b), a, True),
        (a + b, a - b, False),
        (sympy.Integer(0), a, False),
        (sympy.zoo * a, a, False),
        (a + sympy.Rational(1, 10**6) * b, a, False),
    ],
)
def test_algebra_decides(first, second, same):
    assert same_function(first, second) is same


@pytest.mark.parametrize("nonsense", ["a", None, 1.0, sympy.Eq(a, b), sympy.true])
def test_only_expressions_are_compared(nonsense):
    with pytest.raises(InputError, match="sympy expressions of numbers; received"):
        same_function(a, nonsense)
