"""The PyTorch face: an ordinary module in every way PyTorch users know."""

import copy
import inspect
import io
import shutil

import numpy as np
import pytest
import torch
from torch import nn

import nalm
from cases import CASES, COMPILED, DEFAULTS, SIZES, noise_for, random_input, random_params
from nalm.errors import InputError, NotDiscreteError, UnknownNameError, ZeroDivisorError
from nalm.torch import Layer
from nalm.units import REGISTRY, Stochastic, Unit

over_cases = pytest.mark.parametrize("unit", CASES, ids=repr)
over_defaults = pytest.mark.parametrize("unit", DEFAULTS, ids=lambda unit: unit.name)


def layer_of(unit: Unit, seed: int = 0) -> Layer:
    layer = Layer(unit)
    layer.load_state_dict(
        {n: torch.as_tensor(v).float() for n, v in random_params(unit, seed).items()}
    )
    return layer


def inputs(unit: Unit, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.as_tensor(random_input(unit), dtype=dtype)


@over_defaults
def test_each_unit_has_a_layer_class_with_its_signature(unit: Unit):
    cls = getattr(nalm.torch, type(unit).__name__)
    layer = cls(3, 2)
    assert isinstance(layer, Layer)
    assert layer.unit == unit
    names = [*inspect.signature(type(unit)).parameters, "device", "dtype"]
    assert list(inspect.signature(cls).parameters) == names
    assert cls(3, 2, dtype=torch.float64, device="cpu")(torch.rand(3).double()).shape == (2,)
    assert cls.__doc__.startswith((type(unit).__doc__ or "").split("\n")[0])
    assert dict(layer.named_parameters()).keys() == unit.parameters.keys()
    assert type(unit).__name__ in repr(layer)
    assert type(unit).__name__ in dir(nalm.torch)


@over_cases
def test_layer_and_unit_compute_the_same(unit: Unit):
    layer = layer_of(unit)
    x = inputs(unit)
    np.testing.assert_allclose(
        layer.eval()(x).detach(), unit(layer.numbers(), x.numpy()), rtol=1e-4, atol=1e-5
    )


@over_cases
def test_double_eval_deepcopy_and_state_dict(unit: Unit):
    layer = layer_of(unit).double().eval()
    x = inputs(unit, torch.float64)
    y = layer(x)
    assert y.dtype == torch.float64
    twin = copy.deepcopy(layer)
    torch.testing.assert_close(twin(x), y, rtol=0, atol=0)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(0.01)
    torch.testing.assert_close(layer(x), y, rtol=0, atol=0)
    fresh = Layer(unit).double().eval()
    buffer = io.BytesIO()
    torch.save(layer.state_dict(), buffer)
    buffer.seek(0)
    fresh.load_state_dict(torch.load(buffer, weights_only=True))
    torch.testing.assert_close(fresh(x), y, rtol=0, atol=0)


@over_defaults
def test_compile_and_export_without_graph_breaks(unit: Unit):
    torch._dynamo.reset()
    layer = layer_of(unit).eval()
    x = inputs(unit).requires_grad_()
    expected = layer(x)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), expected)
    compiled(x).sum().backward()
    assert x.grad is not None
    exported = torch.export.export(layer, (x.detach(),))
    torch.testing.assert_close(exported.module()(x.detach()), expected)


@over_defaults
def test_compiled_training_step(unit: Unit):
    torch._dynamo.reset()
    layer = layer_of(unit).train()
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    compiled(inputs(unit)).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("c++"), reason="torch's default compiler needs a C++ compiler")
@pytest.mark.parametrize("name", COMPILED)
def test_default_compiler(name: str):
    """Every unit is captured without a break above; what becomes of the parts is tried here."""
    torch._dynamo.reset()
    unit = REGISTRY[name](*SIZES)
    layer, x = layer_of(unit).eval(), inputs(unit)
    torch.testing.assert_close(torch.compile(layer)(x), layer(x), rtol=1e-4, atol=1e-5)


def test_more_than_eight_compiled_layers_in_one_process():
    """One shared code object would meet torch.compile's limit of recompilations."""
    torch._dynamo.reset()
    names = ["NAC", "NAU", "NMU", "SNMU", "NRU", "NMRU", "NALU", "INALU", "NPU", "RealNPU"]
    for name in names:
        layer = getattr(nalm.torch, name)(2, 1).eval()
        x = torch.rand(3, 2) + 0.5
        compiled = torch.compile(layer, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(x), layer(x))


@over_defaults
def test_initial_parameters_follow_the_seed_and_the_default_dtype(unit: Unit):
    def make():
        torch.manual_seed(3)
        return Layer(unit)

    for first, second in zip(make().parameters(), make().parameters(), strict=True):
        torch.testing.assert_close(first, second, rtol=0, atol=0)
    torch.set_default_dtype(torch.float64)
    try:
        assert all(p.dtype == torch.float64 for p in Layer(unit).parameters())
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.device("meta"):
        assert all(p.device.type == "meta" for p in Layer(unit).parameters())


