"""Wrong input in the JAX and NumPy face: the rule, what was received, the fix."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

import nalm
from nalm.errors import (
    InputError,
    NalmError,
    NotDiscreteError,
    UnknownNameError,
    ZeroDivisorError,
    unknown,
)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nmx", {}, r"There is no unit 'nmx'\. Did you mean 'nmu'\?"),
        ("NMU", {}, r"There is no unit 'NMU'\. Did you mean 'nmu'\?"),
        ("realnpu", {}, "Did you mean 'real_npu'"),
        ("snmu", {"noise_rang": 1}, "Did you mean 'noise_range'"),
        ("nac", {"clamp": 1}, "NAC has no option; received 'clamp'"),
        ("nalu", {"weights": "seperate"}, "Did you mean 'separate'"),
    ],
)
def test_unknown_names_suggest_the_nearest(name, options, message):
    with pytest.raises(UnknownNameError, match=message):
        nalm.unit(name, 2, 1, **options)


def test_nothing_is_listed_where_nothing_is_known():
    said = str(unknown("column", "speed", ()))
    assert said == "There is no column; received 'speed'."


@pytest.mark.parametrize(
    ("name", "sizes", "options", "message"),
    [
        (
            "nmu",
            (0, 1),
            {},
            "in_features of NMU must be a whole number from 1 to 2147483647; received 0",
        ),
        ("nmu", (2, -1), {}, "out_features"),
        ("nmu", (2.0, 1), {}, "in_features"),
        ("nmu", (True, 1), {}, "in_features"),
        ("snmu", (2, 1), {"noise_range": (5, 1)}, "two numbers with 0 < lower < upper"),
        ("snmu", (2, 1), {"noise_range": "foo"}, "'batch' or two numbers with 0 < lower < upper"),
        ("stgnmu", (2, 1), {"sigma": 0}, "sigma of STGNMU must be a number above 0; received 0"),
        ("nru", (2, 1), {"tanh_scale": "big"}, "tanh_scale of NRU"),
        ("nru", (2, 1), {"tanh_scale": float("nan")}, "tanh_scale of NRU"),
        ("nmru", (2, 1), {"gate": 1}, "gate of NMRU must be True or False; received 1"),
        ("mlp", (2, 1), {"hidden": ()}, "a width of at least 1 for each hidden layer"),
        ("mlp", (2, 1), {"hidden": (4, 0)}, "hidden of MLP"),
        ("nsr", (2, 1), {"redundancy": 0}, "redundancy of NSR"),
    ],
)
def test_options_outside_their_range(name, sizes, options, message):
    with pytest.raises(InputError, match=message):
        nalm.unit(name, *sizes, **options)


def test_inputs_that_do_not_fit():
    unit = nalm.unit("nmu", 3, 1)
    params = unit.exact("mul")
    with pytest.raises(InputError, match=r"received int64.*astype\('float32'\)"):
        unit(params, np.ones((2, 3), dtype=int))
    with pytest.raises(InputError, match="received complex"):
        unit(params, np.ones((2, 3), dtype=complex))
    with pytest.raises(InputError, match="received bool"):
        unit(params, jnp.ones((2, 3), dtype=bool))
    with pytest.raises(InputError, match=r"last axis has length 3; received shape \(2, 4\)"):
        unit(params, np.ones((2, 4)))
    with pytest.raises(InputError, match=r"received shape \(\)"):
        unit(params, np.asarray(1.0))
    with pytest.raises(InputError, match="received list"):
        unit(params, [1.0, 2.0, 3.0])
    everything = [
        lambda p: unit(p, np.ones(3)),
        unit.constrain,
        unit.penalties,
        unit.effective,
        unit.sparsity_error,
        unit.formula,
        unit.latex,
    ]
    for function in everything:
        with pytest.raises(InputError, match=r"the parameters \['weight'\]; received \['w'\]"):
            function({"w": np.ones((1, 3))})
        with pytest.raises(InputError, match=r"has shape \(1, 3\); received \(1, 7\)"):
            function({"weight": np.ones((1, 7))})
        with pytest.raises(InputError, match="received NoneType"):
            function(None)
        function({"weight": [[1.0, 1.0, 0.0]]})
    with pytest.raises(InputError, match="Masked"):
        unit(params, np.ma.array([[1.0, 2.0, 3.0]], mask=[[False, True, False]]))
    with pytest.raises(InputError, match=r"has shape \(1, 3\); received \(3, 1\)"):
        unit({"weight": np.ones((3, 1))}, np.ones(3))
    with pytest.raises(InputError, match="JAX key or a NumPy generator; received int"):
        unit.init(0)


def test_stochastic_units_ask_for_their_noise():
    unit = nalm.unit("snmu", 2, 1)
    with pytest.raises(InputError, match=r"Pass key=.*noise=unit\.noise\(params, x\)\.draw\(key\)"):
        unit(unit.exact("mul"), np.ones(2), train=True)
    declared = unit.noise({}, np.ones(2))
    with pytest.raises(InputError, match="received its declaration"):
        unit(unit.exact("mul"), np.ones(2), train=True, noise=declared)
    with pytest.raises(InputError, match=r"noise of shape \(2,\).*received shape \(3,\)"):
        unit(unit.exact("mul"), np.ones(2), train=True, noise=np.ones(3))
    assert nalm.unit("nmu", 2, 1).noise({}, np.ones(2)) is None


@pytest.mark.parametrize("make", [np.asarray, jnp.asarray])
def test_zero_divisors_are_refused_when_they_are_known(make):
    unit = nalm.unit("nru", 3, 1)
    params = unit.exact("div", [2, 0])
    x = make([[1.0, 0.0, 3.0], [0.0, 1.0, 2.0]])
    with pytest.raises(ZeroDivisorError, match=r"NRU divides by input 0, which is 0 \(row 1\)"):
        unit(params, x)
    with pytest.raises(ZeroDivisionError):
        unit(params, x[1])
    assert unit(params, x[0]).tolist() == [3.0]


def test_zero_divisors_while_tracing_give_what_the_equation_gives():
    unit = nalm.unit("nmru", 2, 1)
    y = jax.jit(unit)(unit.exact("div"), jnp.asarray([1.0, 0.0]))
    assert np.isinf(y[0])


def test_nan_and_infinite_inputs_pass_through():
    unit = nalm.unit("nmu", 3, 1)
    y = unit(unit.exact("mul"), np.array([[np.nan, 1.0, 1.0], [np.inf, 2.0, 1.0]]))
    assert np.isnan(y[0, 0])
    assert np.isinf(y[1, 0])


def test_operations_a_unit_cannot_do():
    unit = nalm.unit("nmu", 2, 1)
    with pytest.raises(UnknownNameError, match="cannot represent 'div'; it can: mul"):
        unit.exact("div")
    with pytest.raises(
        UnknownNameError, match=r"There is no operation 'mull'\. Did you mean 'mul'"
    ):
        unit.exact("mull")
    with pytest.raises(UnknownNameError, match="no operation exactly"):
        nalm.unit("mlp", 2, 1).exact("add")
    with pytest.raises(InputError, match="different indices from 0 to 1"):
        unit.exact("mul", [0, 2])
    with pytest.raises(InputError, match="at least 2 operands; received 1"):
        unit.exact("mul", [0])
    for operands in (2, "ab", [0.0, 1.0]):
        with pytest.raises(InputError, match="a list of input indices; received"):
            unit.exact("mul", operands)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"weight must stay in \[-1, 1\]"):
        nalm.unit("real_npu", 2, 1, modified=True).exact("square")
    assert "square" not in nalm.unit("real_npu", 2, 1, modified=True).ops
    assert "square" in nalm.unit("real_npu", 2, 1).ops
    assert nalm.unit("nmu", 1, 1).ops == ()


def test_formulas_of_weights_that_are_not_discrete():
    unit = nalm.unit("nmu", 2, 1)
    message = r"within 0\.1 of \{0, 1\}; NMU has weight\[0, 1\] = 0\.43\. Train longer"
    with pytest.raises(NotDiscreteError, match=message):
        unit.formula({"weight": np.array([[1.0, 0.43]])})
    assert unit.formula({"weight": np.array([[1.0, 0.43]])}, tolerance=0.45)
    with pytest.raises(NotDiscreteError, match="= nan"):
        unit.formula({"weight": np.array([[1.0, np.nan]])})
    mlp = nalm.unit("mlp", 2, 1)
    with pytest.raises(NotDiscreteError, match="no formula"):
        mlp.formula(mlp.init(np.random.default_rng(0)))


def test_names_that_do_not_fit():
    unit = nalm.unit("nmu", 2, 1)
    params = unit.exact("mul")
    for names, message in [
        (["a"], "2 names; received 1"),
        (["a", "a"], "different and not empty"),
        (["a", ""], "different and not empty"),
        ("ab", "received the text 'ab'"),
        (["a", " "], "different and not empty"),
        ([1, 2], "text or a sympy expression; received 1"),
    ]:
        with pytest.raises(InputError, match=message):
            unit.formula(params, names)
    assert str(unit.formula(params, {"a": 1, "b": 2}.keys())[0]) == "a*b"  # pyright: ignore[reportArgumentType]
    for tolerance in (-1, 0.6, "a"):
        with pytest.raises(InputError, match=r"tolerance is between 0 and 0\.5"):
            unit.formula(params, tolerance=tolerance)  # pyright: ignore[reportArgumentType]
    assert unit.formula(params, sympy.symbols("u v")) == (sympy.Symbol("u") * sympy.Symbol("v"),)


def test_latex_takes_one_expression():
    unit = nalm.unit("nmu", 2, 1)
    for wrong in (unit.formula(unit.exact("mul")), "a+b", 3):
        with pytest.raises(InputError, match="latex takes one sympy expression"):
            nalm.latex(wrong)  # pyright: ignore[reportArgumentType]
    names = sympy.symbols("lambda x_1")
    assert nalm.latex(names[0] * names[1]) == r"\lambda x_{1}"


def test_gates_are_not_guessed():
    """Without samples a gate is read for positive inputs, and only if they decide it."""
    nalu = nalm.unit("nalu", 2, 1)
    weak = {**nalu.exact("add"), "gate": np.full((1, 2), 3.0)}
    with pytest.raises(NotDiscreteError, match="every positive input"):
        nalu.formula(weak)
    assert str(nalu.formula(weak, ["a", "b"], x=[[2.0, 3.0]])[0]) == "a + b"
    stack = nalm.Stack((nalm.unit("nau", 2, 2), nalu))
    params = (nalm.unit("nau", 2, 2).exact("sub"), nalu.exact("add"))
    with pytest.raises(NotDiscreteError, match=r"Layer 1.*x=\.\.\."):
        stack.formula(params, ["a", "b"])
    assert str(stack.formula(params, ["a", "b"], x=[[3.0, 1.0]])[0]) == "2*a - 2*b"
    for wrong in (np.ones((3, 5)), np.zeros((0, 2))):
        with pytest.raises(InputError, match="2 columns and at least one row"):
            nalu.formula(weak, x=wrong)


def test_comparisons_feed_further_units_as_numbers():
    stack = nalm.Stack((nalm.unit("nsr", 2, 2), nalm.unit("nau", 2, 1)))
    params = (stack.layers[0].exact("gt"), stack.layers[1].exact("add"))
    (formula,) = stack.formula(params, ["a", "b"])
    a, b = sympy.symbols("a b")
    assert formula == 2 * sympy.Piecewise((1, a > b), (0, True))


def test_arrays_of_one_library_with_inputs_of_another():
    import torch

    unit = nalm.unit("nmu", 2, 1)
    tensor = torch.nn.Parameter(torch.ones(1, 2))
    assert unit({"weight": tensor}, np.array([2.0, 3.0])).tolist() == [6.0]
    assert unit({"weight": jnp.ones((1, 2))}, torch.tensor([2.0, 3.0])).tolist() == [6.0]
    assert unit.formula({"weight": tensor})


def test_numpy_numbers_and_lists_are_options_too():
    two: Any = np.int64(2)
    assert nalm.unit("snmu", two, 1, noise_range=[1, 5]) == nalm.unit("snmu", 2, 1)


def test_a_weight_behind_a_closed_gate_is_not_read():
    unit = nalm.unit("real_npu", 2, 1)
    params = {"weight": np.array([[1.0, 0.37]]), "gate": np.array([1.0, 0.02])}
    assert str(unit.formula(params, ["a", "b"])[0]) == "a"


def test_every_error_is_a_nalm_error():
    from nalm import errors

    classes = [
        c for c in vars(errors).values() if isinstance(c, type) and c.__module__ == "nalm.errors"
    ]
    assert len(classes) == 11
    assert all(issubclass(c, NalmError) for c in classes)
