"""The common suite of Flax, Equinox and Keras: every unit is a layer that computes the same."""

import inspect

import numpy as np
import pytest

import nalm
from cases import CASES, DEFAULTS, random_input, random_params
from frameworks.faces import FACES
from nalm._internal.ops import to_numpy
from nalm.errors import InputError, NotDiscreteError, UnknownNameError, ZeroDivisorError
from nalm.units import Stochastic, Unit

over_faces = pytest.mark.parametrize("face", FACES.values(), ids=list(FACES))
over_units = pytest.mark.parametrize("unit", DEFAULTS, ids=lambda unit: unit.name)


def numbers(values) -> np.ndarray:
    return to_numpy(values)


@over_faces
@over_units
def test_a_unit_is_a_layer_that_computes_the_same(face, unit: Unit, tmp_path):
    layer = face.layer(unit, random_params(unit))
    x = random_input(unit)
    params = layer.numbers()
    assert params.keys() == unit.parameters.keys() == face.parameter_names(layer)
    np.testing.assert_allclose(face.evaluate(layer, x), unit(params, x), rtol=1e-9, atol=1e-12)

    expected = unit.penalties(params)
    found = face.module.penalties(layer)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        assert numbers(value) == pytest.approx(float(expected[name]), rel=1e-6)
    assert numbers(found["z"]) == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'discretise'"):
        _ = found["discretize"]
    error = numbers(face.module.sparsity_error(layer))
    assert error == pytest.approx(float(unit.sparsity_error(params)), nan_ok=True)

    face.module.save(layer, tmp_path / "model")
    again = face.module.load(tmp_path / "model")
    assert again.unit == unit
    for name, value in again.numbers().items():
        np.testing.assert_array_equal(value, params[name])
    saved, stored = nalm.load(tmp_path / "model")
    np.testing.assert_array_equal(saved(stored, x), unit(params, x))


@over_faces
@over_units
def test_weights_are_clamped_and_formulas_read(face, unit: Unit):
    rng = np.random.default_rng(0)
    wide = {n: 3 * rng.standard_normal(p.shape) for n, p in unit.parameters.items()}
    layer = face.constrained(face.layer(unit, wide))
    for name, value in unit.constrain(wide).items():
        np.testing.assert_array_equal(layer.numbers()[name], value)
    for op in unit.ops[:1]:
        exact = face.exact(face.layer(unit), op)
        assert exact.formula() == unit.formula(unit.exact(op))


@over_faces
@over_units
def test_each_unit_has_a_layer_class_with_its_signature(face, unit: Unit):
    layer = face.named(type(unit).__name__)
    assert layer.unit == unit
    names = list(inspect.signature(type(unit)).parameters)
    assert list(inspect.signature(type(layer)).parameters)[: len(names)] == names
    assert repr(layer).startswith(f"{type(unit).__name__}(3, 2")
    assert type(unit).__name__ in dir(face.module)
    for name, parameter in layer.numbers().items():
        low, high = unit.parameters[name].bounds or (-np.inf, np.inf)
        assert np.all((low <= parameter) & (parameter <= high))


@over_faces
def test_stochastic_layers_draw_fresh_noise_in_training_only(face):
    stochastic = [unit for unit in CASES if isinstance(unit, Stochastic)]
    assert len(stochastic) >= 4
    for unit in stochastic:
        layer, x = face.layer(unit, random_params(unit)), random_input(unit)
        assert not np.array_equal(face.train(layer, x, 0), face.train(layer, x, 1))
        np.testing.assert_array_equal(face.evaluate(layer, x), face.evaluate(layer, x))


@over_faces
def test_noise_has_the_declared_distribution(face):
    """With weight 1/2 and input 2 the stochastic NMU gives (2n + 1) / (n + 1) for noise n."""
    unit = nalm.unit("snmu", 1, 1, noise_range=(2.0, 3.0))
    layer = face.layer(unit, {"weight": np.array([[0.5]])})
    y = numbers(face.train(layer, np.full((4000, 1), 2.0), 0))
    drawn = (y - 1) / (2 - y)
    assert 2 <= drawn.min() < 2.01
    assert 2.99 < drawn.max() <= 3
    assert drawn.mean() == pytest.approx(2.5, abs=0.03)


@over_faces
def test_formulas_of_whole_models(face, tmp_path):
    first = face.exact(face.layer(nalm.unit("nau", 2, 2)), "add")
    last = face.exact(face.layer(nalm.unit("nmu", 2, 1)), "mul")
    net = face.joined(first, last)
    assert str(face.module.formula(net, ["a", "b"])[0]) == "(a + b)**2"
    assert face.module.latex(net, ["a", "b"]) == (r"\left(a + b\right)^{2}",)
    assert len(face.module.save(net, tmp_path / "net")) == 2
    again = face.module.load(tmp_path / "net")
    assert face.module.formula(again) == face.module.formula(net)
    x = np.array([[2.0, 3.0]])
    assert numbers(face.evaluate(again, x)).tolist() == [[25.0]]
    mixed = face.joined(first, face.other(), last)
    assert [str(f[0]) for f in face.module.formulas(mixed).values()] == ["h1 + h2", "h1*h2"]
    assert len(list(face.module.layers(mixed))) == 2
    with pytest.raises(InputError, match="2 arithmetic parts, and nothing says"):
        face.module.formula(mixed)


@over_faces
def test_wrong_input_says_what_was_expected(face):
    layer = face.layer(nalm.unit("nmu", 2, 1), {"weight": np.array([[0.5, 0.4]])})
    with pytest.raises(NotDiscreteError, match=r"NMU has weight\[0, 0\]"):
        face.module.formula(layer)
    with pytest.raises(InputError, match="takes inputs whose last"):
        face.evaluate(layer, np.ones((1, 3)))
    with pytest.raises(InputError, match="received str"):
        face.module.formula("model")
    with pytest.raises(InputError, match="made from a unit"):
        face.layer("nmu")
    with pytest.raises(InputError, match="no arithmetic layer"):
        face.module.formula(face.joined(face.other()))
    with pytest.raises(AttributeError, match="Did you mean 'NMU'"):
        _ = face.module.NMX
    divider = face.exact(face.layer(nalm.unit("nru", 2, 1)), "div")
    with pytest.raises(ZeroDivisorError, match="divides by input 1"):
        face.evaluate(divider, np.array([[1.0, 0.0]]))
