"""Layers from given parameters: wrong ones are refused, and what a layer is stays what it is."""

import subprocess
import sys
from importlib import import_module

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import nalm
import nalm.flax
import nalm.keras
import nalm.torch
from frameworks.faces import FACES, keras
from nalm.errors import InputError, UnknownNameError
from nalm.units import TERNARY, Additive, ops

MODULES = {name: face.module for name, face in FACES.items()} | {"torch": nalm.torch}
over_modules = pytest.mark.parametrize("module", MODULES.values(), ids=list(MODULES))
NMU = nalm.unit("nmu", 2, 1)

CUSTOM = """
from nalm.units import TERNARY, Additive, Uniform, ops


class SignedSum(Additive):
    represents = ("add",)
    discrete = {"weight": TERNARY}

    @property
    def parameters(self):
        return {"weight": self.matrix(Uniform(-1.0, 1.0))}

    def forward(self, xp, params, x, train, noise):
        return ops.linear(xp, x, params["weight"])

    def represent(self, op, weight):
        return {"weight": weight}
"""


@over_modules
@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"weights": np.ones((1, 2))}, r"parameters \['weight'\]; received \['weights'\]"),
        ({"weight": np.ones((1, 3))}, r"has shape \(1, 2\); received \(1, 3\)"),
        ({"weight": np.ones((1, 2)), "gate": np.ones(2)}, r"received \['gate', 'weight'\]"),
        (np.ones((1, 2)), "received ndarray"),
    ],
    ids=["name", "shape", "more", "array"],
)
def test_wrong_parameters_are_refused(module, params, said):
    with pytest.raises(InputError, match=said):
        module.module(NMU, params)


@over_modules
def test_whole_numbers_become_parameters_that_can_be_trained(module):
    layer = module.module(NMU, {"weight": [[1, 0]]})
    weight = layer.numbers()["weight"]
    assert weight.dtype.kind == "f"
    assert weight.tolist() == [[1.0, 0.0]]
    assert str(layer.formula(["a", "b"])[0]) == "a"


@over_modules
def test_parameters_keep_their_precision(module):
    params = {"weight": np.full((1, 2), 0.1, "float32")}
    assert module.module(NMU, params).numbers()["weight"].dtype == "float32"


def unit_with(parameter: str) -> Additive:
    """Return a unit whose parameter has this name."""

    class Named(Additive):
        represents = ("add",)
        discrete = {parameter: TERNARY}

        @property
        def parameters(self):
            return {parameter: self.matrix(nalm.units.Uniform(-1.0, 1.0))}

        def forward(self, xp, params, x, train, noise):
            return ops.linear(xp, x, params[parameter])

    return Named(2, 1)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (nalm.flax, "unit"),
        (nalm.flax, "deterministic"),
        (nalm.flax, "formula"),
        (nalm.torch, "unit"),
        (nalm.torch, "training"),
        (nalm.torch, "formula"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_parameter_named_like_an_attribute_of_its_layer_is_refused(module, name):
    with pytest.raises(InputError, match=f"received '{name}' of Named. Rename the parameter"):
        module.module(unit_with(name))


@pytest.mark.parametrize("framework", ["equinox", "keras"])
def test_layers_that_keep_parameters_apart_take_every_name(framework):
    module = MODULES.get(framework)
    if module is None:
        pytest.skip("another framework is tested")
    layer = module.module(unit_with("formula"), {"formula": np.ones((1, 2))})
    assert layer.numbers()["formula"].tolist() == [[1.0, 1.0]]


def test_a_named_layer_is_jitted_and_mapped_by_equinox():
    layer = eqx.nn.inference_mode(nalm.equinox.NMU(2, 1, key=jax.random.key(0)).exact("mul"))
    x = jnp.array([[2.0, 3.0], [4.0, 5.0]])
    assert eqx.filter_jit(layer)(x).tolist() == [[6.0], [20.0]]
    assert eqx.filter_vmap(layer)(x).tolist() == [[6.0], [20.0]]


def test_a_named_layer_is_jitted_and_mapped_by_flax():
    layer = nalm.flax.NMU(2, 1, rngs=nnx.Rngs(0)).exact_("mul")
    layer.eval()
    x = jnp.array([[2.0, 3.0], [4.0, 5.0]])
    assert nnx.jit(layer)(x).tolist() == [[6.0], [20.0]]
    mapped = nnx.vmap(lambda layer, x: layer(x), in_axes=(None, 0))
    assert mapped(layer, x).tolist() == [[6.0], [20.0]]
    assert nnx.vmap(layer)(x).tolist() == [[6.0], [20.0]]


def test_the_scales_of_a_keras_layer_are_checked_when_they_are_set():
    layer = nalm.keras.NMU(2, 1)
    layer.scales = {"discretise": 0.5}
    with pytest.raises(UnknownNameError, match="Did you mean 'discretise'"):
        layer.scales = {"discretize": 1.0}
    with pytest.raises(TypeError):
        layer.scales["discretize"] = 1.0
    assert layer.scales == {"discretise": 0.5}


def test_a_model_file_of_keras_keeps_what_is_not_trained(tmp_path):
    frozen = nalm.keras.NAU(2, 2, trainable=False)
    model = keras.Sequential([keras.Input((2,)), frozen, nalm.keras.NMU(2, 1)])
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert [layer.trainable for layer in again.layers] == [False, True]
    assert len(again.trainable_variables) == 1


@pytest.mark.slow
def test_a_model_file_of_keras_with_a_custom_unit_needs_its_class(tmp_path, monkeypatch):
    """In a new process: one sentence while the class is not imported, then the model."""
    (tmp_path / "signed_sum.py").write_text(CUSTOM)
    monkeypatch.syspath_prepend(tmp_path)
    layer = nalm.keras.Layer(import_module("signed_sum").SignedSum(2, 1)).exact_("add")
    keras.Sequential([keras.Input((2,)), layer]).save(tmp_path / "model.keras")
    code = """
import keras, nalm.keras
try:
    keras.saving.load_model("model.keras")
except ValueError as error:
    print(error)
import signed_sum
print(nalm.keras.formula(keras.saving.load_model("model.keras")))
"""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "A model file of Keras with the custom unit SignedSum needs its class; it is not defined "
        "here. Import it before the file is loaded.",
        "(x1 + x2,)",
    ]