@over_defaults
def test_reset_parameters_draws_from_the_declared_distribution_in_place(unit: Unit):
    layer = Layer(type(unit)(40, 30)).double()
    before = {name: (id(p), p.detach().clone()) for name, p in layer.named_parameters()}
    layer.reset_parameters()
    for name, parameter in layer.named_parameters():
        assert id(parameter) == before[name][0]
        assert parameter.dtype == torch.float64
        reference = layer.unit.init(np.random.default_rng(0))[name]
        spread = reference.std() + 1e-6
        assert abs(parameter.mean().item() - reference.mean()) < 9 * spread / reference.size**0.5
        if type(layer.unit.parameters[name].init).__name__ != "Constant":
            assert not torch.equal(parameter, before[name][1])


@over_cases
def test_constrain_in_place(unit: Unit):
    layer = Layer(unit)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn_like(parameter) * 3)
    expected = unit.constrain(layer.numbers())
    ids = [id(p) for p in layer.parameters()]
    assert layer.constrain_() is layer
    assert [id(p) for p in layer.parameters()] == ids
    for name, parameter in layer.named_parameters():
        np.testing.assert_array_equal(parameter.detach(), expected[name])
        assert parameter.requires_grad


@over_cases
def test_penalties_are_differentiable(unit: Unit):
    layer = layer_of(unit)
    terms = layer.penalties(inputs(unit))
    expected = unit.penalties(layer.numbers(), inputs(unit).numpy())
    assert terms.keys() == expected.keys()
    for name, value in terms.items():
        assert value.item() == pytest.approx(float(expected[name]), rel=1e-5)
        assert value.requires_grad
    error = layer.sparsity_error().item()
    assert error == pytest.approx(float(unit.sparsity_error(layer.numbers())), nan_ok=True)


def test_stochastic_layers_draw_fresh_noise_in_training_only():
    stochastic = [unit for unit in CASES if isinstance(unit, Stochastic)]
    assert len(stochastic) >= 4
    for unit in stochastic:
        layer = layer_of(unit)
        x = inputs(unit)
        layer.train()
        assert not torch.equal(layer(x), layer(x))
        layer.eval()
        assert torch.equal(layer(x), layer(x))
        torch.manual_seed(0)
        first = layer.train()(x)
        torch.manual_seed(0)
        assert torch.equal(layer(x), first)


def test_noise_of_the_layer_has_the_declared_distribution():
    layer = nalm.torch.SNMU(2, 1)
    torch.manual_seed(0)
    noise = layer._noise(torch.rand(20_000, 2))
    assert noise is not None
    assert 1 <= noise.min() < 1.01
    assert 4.99 < noise.max() <= 5
    assert noise.mean().item() == pytest.approx(3.0, abs=0.03)
    unit = nalm.unit("snmu", 2, 1, noise_range="batch")
    x = torch.rand(20_000, 2)
    expected = noise_for(unit, {}, x.numpy())
    drawn = Layer(unit)._noise(x)
    assert drawn is not None
    assert expected is not None
    assert drawn.max().item() == pytest.approx(float(np.max(expected)), rel=1e-2)


def test_vmap_over_an_ensemble_of_layers():
    layers = [nalm.torch.RealNPU(3, 2).eval() for _ in range(4)]
    params, buffers = torch.func.stack_module_state(layers)
    x = torch.tensor([[1.0, 0.5, 2.0]])

    def call(p, b):
        return torch.func.functional_call(layers[0], (p, b), (x,))

    together = torch.func.vmap(call)(params, buffers)
    torch.testing.assert_close(together, torch.stack([layer(x) for layer in layers]))


