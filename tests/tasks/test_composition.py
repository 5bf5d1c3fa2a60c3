from itertools import product

import numpy as np
import pytest

from nalm.errors import InputError, UnknownNameError
from nalm.formula.operations import CUMULATIVE
from nalm.tasks import Composition, Task, Uniform, composition, threshold
from nalm.training.description import canonical, decode, encode

PRINTED = {
    "add-add": "a + b + c",
    "add-sub": "-a - b - c",
    "add-mul": "c*(a + b)",
    "add-div": "1/(c*(a + b))",
    "sub-add": "-a - b + c",
    "sub-sub": "a + b - c",
    "sub-mul": "c*(-a - b)",
    "sub-div": "1/(c*(-a - b))",
    "mul-add": "a*b + c",
    "mul-sub": "-a*b - c",
    "mul-mul": "a*b*c",
    "mul-div": "1/(a*b*c)",
    "div-add": "c + 1/(a*b)",
    "div-sub": "-c - 1/(a*b)",
    "div-mul": "c/(a*b)",
    "div-div": "a*b/c",
}
"""Table 7.1 of the thesis."""


@pytest.mark.parametrize(("name", "printed"), PRINTED.items())
def test_two_steps_are_the_printed_expressions(name, printed):
    assert str(composition(name).expression(list("abcd"))) == printed


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_targets_by_code_are_those_by_name_and_by_expression(steps):
    x = np.random.default_rng(0).uniform(1, 2, (5, steps + 2))
    for ops in product(CUMULATIVE, repeat=steps):
        target = Composition(ops)
        by_code = target.values(x, target.layout(steps + 2, 0))
        numbers = [float(target.expression(list(row), steps + 2)) for row in _exact(x)]
        np.testing.assert_allclose(by_code, target.perfect(x), rtol=1e-12)
        np.testing.assert_allclose(by_code, numbers, rtol=1e-12)


def _exact(x):
    import sympy

    return [[sympy.Float(float(v), 30) for v in row] for row in x]


def test_thresholds_are_small_beside_the_targets():
    x = np.random.default_rng(0).uniform(2, 6, (1000, 4))
    for name in PRINTED:
        task = composition(name)
        assert 0 < threshold(task) < 1e-6 * np.mean(task.target.perfect(x) ** 2)


def test_a_divisor_that_changes_its_sign_is_known():
    assert composition("sub-add-div").divides_by_zero
    assert not composition("add-div").divides_by_zero


def test_it_is_written_and_read():
    task = composition("mul-add-div", inputs=6)
    assert decode(encode(task)) == task
    assert '"ops":["mul","add","div"]' in canonical(task)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: composition(()), "at least 1 operation"),
        (lambda: composition(""), "at least 1 operation"),
        (lambda: composition(None), "named by its operations.*received None"),  # pyright: ignore[reportArgumentType]
        (lambda: composition("add-mul", inputs=2), "takes at least 3 inputs"),
        (lambda: composition("add-mul", inputs=3.5), r"inputs is a whole number.*received 3\.5"),  # pyright: ignore[reportArgumentType]
        (lambda: threshold(composition("add-mul"), epsilon=-1), "between 0 and 1; received -1"),
        (
            lambda: Task(Composition("add-div"), 4, Uniform(-1, 1), Uniform(2, 6)),
            "stay away from zero",
        ),
    ],
)
def test_what_it_refuses(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_two_hyphens_are_an_operation_without_a_name():
    with pytest.raises(UnknownNameError, match="A composition has no operation ''"):
        composition("add--mul")


def test_an_unknown_operation_has_the_nearest_suggested():
    with pytest.raises(UnknownNameError, match="Did you mean 'mul'"):
        composition("add-mull")
