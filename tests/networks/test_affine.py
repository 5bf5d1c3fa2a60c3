"""A learnt affine map before and after a model."""

import numpy as np
import pytest
import sympy

import nalm
from nalm.errors import InputError, NotDiscreteError
from nalm.networks import Affine, between_affine
from nalm.training.description import decode, encode


def test_it_begins_as_the_identity():
    nmu = nalm.unit("nmu", 3, 2)
    model = between_affine(nmu)
    params = model.init(np.random.default_rng(0))
    x = np.random.default_rng(1).uniform(-2, 2, (5, 3))
    np.testing.assert_array_equal(model(params, x), nmu(params[1], x))
    assert model.sparsity_error(params) == nmu.sparsity_error(params[1])


def test_each_feature_has_its_own_scale_and_offset():
    params = {"weight": np.array([2.0, -1.0]), "bias": np.array([0.5, 3.0])}
    affine = Affine(2, 2)
    np.testing.assert_array_equal(
        affine(params, np.array([[1.0, 1.0], [4.0, -2.0]])), [[2.5, 2.0], [8.5, 5.0]]
    )
    a, b = sympy.symbols("a b")
    whole = {"weight": np.array([2.0, -1.0]), "bias": np.array([0.0, 3.0])}
    assert affine.formula(whole, ["a", "b"]) == (2 * a, 3 - b)
    with pytest.raises(NotDiscreteError, match="bias"):
        affine.formula(params)


def test_a_stack_keeps_one_map_on_each_side_and_can_be_written_down(tmp_path):
    stack = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))
    model = between_affine(stack)
    assert model.layers == (Affine(4, 4), *stack.layers, Affine(1, 1))
    assert decode(encode(model)) == model
    params = model.init(np.random.default_rng(0))
    nalm.save(model, tmp_path / "model.safetensors", params)
    loaded, again = nalm.load(tmp_path / "model.safetensors")
    assert loaded == model
    x = np.ones((1, 4))
    np.testing.assert_array_equal(loaded(again, x), model(params, x))


def test_it_gives_as_many_features_as_it_takes():
    with pytest.raises(InputError, match=r"received in_features=2 .* Use Affine\(2, 2\)"):
        Affine(2, 1)
