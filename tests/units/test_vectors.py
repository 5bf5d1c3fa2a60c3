"""Numbers computed once by hand from the equations of the papers, in double precision."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch

import nalm
from cases import BACKENDS
from nalm.sweeps.statistics import wilson
from nalm.torch import Layer
from nalm.training import LOSSES, Ramp
from nalm.units.initial import Uniform, nac_radius
from nalm.units.nac import NAC

X = (2.0, -3.0)
NAC_PARAMS = {"w_hat": (0.5, -1.0), "m_hat": (1.0, 0.5)}
INALU_PARAMS = {
    "add_w_hat": (0.5, -1.0),
    "add_m_hat": (1.0, 0.5),
    "mul_w_hat": (1.0, -0.3),
    "mul_m_hat": (0.2, -0.4),
    "gate": 0.3,
}
NPU_PARAMS = {"weight": (0.5, -1.0), "gate": (0.8, 0.6)}
NPU_IM_PARAMS = {"weight_re": (0.5, -1.0), "weight_im": (0.2, 0.1), "gate": (0.8, 0.6)}
NLRL_PARAMS = {"negation": (0.3, -0.4), "weight": (1.0, 0.5), "selection": 0.2}


@dataclass
class Vector:
    unit: str
    params: dict[str, Any]
    expected: float
    x: tuple[float, ...] = X
    options: dict[str, Any] = field(default_factory=dict)
    train: bool = False
    noise: Any = None

    def build(self):
        unit = nalm.unit(self.unit, len(self.x), 1, **self.options)
        params = {
            name: np.reshape(np.asarray(value, float), unit.parameters[name].shape)
            for name, value in self.params.items()
        }
        return unit, params


VECTORS = [
    Vector("nac", NAC_PARAMS, 2.097853591),
    Vector("nac_mul", NAC_PARAMS, 0.7507815952),
    Vector("nac_mul_sigma", {"w_hat": (0.5, -1.0)}, 2.068695718),
    Vector("nac_mul_nmu", {"weight": (0.7, 0.4)}, 2.520980694),
    Vector("nalu", {**NAC_PARAMS, "gate": (0.1, -0.2)}, 1.680226897),
    Vector("gnalu", {**NAC_PARAMS, "gate": (0.1, -0.2)}, 0.9608990804),
    Vector("inac", NAC_PARAMS, 2.097853591),
    Vector("imnac", {"w_hat": (1.0, -0.3), "m_hat": (0.2, -0.4)}, 0.9007644937),
    Vector("inalu", INALU_PARAMS, 1.588423368),
    Vector(
        "inalu",
        {"w_hat": (1.0, -0.3), "m_hat": (0.2, -0.4), "gate": 0.3},
        1.0658927417405955,
        options={"weights": "shared"},
    ),
    Vector("nau", {"weight": (0.7, -0.4)}, 2.6),
    Vector("nmu", {"weight": (0.7, 0.4)}, -1.02),
    Vector("nmu", {"weight": (-1 / 6, -0.5)}, 3.6, x=(-2.0, -1.8)),
    Vector("snmu", {"weight": (0.7, 0.4)}, -3.039215686, train=True, noise=(2.0, 3.0)),
    Vector("snmu", {"weight": (0.7, 0.4)}, -1.02),
    Vector("stgnmu", {"mean": (0.7, 0.4)}, 2.0, train=True, noise=((0.5, -0.6),)),
    Vector(
        "npu",
        NPU_IM_PARAMS,
        -0.05933767826,
    ),
    Vector("real_npu", NPU_PARAMS, -0.1884499095),
    Vector("nru", {"weight": (0.7, -0.4)}, -1.046821166, train=True),
    Vector("nru", {"weight": (0.7, -0.4)}, 0.4918548047),
    Vector("nru", {"weight": (0.7, -0.4)}, 1.046821166, options={"sign": "separate"}, train=True),
    Vector("nru", {"weight": (0.7, -0.4)}, 1.232729221, options={"sign": "separate"}),
    Vector("nru", {"weight": (0.001, -0.0005)}, 0.573243195, train=True),
    Vector("nru", {"weight": (0.001, -0.0005)}, 0.9990009673),
    Vector(
        "nru", {"weight": (0.001, -0.0005)}, 1.000284862, options={"sign": "separate"}, train=True
    ),
    Vector("nru", {"weight": (0.001, -0.0005)}, 1.000000419, options={"sign": "separate"}),
    Vector("nmru", {"weight": (0.9, 0.2, 0.1, 0.8)}, -1.179266690, train=True),
    Vector("nmru", {"weight": (0.9, 0.2, 0.1, 0.8)}, -1.179266667),
    Vector(
        "nmru",
        {"weight": (0.9, 0.2, 0.1, 0.8)},
        -0.02406667042,
        options={"sign": False},
        train=True,
    ),
    Vector("nmru", {"weight": (0.9, 0.2, 0.1, 0.8)}, -0.02406666667, options={"sign": False}),
    Vector(
        "nmru",
        {"weight": (0.9, 0.2, 0.1, 0.8), "gate": (0.5, 0.6, 0.7, 0.8)},
        -0.4483013333,
        options={"gate": True},
    ),
    Vector("nlrl", NLRL_PARAMS, 0.447809392, x=(0.9, 0.2)),
    Vector(
        "nsr",
        {
            "operand_1": (0.2, -0.1),
            "operand_2": (-0.3, 0.4),
            "sign_weight": 0.7,
            "zero_weight": -0.3,
            "bias": 0.1,
        },
        0.69153435,
        options={"redundancy": 1},
    ),
    Vector(
        "quadratic",
        {
            "weight_r": (0.1, 0.2),
            "bias_r": 0.3,
            "weight_g": (-0.2, 0.4),
            "bias_g": 0.5,
            "weight_b": (0.05, -0.1),
            "constant": 0.7,
        },
        0.11,
    ),
    Vector("product", {"weight": (0.7, 0.4)}, -1.68),
]
over_vectors = pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v.unit}-{v.expected}")


@over_vectors
@pytest.mark.parametrize("backend", BACKENDS)
def test_forward(vector: Vector, backend: str):
    unit, params = vector.build()
    make = BACKENDS[backend]
    noise = None if vector.noise is None else make(np.asarray(vector.noise))
    y = unit(
        {name: make(value) for name, value in params.items()},
        make(np.asarray(vector.x)),
        train=vector.train,
        noise=noise,
    )
    assert float(y[0]) == pytest.approx(vector.expected, rel=2e-9)


@over_vectors
def test_forward_of_the_torch_layer(vector: Vector, monkeypatch: pytest.MonkeyPatch):
    unit, params = vector.build()
    layer = Layer(unit).double().train(vector.train)
    layer.load_state_dict({name: torch.as_tensor(value) for name, value in params.items()})
    if vector.noise is not None:
        monkeypatch.setattr(layer, "_noise", lambda x: torch.tensor(vector.noise).double())
    y = layer(torch.tensor(vector.x, dtype=torch.float64))
    assert y[0].item() == pytest.approx(vector.expected, rel=2e-9)


def effective(name: str, params: dict[str, Any], weight: str) -> list[float]:
    unit, arrays = Vector(name, params, 0.0).build()
    return np.ravel(unit.effective(arrays)[weight]).tolist()


@pytest.mark.parametrize(
    ("name", "params", "weight", "expected"),
    [
        ("nac", NAC_PARAMS, "weight", (0.3378347, -0.4740614)),
        ("gnalu", {**NAC_PARAMS, "gate": (0.1, -0.2)}, "add", (0.145898034, -0.250378328)),
        ("inalu", INALU_PARAMS, "mul", (0.418750359, -0.116907346)),
    ],
)
def test_effective_weights(name, params, weight, expected):
    assert effective(name, params, weight) == pytest.approx(expected, abs=1e-7)


def test_gate_of_the_nalu_and_its_golden_form():
    from nalm.units.nalu import GNALU, NALU

    z = np.asarray(2 * 0.1 + -3 * -0.2)
    assert float(NALU(2, 1).squash(np, z)) == pytest.approx(0.6899744811)
    assert float(GNALU(2, 1).squash(np, z)) == pytest.approx(0.5950711149)


def test_parts_of_the_imnac():
    """The magnitude and the sign product of modules.md, apart."""
    W = np.array([0.418750359, -0.116907346])
    magnitude = np.exp(np.log(np.abs(X)) @ W)
    signs = np.prod(np.sign(X) * np.abs(W) + 1 - np.abs(W))
    assert magnitude == pytest.approx(1.175648351)
    assert signs == pytest.approx(0.7661853077)


def test_gated_polar_form_of_the_npu():
    from nalm.units.real_npu import gated_polar

    log_r, k = gated_polar(np, np.array(NPU_PARAMS["gate"]), np.array(X))
    assert np.exp(log_r).tolist() == pytest.approx([1.800000095, 2.200000072], abs=1e-9)
    assert k.tolist() == pytest.approx([0.0, 1.884955592])


def test_the_other_published_or():
    _, params = Vector("nlrl", NLRL_PARAMS, 0.0, (0.9, 0.2)).build()
    closed = {**params, "selection": np.array([1000.0])}
    for form, expected in (("power", 0.544451463), ("product", 0.508018436)):
        other = nalm.unit("nlrl", 2, 1, disjunction=form)
        assert float(other(closed, np.array([0.9, 0.2]))[0]) == pytest.approx(expected)
    not_and = nalm.unit("nlrl", 2, 1, disjunction="de_morgan")
    assert float(not_and(closed, np.array([0.9, 0.2]))[0]) == pytest.approx(1 - 0.3297705)
    only_and = nalm.unit("nlrl", 2, 1, disjunction="none")
    both = {name: params[name] for name in ("negation", "weight")}
    assert float(only_and(both, np.array([0.9, 0.2]))[0]) == pytest.approx(0.3297705)


@pytest.mark.parametrize(
    ("name", "params", "options", "expected"),
    [
        ("inalu", INALU_PARAMS, {}, {"saturate": 4.8625}),
        (
            "real_npu",
            NPU_PARAMS,
            {},
            {"l1": 2.9, "discretise": 0.25, "discretise_gate": 0.3},
        ),
        ("real_npu", NPU_PARAMS, {"discretise": "ternary"}, {"discretise": 0.25}),
        ("npu", NPU_IM_PARAMS, {}, {"l1": 3.2, "discretise": 0.25, "imaginary": 0.3}),
        ("stgnmu", {"mean": (0.7, 0.4)}, {}, {"active": 1.707387942}),
        ("nmu", {"weight": (0.7, 0.4)}, {}, {"discretise": 0.35}),
        ("nau", {"weight": (0.7, -0.4)}, {}, {"discretise": 0.35}),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_penalties(name, params, options, expected, backend):
    unit, arrays = Vector(name, params, 0.0, options=options).build()
    terms = unit.penalties({n: BACKENDS[backend](v) for n, v in arrays.items()})
    for term, value in expected.items():
        assert float(terms[term]) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_losses(backend):
    t, y = (BACKENDS[backend](np.array(v)) for v in ((1.0, 2.0, 4.0), (1.5, 1.0, 5.0)))
    assert float(LOSSES["mse"].value(y, t)) == pytest.approx(0.75)
    assert float(LOSSES["mape"].value(y, t)) == pytest.approx(0.4166666667)
    assert float(LOSSES["pcc"].value(y, t)) == pytest.approx(0.098873033, abs=1e-9)


def test_wilson_interval():
    assert wilson(0, 100) == pytest.approx((0.0, 0.036993), abs=1e-6)
    assert wilson(100, 100) == pytest.approx((0.963007, 1.0), abs=1e-6)


@pytest.mark.parametrize(
    ("inputs", "outputs", "radius"),
    [
        (2, 1, 9.471406),
        (4, 2, 5.425508),
        (10, 1, 2.260468),
        (100, 1, 0.506593),
        (100, 10, 0.483869),
    ],
)
def test_radius_of_the_nac(inputs, outputs, radius):
    assert nac_radius(max(inputs + outputs, 5)) == pytest.approx(radius, abs=1e-6)
    init = NAC(inputs, outputs).parameters["w_hat"].init
    assert isinstance(init, Uniform)
    assert (-init.low, init.high) == pytest.approx((radius, radius), abs=1e-6)


def test_ramp():
    steps = np.array([19_999, 27_500, 35_000])
    assert Ramp(1.0, 20_000, 35_000).value(np, steps, np.nan).tolist() == [0.0, 0.5, 1.0]
