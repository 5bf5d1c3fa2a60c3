"""Networks made of units: their equations, what they choose, what is read off them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import nalm.torch
from nalm.errors import InputError, NotDiscreteError, UnknownNameError, ZeroDivisorError
from nalm.experiments.composition import architectures
from nalm.formula import same_function
from nalm.networks import Frozen, Gated, Recurrent, Scratchpad, Stack, gated, scratchpad
from nalm.networks.layers import flatten, layers, unflatten
from nalm.networks.saving import load, save
from nalm.networks.selection import one_hot, selected_in_training, straight_through
from nalm.tasks import Composition
from nalm.training.description import decode, encode
from nalm.units import NAU, NMU, SNMU, RealNPU, Stochastic

NETWORKS = {**architectures(), "scratchpad": scratchpad("MAMA", 4)}
X = np.random.default_rng(1).uniform(1, 2, (3, 4)).astype(np.float32)
NAMES = list("abcd")


def drawn(model, seed=0):
    return model.init(np.random.default_rng(seed), np.float32)


def noises(model):
    rng = np.random.default_rng(2)
    return {
        prefix: rng.uniform(0.1, 0.9, layer.draws(np, {}, X)[0]).astype(np.float32)
        for prefix, layer in layers(model).items()
        if isinstance(layer, Stochastic)
    }


@pytest.mark.parametrize(
    ("name", "train"),
    [*((name, True) for name in NETWORKS), ("frozen", False), ("scratchpad", False)],
)
def test_values_and_slopes_are_the_same_in_jax_and_pytorch(name, train):
    model, noise = NETWORKS[name], noises(NETWORKS[name])
    params = drawn(model)
    flat = flatten(model, params)

    def total(flat):
        x = jnp.asarray(X)
        for prefix, layer in layers(model).items():
            mine = {n: flat[prefix + n] for n in layer.parameters}
            x = layer(mine, x, train=train, noise=noise.get(prefix))
        return x.sum(), x

    (_, y), slopes = jax.jit(jax.value_and_grad(total, has_aux=True))(
        {n: jnp.asarray(v) for n, v in flat.items()}
    )
    theirs = nalm.torch.module(model)
    parts = list(nalm.torch.layers(theirs))
    x = torch.as_tensor(X)
    for (prefix, unit), part in zip(layers(model).items(), parts, strict=True):
        part.load_state_dict({n: torch.as_tensor(flat[prefix + n]) for n in unit.parameters})
        fixed = noise.get(prefix)
        part._noise = lambda x, fixed=fixed: None if fixed is None else torch.as_tensor(fixed)
        part.train(train)
        x = part(x)
    np.testing.assert_allclose(y, x.detach().numpy(), rtol=2e-5, atol=1e-6)
    if x.requires_grad:  # masks and choices have no slopes in evaluation
        x.sum().backward()
    for (prefix, unit), part in zip(layers(model).items(), parts, strict=True):
        for n in unit.parameters:
            slope = part.get_parameter(n).grad
            slope = np.zeros_like(flat[prefix + n]) if slope is None else slope.numpy()
            np.testing.assert_allclose(slopes[prefix + n], slope, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", NETWORKS)
def test_they_are_written_and_read(name, tmp_path):
    model = NETWORKS[name]
    assert decode(encode(model)) == model
    params = drawn(model)
    save(model, tmp_path / "model.safetensors", params)
    loaded, read = load(tmp_path / "model.safetensors")
    assert loaded == model
    np.testing.assert_array_equal(loaded(read, X), model(params, X))


def test_of_equal_logits_the_first_is_chosen():
    assert one_hot(np, np.array([[0.0, 0.0], [1.0, 2.0]])).tolist() == [[1, 0], [0, 1]]


def test_a_straight_through_softmax_has_the_slopes_of_the_softmax():
    logits, values = jnp.array([0.3, -1.0, 2.0]), jnp.array([1.0, 5.0, 7.0])
    hard = jax.grad(lambda w: (straight_through(jnp, w, 10.0) * values).sum())(logits)
    soft = jax.grad(lambda w: (jax.nn.softmax(w / 10) * values).sum())(logits)
    np.testing.assert_allclose(hard, soft, rtol=1e-5)
    assert straight_through(np, np.asarray(logits), 10.0).round(6).tolist() == [0, 0, 1]


@pytest.mark.parametrize(("gate", "expected"), [(-1.0, 5.0), (1.0, 1.0)])
def test_the_gate_decides_between_the_likeliest_and_a_random_choice(gate, expected):
    values, logits, u = jnp.array([1.0, 5.0]), jnp.array([0.1, 0.0]), jnp.array([0.01, 0.99])

    def out(gate):
        return selected_in_training(jnp, values, logits, gate, u, temperature=10.0)

    assert float(out(jnp.float32(gate))) == pytest.approx(expected)
    p = float(jax.nn.sigmoid(gate))
    assert float(jax.grad(out)(jnp.float32(gate))) == pytest.approx(p * (1 - p) * (1 - 5), rel=1e-4)


def test_a_gated_layer_is_read_where_its_gates_are_decided():
    model = Stack((gated(NAU(4, 2), NMU(4, 2)), gated(NAU(2, 1), NMU(2, 1))))
    rows, half = (
        np.array([[1.0, 1, 0, 0], [0.3, 0, 0, 0]]),
        np.array([[0.4, 0, 0, 0], [0, 0, 1, 0]]),
    )
    first = {"0_weight": rows, "1_weight": half, "gate": np.array([20.0, -20.0])}
    second = {
        "0_weight": np.array([[0.2, 0]]),
        "1_weight": np.ones((1, 2)),
        "gate": -np.ones(1) * 9,
    }
    (expression,) = model.formula((first, second), NAMES)
    assert same_function(expression, Composition("add-mul").expression(NAMES, 4))
    with pytest.raises(NotDiscreteError, match=r"gate\[0\] = 0.6"):
        model.formula(({**first, "gate": np.array([0.5, -20.0])}, second), NAMES)


def test_the_recurrent_selector_writes_lines():
    model = Recurrent(4, 1, (NAU(6, 1), NAU(6, 1), NMU(6, 1)))
    params = drawn(model) | {
        "0_weight": np.array([[0.0, 0, -1, 0, 0, 0]]),
        "1_weight": np.array([[1.0, 1, 0, 0, 1, 0]]),
        "choice": np.array([[1.0, 0, 0], [0, 1, 0]]),
    }
    assert [str(line) for line in model.lines(params, NAMES)] == ["-c", "a + b - c"]
    np.testing.assert_allclose(model(params, X)[:, 0], X[:, 0] + X[:, 1] - X[:, 2], rtol=1e-6)


def test_the_frozen_selector_sends_each_input_to_one_operation():
    model = Frozen(4, 1)
    masks = np.zeros((2, 6, 4))
    masks[0, [0, 1], 3] = 1  # a and b to the reciprocal, the rest to the sum
    masks[1, [2, 4], 0] = 1  # c and the line of the first step to the sum
    masks[1, [0, 1, 3, 5], 2] = 1
    params = drawn(model) | {
        "mask_0": masks[0],
        "mask_1": masks[1],
        "choice": np.array([[0.0, 0, 0, 1], [1, 0, 0, 0]]),
    }
    assert [str(line) for line in model.lines(params, NAMES)] == ["1/(a*b)", "c + 1/(a*b)"]
    np.testing.assert_allclose(model(params, X)[:, 0], 1 / (X[:, 0] * X[:, 1]) + X[:, 2], rtol=1e-6)


def test_frozen_operations_of_nothing_are_their_identities_and_one_over_zero_is_zero():
    model = Frozen(1, 1)
    params = drawn(model) | {"choice": np.array([[0.0, 1, 0, 0], [0, 0, 0, 1]])}
    assert [str(line) for line in model.lines(params, ["a"])] == ["0", "1"]
    sent = np.zeros((3, 4))
    sent[1, 3] = 1  # the line of the first step, an empty sum, to the reciprocal
    params["mask_1"] = sent
    assert model.forward(np, params, np.array([[2.0]]), False, None)[0, 0] == 0
    with pytest.raises(ZeroDivisorError, match="Line 1"):
        model(params, np.array([[2.0]]))


def test_a_scratchpad_is_read_line_by_line():
    model = scratchpad("MAMA", 4)
    params = {name: np.zeros(p.shape) for name, p in model.parameters.items()}
    params["1_inputs"][0, :2] = 1
    params["2_before"][:] = params["2_inputs"][0, 2] = -1
    params["3_before"][:] = 1
    assert [str(line) for line in model.lines(params, NAMES)][:2] == ["1", "a + b"]
    (expression,) = model.formula(params, NAMES)
    assert same_function(expression, Composition("add-div").expression(NAMES, 4))
    np.testing.assert_allclose(
        model(params, X)[:, 0], 1 / ((X[:, 0] + X[:, 1]) * X[:, 2]), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gated(NAU(4, 5), NMU(4, 2)), "two units of its own size"),
        (lambda: Gated(2, 1, (SNMU(2, 1), NAU(2, 1))), "take no noise"),
        (lambda: Recurrent(4, 1, (NAU(4, 1),)), "units of 6 inputs"),
        (lambda: Frozen(4, 1, (NAU(6, 1),)), "no units"),
        (lambda: scratchpad("MAX", 4), "spelt with A"),
        (lambda: Scratchpad(4, 1, (NAU(4, 1), NAU(4, 1))), "lines before"),
        (lambda: Scratchpad(4, 1, (NMU(4, 1),)), "NAUs and Real NPUs"),
    ],
)
def test_what_they_refuse(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_network_is_no_single_operation():
    with pytest.raises(UnknownNameError, match="cannot represent"):
        scratchpad("A", 4).exact("add")


def test_gates_of_a_scratchpad_stay_open():
    model = scratchpad("MA", 2)
    assert isinstance(model.units[0], RealNPU)
    assert "0_gate" not in model.parameters
    assert model.effective(drawn(model))["0_gate"].tolist() == [1, 1]


def test_flat_parameters_are_those_of_the_layers():
    model = NETWORKS["gated nau-nmu"]
    params = drawn(model)
    assert set(flatten(model, params)) == {
        f"{k}.{n}" for k in (0, 1) for n in ("0_weight", "1_weight", "gate")
    }
    np.testing.assert_array_equal(
        model(unflatten(model, flatten(model, params)), X), model(params, X)
    )
