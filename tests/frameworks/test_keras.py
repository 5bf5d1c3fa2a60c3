"""What only Keras has: constraints and penalties inside of `fit`, model files, two backends."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nalm.keras
from frameworks.faces import keras
from nalm._internal.ops import to_numpy
from nalm.errors import UnknownNameError

ROOT = Path(__file__).parents[2]
OTHER = {"torch": "jax", "jax": "torch"}[keras.backend.backend()]


def test_fit_clamps_adds_penalties_and_ends_in_the_formula():
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).uniform(1, 2, (512, 2)).astype("float32")
    layer = nalm.keras.NMU(2, 1, scales={"discretise": 0.1})
    layer.params["weight"].assign([[0.6, 0.6]])
    penalty = 0.1 * float(to_numpy(layer.penalties()["discretise"]))
    layer(x, training=True)
    assert [float(to_numpy(v)) for v in layer.losses] == [pytest.approx(penalty)]
    layer(x, training=False)
    assert layer.losses == []
    model = keras.Sequential([layer])
    model.compile(optimizer=keras.optimizers.SGD(0.3), loss="mse")
    model.fit(x, x[:, :1] * x[:, 1:], batch_size=64, epochs=3, verbose=0)
    assert layer.numbers()["weight"].tolist() == [[1.0, 1.0]]
    assert str(nalm.keras.formula(model, ["a", "b"])[0]) == "a*b"


def test_a_model_file_of_keras_has_the_layer(tmp_path):
    model = keras.Sequential(
        [keras.Input((3,)), nalm.keras.NAU(3, 2, scales={"discretise": 0.5}), nalm.keras.NMU(2, 1)]
    )
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert repr(again.layers) == repr(model.layers)
    assert again.layers[0].scales == {"discretise": 0.5}
    x = np.ones((2, 3), "float32")
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    assert again.layers[1].params["weight"].constraint.high == 1.0


def test_functional_models_know_their_shapes():
    inputs = keras.Input((4, 3))
    outputs = nalm.keras.NMU(3, 2)(inputs)
    assert outputs.shape == (None, 4, 2)
    assert len(list(nalm.keras.layers(keras.Model(inputs, outputs)))) == 1


def test_half_precision_computes_in_single():
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        layer = nalm.keras.NAU(2, 1).exact_("add")
        assert float(to_numpy(layer(np.array([[257.0, 1.0]])))[0, 0]) == 258.0
    finally:
        keras.config.set_dtype_policy("float32")


def test_an_unknown_penalty_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'discretise'"):
        nalm.keras.NMU(2, 1, scales={"discretize": 1.0})


@pytest.mark.slow
def test_the_suite_holds_on_the_other_backend():
    environment = os.environ | {"KERAS_BACKEND": OTHER, "NALM_TEST_FACES": "keras"}
    chosen = "computes_the_same or fit or noise or model_file"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-k", chosen]
    command.append("tests/frameworks")
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def refusal(code: str, **environment: str) -> str:
    """Return the last line of what Python says to a program that fails."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    return run.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("package", "name"), [("flax", "Flax"), ("equinox", "Equinox"), ("keras", "Keras")]
)
def test_a_missing_package_is_one_sentence(package, name):
    said = refusal(f"import sys; sys.modules[{package!r}] = None; import nalm; nalm.{package}")
    assert said == f"ImportError: nalm.{package} needs {name}: pip install 'nalm[{package}]'"


@pytest.mark.slow
def test_a_backend_without_units_is_one_sentence():
    said = refusal("import nalm.keras", KERAS_BACKEND="numpy")
    assert "needs Keras on its jax or torch backend; it is on numpy. Set" in said
