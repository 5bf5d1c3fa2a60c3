"""The scikit-learn estimator: the library's own checks, and what is ours."""

from itertools import count

import numpy as np
import pandas as pd
import pytest
import sympy
import torch
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import nalm
import nalm.torch
from nalm import ArithmeticRegressor
from nalm.errors import InputError, ModelFileError
from nalm.fitting.regressor import model
from nalm.fitting.search import search

QUESTIONS_A_SECOND = 100


@parametrize_with_checks([ArithmeticRegressor(max_time=0.5)])
def test_scikit_learn_checks(estimator, check, monkeypatch):
    """The check of the array API skips itself unless SciPy is built for it; all others run.

    Some checks ask two fits for the same result, so time is counted in questions for it.
    """
    questions = count()
    monkeypatch.setattr(search, "monotonic", lambda: next(questions) / QUESTIONS_A_SECOND)
    check(estimator)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    names = ["mass [kg]", "N", "lambda", "exec"]
    return pd.DataFrame(rng.uniform(1, 3, (150, 4)), columns=names)


@pytest.fixture(scope="module")
def found(frame):
    y = frame["mass [kg]"] * frame["N"] ** 2 / 2 + 1.5 * frame["lambda"]
    return ArithmeticRegressor().fit(frame, y)


def test_names_of_columns_are_those_of_the_formula(found, frame):
    mass, n, other = (sympy.Symbol(name) for name in ("mass [kg]", "N", "lambda"))
    assert sympy.expand(found.expression_ - (mass * n**2 / 2 + sympy.Rational(3, 2) * other)) == 0
    assert found.verified_
    assert found.noise_ == 0
    assert list(found.feature_names_in_) == list(frame.columns)
    assert r"\text{mass [kg]}" in found.latex()
    assert "mass [kg]" in model(found, frame)


def test_the_network_computes_the_formula_and_reads_it_again(found, frame):
    x = frame.to_numpy()
    stack, params = found.to_network()
    np.testing.assert_allclose(np.asarray(stack(params, x))[:, 0], found.predict(frame), rtol=1e-6)
    network = nalm.torch.module(stack, params)
    values = network(torch.tensor(x))
    np.testing.assert_allclose(values.detach().numpy()[:, 0], found.predict(frame), rtol=1e-6)
    read = nalm.torch.formula(network, list(frame.columns))[0]
    assert sympy.expand(read - found.expression_) == 0


@pytest.mark.parametrize("units", [False, True])
def test_the_formula_can_be_tuned(found, frame, units):
    x = torch.tensor(frame.to_numpy())
    network = found.to_torch(torch.float64, trainable=True)
    if units:
        network = nalm.torch.module(*found.to_network())
    target = 1.1 * network(x).detach()
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    losses = []
    for _ in range(200):
        loss = torch.mean((network(x) - target) ** 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.05 * losses[0]


def test_saved_and_loaded(found, frame, tmp_path):
    file = tmp_path / "law.json"
    found.save(file)
    again = ArithmeticRegressor.load(file)
    assert again.expression_ == found.expression_
    np.testing.assert_array_equal(again.predict(frame), found.predict(frame))
    file.write_text("{}")
    with pytest.raises(ModelFileError, match="not a file of laws"):
        ArithmeticRegressor.load(file)


def test_several_results(frame):
    y = np.column_stack([frame["N"] + frame["exec"], frame["N"] / frame["exec"]])
    found = ArithmeticRegressor().fit(frame, y)
    assert found.predict(frame).shape == (150, 2)
    assert [str(e) for e in found.expression_] == ["N + exec", "N/exec"]
    model, params = found.to_jax()
    np.testing.assert_allclose(model(params, frame.to_numpy()), y, rtol=1e-12)
    network = found.to_torch(torch.float64)
    np.testing.assert_allclose(network(torch.tensor(frame.to_numpy())), y, rtol=1e-12)
    assert "N + exec" in repr(network)


def test_pipelines_searches_and_cross_validation():
    x = np.random.default_rng(0).uniform(1, 3, (120, 2))
    y = x[:, 0] / x[:, 1]
    scores = cross_val_score(
        make_pipeline(FunctionTransformer(), ArithmeticRegressor()), x, y, cv=3
    )
    assert scores == pytest.approx(np.ones(3))
    search = GridSearchCV(ArithmeticRegressor(), {"effort": [1, 2]}, cv=3).fit(x, y)
    assert search.best_estimator_.verified_


def test_wrong_settings_are_explained():
    x = np.ones((10, 2))
    with pytest.raises(InputError, match="seconds above 0"):
        ArithmeticRegressor(max_time=0).fit(x, np.ones(10))
    with pytest.raises(InputError, match="at least 1"):
        ArithmeticRegressor(effort=0).fit(x, np.ones(10))
