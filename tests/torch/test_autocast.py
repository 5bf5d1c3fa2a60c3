"""Every unit stays exact under autocast, eager, compiled and exported."""

import pytest
import torch
from torch import nn

import nalm
from cases import CASES, COMPILED, SIZES, random_input, random_params
from nalm.torch import Layer
from nalm.units import REGISTRY, Unit


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("unit", CASES, ids=repr)
def test_autocast_changes_nothing(unit: Unit, dtype):
    layer = layer_of(unit)
    x = torch.as_tensor(random_input(unit)).float()
    for mode in (True, False):
        layer.train(mode)
        torch.manual_seed(0)
        expected = layer(x)
        torch.manual_seed(0)
        with torch.autocast("cpu", dtype):
            y = layer(x)
        assert y.dtype == torch.float32
        torch.testing.assert_close(y, expected, rtol=0, atol=0)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_and_exported_under_autocast(name: str):
    torch._dynamo.reset()
    unit = REGISTRY[name](*SIZES)
    layer = layer_of(unit).eval()
    x = torch.as_tensor(random_input(unit)).float()
    expected = layer(x)
    with torch.autocast("cpu", torch.bfloat16):
        compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), expected)
        exported = torch.export.export(layer, (x,))
        torch.testing.assert_close(exported.module()(x), expected)
    torch.testing.assert_close(exported.module()(x), expected)


def test_a_sum_is_exact_beside_layers_of_half_precision():
    layer = nalm.torch.NAU(2, 1).exact_("add").eval()
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(torch.tensor([[257.0, 1.0]])).item() == 258
        net = nn.Sequential(nn.Linear(3, 2), layer)
        y = net(torch.rand(4, 3))
    assert y.dtype == torch.float32
    y.sum().backward()
    assert net[0].weight.grad is not None  # pyright: ignore[reportAttributeAccessIssue]
    assert layer(torch.tensor([256.0, 1.0], dtype=torch.bfloat16)).item() == 257


def test_a_layer_of_half_precision_keeps_its_dtype():
    layer = nalm.torch.NMU(2, 1).exact_("mul").bfloat16()
    assert layer(torch.ones(2, dtype=torch.bfloat16)).dtype == torch.bfloat16


def layer_of(unit: Unit) -> Layer:
    layer = Layer(unit)
    params = {name: torch.as_tensor(value).float() for name, value in random_params(unit).items()}
    layer.load_state_dict(params)
    return layer
