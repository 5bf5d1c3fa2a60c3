"""Models with other modules: the arithmetic part is read and saved, and its path is given."""

import numpy as np
import pytest
import torch
from torch import nn

import nalm
from nalm.errors import InputError, NotDiscreteError, UnknownNameError
from nalm.units import REGISTRY, Unit
from nalm.units._penalties import PENALTIES


def product():
    return nalm.torch.NMU(2, 1).exact_("mul")


def total():
    return nalm.torch.NAU(2, 2).exact_("add")


def test_the_arithmetic_part_of_a_mixed_model_is_read():
    net = nn.Sequential(nn.Linear(8, 2), nn.Sequential(total(), product()))
    assert str(nalm.torch.formula(net)) == "((h1 + h2)**2,)"
    assert str(nalm.torch.formula(net, ["a", "b"])) == "((a + b)**2,)"
    assert nalm.torch.formulas(net).keys() == {"1.0"}
    assert str(nalm.torch.formula(nn.Sequential(product(), nn.ReLU()))) == "(h1*h2,)"
    pure = nn.Sequential(total(), nn.Identity(), product())
    assert str(nalm.torch.formula(pure)) == "((x1 + x2)**2,)"
    assert nalm.torch.formulas(pure).keys() == {""}


def test_weights_that_are_not_discrete_are_named_by_their_module():
    net = nn.Sequential(nn.Linear(8, 2), nn.Sequential(total(), nalm.torch.NMU(2, 1)))
    with pytest.raises(NotDiscreteError, match=r"^Module '1\.1': .*NMU"):
        nalm.torch.formula(net)
    with pytest.raises(NotDiscreteError, match=r"^Module '1\.1': .*NMU"):
        nalm.torch.formulas(net)
    with pytest.raises(NotDiscreteError, match=r"^The model: .*NMU"):
        nalm.torch.formula(nalm.torch.NMU(2, 1))


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = total()
        self.second = nn.Sequential(nn.ReLU(), product())

    def forward(self, x):
        return self.second(self.first(x))


def test_several_parts_are_named(tmp_path):
    net = TwoHeads()
    message = (
        r"2 arithmetic parts, .*: 'first' \(NAU\), 'second.1' \(NMU\).*"
        r"get_submodule\('first'\); nalm.torch.formulas"
    )
    for call in (nalm.torch.formula, nalm.torch.latex):
        with pytest.raises(InputError, match=message):
            call(net)
    with pytest.raises(InputError, match=message):
        nalm.torch.save(net, tmp_path / "net")
    found = {path: str(formula) for path, formula in nalm.torch.formulas(net).items()}
    assert found == {"first": "(h1 + h2, h1 + h2)", "second.1": "(h1*h2,)"}
    assert nalm.torch.formulas(nn.Linear(2, 1)) == {}


def test_the_arithmetic_part_is_saved_and_its_paths_are_returned(tmp_path):
    net = nn.Sequential(nn.Linear(8, 2), total(), product())
    assert nalm.torch.save(net, tmp_path / "net") == ("1", "2")
    stack, params = nalm.load(tmp_path / "net")
    assert str(stack.formula(params)) == "((x1 + x2)**2,)"
    again = nalm.torch.load(tmp_path / "net")
    x = torch.rand(3, 2)
    torch.testing.assert_close(again(x), net[1:](x))
    with pytest.raises(InputError, match=r"takes the model first: nalm.torch.save\(model, path\)"):
        nalm.torch.save(tmp_path / "net", net)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("cls", REGISTRY.values(), ids=lambda cls: cls.__name__)
def test_penalties_of_swapped_units_are_zero_where_a_unit_has_none(cls: type[Unit]):
    net = nn.Sequential(nn.Linear(3, 2), getattr(nalm.torch, cls.__name__)(2, 1))
    terms = nalm.torch.penalties(net)
    loss = sum(terms[name] for name in PENALTIES)
    assert torch.isfinite(torch.as_tensor(loss))
    for name in set(PENALTIES) - set(terms):
        assert terms[name].item() == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'discretise'"):
        _ = terms["discretize"]


def test_the_list_of_penalties_is_that_of_the_units():
    found = set()
    for cls in REGISTRY.values():
        unit = cls(2, 1)
        params = unit.init(np.random.default_rng(0))
        found |= set(unit.penalties(params, np.ones((3, 2))))
    of_gated_networks = {"saturate_gate"}
    assert found | of_gated_networks == set(PENALTIES)


def test_a_notebook_shows_the_formula_once_there_is_one():
    layer = nalm.torch.NRU(2, 1)
    with torch.no_grad():
        layer.weight.fill_(0.5)  # pyright: ignore[reportCallIssue, reportAttributeAccessIssue]
    assert layer._repr_html_().startswith("<code>NRU(2, 1")
    assert layer._repr_latex_() is None
    layer.exact_("div")
    assert layer._repr_latex_() == layer._repr_html_() == r"$\frac{x_{1}}{x_{2}}$"
    assert "represent mul, div" in nalm.unit("nru", 2, 1)._repr_html_()
    assert repr(layer) == "NRU(2, 1, sign='joint', tanh_scale=1000.0)"
