"""Networks refuse a divisor of zero in evaluation, in the parts that count and only there."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import nalm.torch
from nalm.errors import NotDiscreteError, ZeroDivisorError
from nalm.networks import Frozen, Recurrent, gated, scratchpad
from nalm.units import NAU, RealNPU

ZERO, NONE = np.array([[3.0, 2.0], [1.0, 0.0]]), np.array([[3.0, 2.0], [1.0, 4.0]])


def zeros(model):
    return {name: np.zeros(p.shape) for name, p in model.parameters.items()}


def npu(inputs):
    return RealNPU(inputs, 1, modified=True)


def written():
    """Return a scratchpad that reads a/b and hands it on."""
    model = scratchpad("MA", 2)
    params = zeros(model)
    params["0_inputs"][0] = 1, -1
    params["1_before"][0] = 1
    return model, params


def chosen(module):
    """Return a recurrent selector that takes a sum or a quotient at both steps."""
    model = Recurrent(2, 1, (NAU(4, 1), npu(4)))
    params = zeros(model)
    params["0_weight"][0, :2] = 1
    params["1_weight"][0, :2] = 1, -1
    params["1_gate"][:] = 1
    params["choice"][:, module] = 1
    return model, params


def opened(gate):
    """Return a gated sum and quotient."""
    model = gated(NAU(2, 1), npu(2))
    params = zeros(model)
    params["0_weight"][0] = 1, 1
    params["1_weight"][0] = 1, -1
    params["1_gate"][:] = 1
    params["gate"][:] = gate
    return model, params


def masked():
    """Return a frozen selector that reads 1/(ab), then hands it on."""
    model = Frozen(2, 1)
    params = zeros(model)
    params["mask_0"][[0, 1], 3] = 1
    params["mask_1"][[0, 1, 3], 2] = 1
    params["choice"][0, 3] = params["choice"][1, 0] = 1
    return model, params


DIVIDING = [written(), chosen(1), opened(-9.0), masked()]


@pytest.mark.parametrize(("model", "params"), DIVIDING, ids=lambda v: type(v).__name__)
def test_a_zero_divisor_is_refused(model, params):
    with pytest.raises(ZeroDivisorError, match=r"(Line 0|Part 1): .*must not be zero"):
        model(params, ZERO)
    assert np.all(np.isfinite(model(params, NONE)))


@pytest.mark.parametrize(("model", "params"), DIVIDING, ids=lambda v: type(v).__name__)
def test_pytorch_refuses_it_too_and_tracing_does_not(model, params):
    layer = nalm.torch.module(model)
    for name, value in layer.named_parameters():
        value.data = torch.tensor(params[name.split(".")[-1]], dtype=torch.float32)
    layer.eval()
    with pytest.raises(ZeroDivisorError):
        layer(torch.tensor(ZERO, dtype=torch.float32))
    layer.train()
    layer(torch.tensor(ZERO, dtype=torch.float32))
    jax.jit(model)({k: jnp.asarray(v) for k, v in params.items()}, jnp.asarray(ZERO))


@pytest.mark.parametrize(("model", "params"), [chosen(0), opened(9.0)], ids=["chosen", "open"])
def test_a_part_that_does_not_count_may_divide_by_zero(model, params):
    y = model(params, ZERO)
    assert y.shape == (2, 1)


def test_a_zero_that_arises_on_the_way_is_refused():
    model = scratchpad("AM", 2)
    params = zeros(model)
    params["0_inputs"][0] = 1, -1
    params["1_before"][0] = -1
    with pytest.raises(ZeroDivisorError, match="Line 1: RealNPU divides by input 2"):
        model(params, np.array([[2.0, 2.0]]))


def test_a_choice_that_is_not_a_number_has_no_formula():
    model, params = chosen(1)
    params["choice"][0] = np.nan
    with pytest.raises(NotDiscreteError, match="row 0 has none"):
        model.formula(params)
