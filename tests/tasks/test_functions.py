"""Functions as tasks: traced once, the same everywhere, refused in one sentence."""

import math
import random

import jax.numpy as jnp
import numpy as np
import pytest
import sympy

import nalm
from nalm.errors import InputError
from nalm.tasks import Task, Uniform, threshold, trace
from nalm.training import Recipe
from nalm.training.description import decode, encode
from nalm.training.engine.train import train_block
from nalm.training.run import Run

CASES = {
    "(a + b)*c": lambda a, b, c: (a + b) * c,
    "sqrt(a) - b/2": lambda a, b: np.sqrt(a) - b / 2,
    "sin(a)**2": lambda a: jnp.sin(a) ** 2,
    "a**3 - 2*b**(-1)": lambda a, b: a**3 - 2 * b**-1,
    "where(a > b, a, b)": lambda a, b: np.where(a > b, a, b),
    "x1 + x2 + x3": lambda *x: sum(x),
    "a - (b - a)": lambda a, b: a - (b - a),
    "0.1*abs(a)": lambda a: 0.1 * abs(a),
    "min(1, max(0, a))": lambda a: jnp.clip(a, 0, 1),
}


@pytest.mark.parametrize(("text", "function"), CASES.items())
def test_a_function_is_the_same_as_data(text, function):
    expression = trace(function, 3)
    assert expression.text == text
    assert decode(encode(expression)) == expression
    x = np.random.default_rng(0).uniform(0.5, 2, (3, 7))
    exact = [float(function(*x[: len(expression.names), k])) for k in range(7)]
    np.testing.assert_allclose(expression(np, list(x)) + np.zeros(7), exact, rtol=1e-5)
    np.testing.assert_allclose(expression(jnp, list(jnp.asarray(x))), exact, rtol=1e-5)
    names = [sympy.Float(v) for v in x[: len(expression.names), 0]]
    assert float(expression.to_sympy(names)) == pytest.approx(exact[0])


def test_whole_powers_of_negative_numbers():
    assert trace(lambda a: a**3)(np, [np.array([-2.0])]) == -8


def test_equal_functions_are_one_task():
    made = [Task(lambda a, b: a * b + 1, 3, Uniform(1, 2), Uniform(2, 6)) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0].op == "a*b + 1"
    assert str(made[0].expression()) == "x1*x2 + 1"
    assert 0 < threshold(made[0]) < 1e-6
    assert Task(lambda a, b: a * b).inputs == 2


def test_a_divisor_near_zero_is_known():
    assert Task(lambda a, b: a / b, 2, Uniform(-2, 2)).divides_by_zero
    assert not Task(lambda a, b: a / b, 2, Uniform(1, 2)).divides_by_zero


@pytest.mark.parametrize("path", ["fused", "plain"])
def test_a_function_trains_as_the_operation_it_is(path):
    recipe = Recipe(steps=20, log_every=10, evaluation=200)
    tasks = (Task("mul", 2), Task(lambda a, b: a * b, 2))
    built_in, own = (
        train_block([Run(nalm.unit("nmu", 2, 1), task, recipe, 3)], path=path)[0] for task in tasks
    )
    np.testing.assert_array_equal(built_in.test, own.test)
    np.testing.assert_array_equal(built_in.final["weight"], own.final["weight"])


def branching(a, b):
    return max(b, a)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b, c, d: a, r"takes 4 arguments \(a, b, c, d\), but the task has 3 inputs"),
        (lambda a: None, "returns one number; it returned None"),
        (lambda a: (a, a), "it returned a tuple"),
        (lambda a: np.array([a, a]), "returns one number"),
        (lambda a: jnp.cumsum(2 * a), "one real number|array"),
        (branching, "The function branching branches on a value.*numpy.where"),
        (lambda a, b: max(np.sqrt(a), b), "branches on a value"),
        (lambda a: math.sqrt(2 * a), "as functions of math do"),
        (lambda a: a * random.random(), "something else each time"),
        (lambda a: missing(2 * a), "NameError: name 'missing' is not defined"),  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
        (lambda: 1.0, "takes no argument"),
        (lambda a: np.log(a - 5), "no finite number for 100% of the inputs of train"),
        (lambda a: [a, a], "it returned a list"),
        (lambda a: np.ones(3), r"it returned shape \(3,\)"),
        (lambda a: np.fft.fft(2 * a), r"^numpy\.fft\.fft is not supported in a task; use "),
    ],
)  # fmt: skip
def test_what_is_refused(function, message):
    with pytest.raises(InputError, match=message) as raised:
        Task(function, 3, Uniform(1, 2), Uniform(2, 3))
    assert not getattr(raised.value, "__notes__", [])  # JAX adds one while it traces