def test_sequential_learns_a_formula():
    """The example of the README: a plain training loop ends in exactly the formula."""
    torch.manual_seed(0)
    net = nn.Sequential(nalm.torch.NAU(4, 2), nalm.torch.NMU(2, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(4000):
        x = 1 + torch.rand(128, 4)
        target = (x[:, 0] + x[:, 1]) * x.sum(dim=1)
        loss = nn.functional.mse_loss(net(x)[:, 0], target)
        loss = loss + 0.1 * (step > 2000) * nalm.torch.penalties(net)["discretise"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        nalm.torch.constrain_(net)
    (formula,) = nalm.torch.formula(net, ["a", "b", "c", "d"])
    assert str(formula) == "(a + b)*(a + b + c + d)"
    assert nalm.torch.sparsity_error(net) < 1e-3


def test_formula_of_layers_and_what_it_refuses():
    layer = nalm.torch.NMU(2, 1).exact_("mul")
    assert str(layer.formula(["price", "n"])[0]) == "n*price"
    assert layer.latex(["price", "n"]) == (r"n \cdot \text{price}",)
    with pytest.raises(NotDiscreteError, match=r"NMU has weight\[0, "):
        nalm.torch.NMU(2, 1).formula()
    nested = nn.Sequential(nn.Sequential(nalm.torch.NAU(2, 2).exact_("add")), nn.Identity(), layer)
    assert str(nalm.torch.formula(nested, ["a", "b"])[0]) == "(a + b)**2"
    assert nalm.torch.latex(nested, ["a", "b"]) == (r"\left(a + b\right)^{2}",)
    compiled = torch.compile(layer, backend="eager")
    assert str(nalm.torch.formula(compiled, ["a", "b"])[0]) == "a*b"  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="no arithmetic layer"):
        nalm.torch.formula(nn.Sequential())
    with pytest.raises(InputError, match=r"torch\.nn\.Module; received str"):
        nalm.torch.constrain_("net")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="no arithmetic layer"):
        nalm.torch.sparsity_error(nn.Linear(2, 1))


def test_gates_that_see_the_input_are_read_from_samples():
    layer = nalm.torch.NALU(2, 1).exact_("add")
    assert str(layer.formula(["a", "b"])[0]) == "a + b"
    with torch.no_grad():
        layer.get_parameter("gate").copy_(torch.tensor([[50.0, -1.0]]))
    with pytest.raises(NotDiscreteError, match=r"x=\.\.\."):
        layer.formula(["a", "b"])
    x = 1 + torch.rand(10, 2)
    assert str(layer.formula(["a", "b"], x=x)[0]) == "a + b"
    assert str(layer.formula(["a", "b"], x=-x)[0]) == "Abs(a*b)"
    with pytest.raises(NotDiscreteError, match="every sample"):
        layer.formula(["a", "b"], x=torch.cat([x, -x]))


@pytest.mark.parametrize("name", ["NRU", "NMRU", "RealNPU", "NPU", "NALU", "INALU", "IMNAC"])
def test_a_zero_divisor_is_refused_in_evaluation_only(name):
    layer = getattr(nalm.torch, name)(2, 1).exact_("div")
    x = torch.tensor([[1.0, 2.0], [1.0, 0.0]])
    with pytest.raises(ZeroDivisorError, match=r"divides by input 1, which is 0 \(row 1\)"):
        layer.eval()(x)
    layer.train()(x)
    layer.eval()(torch.tensor([[0.0, 2.0]]))


def test_layers_without_a_sparsity_error_do_not_hide_the_others():
    net = nn.Sequential(nalm.torch.NAU(2, 2), nalm.torch.Product(2, 1))
    assert nalm.torch.sparsity_error(net) == net[0].sparsity_error()  # pyright: ignore[reportCallIssue]


def test_bfloat16_layers_can_be_read_and_saved(tmp_path):
    layer = nalm.torch.NMU(2, 1).exact_("mul").bfloat16()
    assert str(layer.formula(["a", "b"])[0]) == "a*b"
    nalm.torch.save(layer, tmp_path / "model")
    assert repr(nalm.torch.load(tmp_path / "model")) == "NMU(2, 1, clamp='stored')"


def test_wrong_input_says_what_was_expected():
    layer = nalm.torch.NMU(3, 1)
    for wrong in ([[1.0, 2.0, 3.0]], None, np.ones((1, 3))):
        with pytest.raises(InputError, match="takes a tensor; received"):
            layer(wrong)
    with pytest.raises(InputError, match=r"received torch.int64.*x\.float\(\)"):
        layer(torch.ones(2, 3, dtype=torch.int64))
    with pytest.raises(InputError, match=r"length 3; received shape \(2, 4\)"):
        layer(torch.ones(2, 4))
    with pytest.raises(UnknownNameError, match="Did you mean 'noise_range'"):
        nalm.torch.SNMU(2, 1, noise_rang=(1, 5))  # pyright: ignore[reportCallIssue]
    with pytest.raises(InputError, match="in_features of NMU must be a whole number from 1"):
        nalm.torch.NMU(0, 1)
    with pytest.raises(AttributeError, match=r"no attribute 'NMX'\. Did you mean 'NMU'"):
        _ = nalm.torch.NMX  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(InputError, match="made from a unit"):
        Layer("nmu")  # pyright: ignore[reportArgumentType]


@over_cases
def test_save_and_load_through_the_torch_face(unit: Unit, tmp_path):
    layer = layer_of(unit)
    nalm.torch.save(layer, tmp_path / "model")
    loaded = nalm.torch.load(tmp_path / "model")
    assert isinstance(loaded, Layer)
    assert loaded.unit == unit
    for name, parameter in layer.named_parameters():
        torch.testing.assert_close(loaded.state_dict()[name], parameter.detach(), rtol=0, atol=0)


def test_save_and_load_a_sequential_and_read_it_in_jax(tmp_path):
    net = nn.Sequential(nalm.torch.NAU(3, 2).exact_("add"), nalm.torch.NMU(2, 1).exact_("mul"))
    nalm.torch.save(net, tmp_path / "net")
    again = nalm.torch.load(tmp_path / "net")
    x = torch.rand(5, 3)
    torch.testing.assert_close(again(x), net(x))
    stack, params = nalm.load(tmp_path / "net")
    assert stack.formula(params, ["a", "b", "c"]) == nalm.torch.formula(net, ["a", "b", "c"])


def test_every_registered_class_is_reachable_and_picklable_by_torch_save(tmp_path):
    for cls in REGISTRY.values():
        layer = getattr(nalm.torch, cls.__name__)(2, 1)
        torch.save(layer, tmp_path / "whole.pt")
        again = torch.load(tmp_path / "whole.pt", weights_only=False)
        assert type(again) is type(layer)
