"""Units one after the other."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

import nalm
from nalm.errors import InputError, NotDiscreteError


def nau_nmu() -> nalm.Stack:
    return nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))


def test_stack_equals_its_layers_in_turn():
    stack = nau_nmu()
    params = stack.init(jax.random.key(0))
    x = np.random.default_rng(0).uniform(-2, 2, (5, 4))
    expected = stack.layers[1](params[1], stack.layers[0](params[0], jax.numpy.asarray(x)))
    np.testing.assert_allclose(stack(params, jax.numpy.asarray(x)), expected)
    assert (stack.in_features, stack.out_features) == (4, 1)


def test_penalties_are_summed_and_sparsity_is_the_worst():
    stack = nau_nmu()
    params = stack.init(np.random.default_rng(0))
    each = [u.penalties(p)["discretise"] for u, p in zip(stack.layers, params, strict=True)]
    assert stack.penalties(params)["discretise"] == pytest.approx(sum(each))
    worst = max(u.sparsity_error(p) for u, p in zip(stack.layers, params, strict=True))
    assert stack.sparsity_error(params) == worst
    wild = tuple({"weight": 5 * p["weight"]} for p in params)
    for layer, p in zip(stack.layers, stack.constrain(wild), strict=True):
        low, high = layer.parameters["weight"].bounds or (0, 0)
        assert np.all((p["weight"] >= low) & (p["weight"] <= high))
    assert [set(e) for e in stack.effective(params)] == [{"weight"}, {"weight"}]


def test_each_layer_draws_noise_of_its_own():
    stack = nalm.Stack((nalm.unit("snmu", 2, 2), nalm.unit("nau", 2, 2), nalm.unit("snmu", 2, 1)))
    params = stack.init(np.random.default_rng(0))
    x = jnp.asarray(np.random.default_rng(1).uniform(1, 2, (4, 2)))
    y = stack(params, x, train=True, key=jax.random.key(1))
    first, _, last = jax.random.split(jax.random.key(1), 3)
    h = stack.layers[0](params[0], x, train=True, key=first)
    h = stack.layers[1](params[1], h, train=True)
    one = stack.layers[0].noise(params[0], x)
    two = stack.layers[2].noise(params[2], h)
    assert one
    assert two
    assert not np.any(np.isclose(one.draw(first), two.draw(last)))
    noise = [one.draw(first), None, two.draw(last)]
    np.testing.assert_array_equal(stack(params, x, train=True, noise=noise), y)
    generator = np.random.default_rng(2)
    again = stack(params, np.asarray(x), train=True, key=generator)
    assert not np.allclose(again, stack(params, np.asarray(x), train=True, key=generator))
    with pytest.raises(InputError, match=r"received none\. Pass key="):
        stack(params, x, train=True)
    with pytest.raises(InputError, match=r"list with the noise or None for each; received 1"):
        stack(params, x, train=True, noise=[None])
    with pytest.raises(InputError, match=r"received function\. Pass key="):
        stack(params, x, train=True, noise=lambda declared: declared)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="a JAX key or a NumPy generator; received int"):
        stack(params, x, train=True, key=0)


def test_composed_formula_with_several_outputs_and_any_names():
    stack = nalm.Stack((nalm.unit("nau", 2, 2), nalm.unit("real_npu", 2, 2)))
    params = (
        {"weight": np.array([[1.0, 1.0], [1.0, -1.0]])},
        {"weight": np.array([[1.0, -1.0], [2.0, 0.0]]), "gate": np.ones(2)},
    )
    names = ["exec", "total cost (€)"]
    a, b = map(sympy.Symbol, names)
    assert stack.formula(params, names) == ((a + b) / (a - b), (a + b) ** 2)
    assert stack.latex(params, names)[1] == (
        r"\left(\text{exec} + \text{total cost (€)}\right)^{2}"
    )


def test_samples_reach_the_gates_of_later_layers():
    stack = nalm.Stack((nalm.unit("nau", 2, 2), nalm.unit("nalu", 2, 1)))
    nalu = nalm.unit("nalu", 2, 1).exact("add")
    nalu["gate"] = np.array([[1e6, -1.0]])
    params = ({"weight": np.array([[1.0, 1.0], [1.0, 0.0]])}, nalu)
    x = np.random.default_rng(0).uniform(1, 2, (10, 2))
    assert str(stack.formula(params, ["a", "b"], x=x)[0]) == "2*a + b"
    with pytest.raises(NotDiscreteError, match="Layer 1: The gate of NALU"):
        stack.formula(params, ["a", "b"])


def test_what_a_stack_refuses():
    with pytest.raises(InputError, match="Layer 1 must take what layer 0 gives: 2 features"):
        nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 3, 1)))
    for wrong in ((), nalm.unit("nau", 2, 2), ["nau"]):
        with pytest.raises(InputError, match=r"one or more units, Stack\(\(first, second\)\)"):
            nalm.Stack(wrong)  # pyright: ignore[reportArgumentType]
    stack = nau_nmu()
    with pytest.raises(InputError, match="a sequence of 2 parameter dictionaries"):
        stack({"weight": np.ones((2, 4))}, np.ones(4))  # pyright: ignore[reportArgumentType]
    with pytest.raises(NotDiscreteError, match=r"Layer 0: .*NAU has weight"):
        stack.formula(stack.init(np.random.default_rng(0)))
