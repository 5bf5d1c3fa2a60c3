"""Custom units: what the smallest one has, what is refused, and training in a worker process."""

from dataclasses import FrozenInstanceError, dataclass, replace
from math import isnan
from typing import Any, Literal

import numpy as np
import pytest

import nalm
import nalm.units
from nalm._internal import custom
from nalm.errors import InputError, NotDiscreteError, UnknownNameError
from nalm.networks import NETWORKS
from nalm.networks.saving import describe
from nalm.tasks import single_module
from nalm.training.description import encode
from nalm.training.recipe import Recipe
from nalm.units import TERNARY, Additive, Multiplicative, Parameter, Uniform, Unit, ops, option

START = Uniform(-0.5, 0.5)


class Smallest(Unit):
    """Two methods and nothing else."""

    @property
    def parameters(self):
        return {"weight": self.matrix(START)}

    def forward(self, xp, params, x, train, noise):
        return ops.linear(xp, x, params["weight"])


def test_a_unit_of_two_methods_has_everything():
    unit = Smallest(2, 1)
    params = unit.init(np.random.default_rng(0))
    assert unit.name == "smallest"
    assert (unit.papers, unit.represents, dict(unit.discrete), unit.ops) == ((), (), {}, ())
    assert unit(params, np.ones((3, 2))).shape == (3, 1)
    assert unit.effective(params) == params
    assert unit.penalties(params) == {}
    assert not unit.has_sparsity_error
    assert isnan(unit.sparsity_error(params))
    np.testing.assert_array_equal(unit.constrain(params)["weight"], params["weight"])
    with pytest.raises(NotDiscreteError, match=r"^Smallest has no formula\..*Additive"):
        unit.formula(params)
    with pytest.raises(UnknownNameError, match="it can: no operation exactly"):
        unit.exact("add")
    assert nalm.torch.Layer(unit).unit == unit
    assert repr(unit) == "Smallest(in_features=2, out_features=1)"


def test_a_family_adds_the_formula_and_the_sparsity_error():
    class Sum(Additive):
        discrete = {"weight": TERNARY}
        parameters = Smallest.parameters  # pyright: ignore[reportIncompatibleMethodOverride]
        forward = Smallest.forward

    params = {"weight": np.array([[1.0, -0.9]])}
    assert str(Sum(2, 1).formula(params)) == "(x1 - x2,)"
    assert float(Sum(2, 1).sparsity_error(params)) == pytest.approx(0.1)
    incomplete = type("Incomplete", (Sum,), {"represents": ("add",)})(2, 1)
    with pytest.raises(UnknownNameError, match=r"no method represent\(self, op, weight\)"):
        incomplete.exact("add")


def test_the_default_sparsity_error_is_the_largest_of_discrete_weights():
    class Two(Smallest):
        discrete = {"weight": TERNARY, "other": TERNARY}

        @property
        def parameters(self):
            other = Parameter((1,), START)
            return {"weight": self.matrix(START), "other": other, "free": other}

    params = {"weight": np.array([[1.0, 0.0]]), "other": np.array([0.7]), "free": np.array([9.5])}
    assert float(Two(2, 1).sparsity_error(params)) == pytest.approx(0.3)


@pytest.mark.parametrize("decorated", [False, True])
def test_options_are_fields_with_or_without_a_decorator(decorated):
    class Mine(Smallest):
        mode: Literal["a", "b"] = "a"
        scale: float = option(default=1.0, rule="a number above 0", valid=lambda value: value > 0)

    if decorated:
        Mine = dataclass(frozen=True)(Mine)
    unit: Any = Mine(2, 1, scale=2.0)
    assert unit == Mine(2, 1, "a", 2.0)
    assert hash(unit) == hash(Mine(2, 1, scale=2.0))
    assert replace(unit, mode="b") == Mine(2, 1, "b", 2.0)
    assert repr(unit).endswith("Mine(in_features=2, out_features=1, mode='a', scale=2.0)")
    with pytest.raises(FrozenInstanceError):
        unit.scale = 3.0
    with pytest.raises(InputError, match=r"scale of Mine must be a number above 0; received -1"):
        Mine(2, 1, scale=-1.0)
    with pytest.raises(UnknownNameError, match="no mode of Mine 'c'"):
        Mine(2, 1, mode="c")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("method", "instead"),
    [("penalties", "penalty_terms"), ("formula", "read"), ("__call__", "forward"), ("ops", None)],
)
def test_public_methods_are_final(method, instead):
    with pytest.raises(
        InputError, match=f"^Wrong cannot override {method}, which is final"
    ) as caught:
        type("Wrong", (Smallest,), {method: lambda self: None})
    assert str(caught.value).endswith(f" Write {instead} instead." if instead else "Symbolic.")


def test_what_a_family_fixes_is_final():
    with pytest.raises(InputError, match=r"cannot override read, .* derives from Multiplicative"):
        type("Wrong", (Multiplicative,), {"read": lambda self, read, x: []})


def test_wrong_declarations_are_refused_at_once():
    with pytest.raises(InputError, match="Write @property above it"):
        type("Wrong", (Unit,), {"parameters": lambda self: {}})
    with pytest.raises(InputError, match="represents is a tuple of operations; that of Wrong"):
        type("Wrong", (Unit,), {"represents": "add"})
    with pytest.raises(UnknownNameError, match="Did you mean 'sub'"):
        type("Wrong", (Unit,), {"represents": ("subb",)})
    with pytest.raises(TypeError, match="abstract"):
        type("Wrong", (Unit,), {})(2, 1)


def test_units_without_a_sparsity_error_are_those_that_say_so():
    without = {name for name, cls in nalm.units.REGISTRY.items() if not cls.has_sparsity_error}
    assert without == {"mlp", "nsr", "product", "quadratic"}
    assert {name for name, cls in NETWORKS.items() if not cls.has_sparsity_error} == {"frozen"}


def test_public_names_are_there():
    for name in nalm.units.__all__:
        assert hasattr(nalm.units, name), name
    for name in ops.__all__:
        assert getattr(ops, name).__doc__, name
    assert set(nalm.units.REGISTRY) == {cls.name for cls in nalm.units.REGISTRY.values()}
    with pytest.raises(TypeError):
        nalm.units.REGISTRY["mine"] = Smallest  # pyright: ignore[reportIndexIssue]


@pytest.mark.slow
def test_a_class_of_a_function_trains_in_a_worker():
    from making import Unwatched
    from nalm.sweeps.executors import Local, Order
    from nalm.training.packing import unpack
    from nalm.training.run import Run

    shift = 0.0

    class Mine(Smallest):
        def forward(self, xp, params, x, train, noise):
            return super().forward(xp, params, x, train, noise) + shift

    run = Run(Mine(2, 1), single_module("add"), Recipe(steps=1000), 0)
    described = encode(run.model)
    assert described == describe(run.model)
    assert described["class"] == "Mine"
    (text,) = custom.texts_in(described)
    assert "shift = 0.0" in text
    (finished,) = Local(1).execute([Order([run])], Unwatched())
    (curves,) = unpack(finished.packed[0])
    assert curves.validation[-1] < curves.validation[0]
