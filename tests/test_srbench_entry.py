"""The entry for SRBench does what SRBench's harness does with it."""

import inspect
import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sympy
from sklearn.base import RegressorMixin, clone
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

FOLDER = Path(__file__).parents[1] / "benchmarks" / "srbench" / "nalm"
NAMES = ["theta", "I", "E_n", "lambda"]  # as in the Feynman equations; sympy knows some of them
SYMBOLS = {name: sympy.Symbol(name) for name in NAMES}


@pytest.fixture(scope="module")
def entry():
    return runpy.run_path(str(FOLDER / "regressor.py"))


def trained(entry, noise) -> Any:
    """Train as `evaluate_model.py` does in its test mode."""
    rng = np.random.default_rng(0)
    X: Any = pd.DataFrame(rng.uniform(1, 3, (400, 4)), columns=NAMES)
    y = (X["I"] / (2 * X["E_n"] + X["theta"])).to_numpy()
    X, X_test, y, y_test = train_test_split(X, y, train_size=0.75, random_state=3)
    y = y + rng.normal(0, 1, len(y)) * noise * np.sqrt(np.mean(y**2))
    est: Any = clone(entry["est"])
    assert hasattr(est, "random_state")
    est.random_state = 860
    est.set_params(**entry["eval_kwargs"]["test_params"])
    est.fit(X, y)
    json.dumps(est.get_params())
    return est, X, X_test, y_test


def of_model(text, X):
    expression = sympy.parse_expr(text, local_dict=SYMBOLS)
    assert {str(s) for s in expression.free_symbols} <= set(NAMES)
    columns = [X[name].to_numpy() for name in NAMES]
    return sympy.lambdify(list(SYMBOLS.values()), expression)(*columns) * np.ones(len(X))


def test_the_files_are_those_that_srbench_asks_for():
    metadata = (FOLDER / "metadata.yml").read_text()
    assert [
        line for line in ("authors:", "name: nalm", "description: |") if line not in metadata
    ] == []
    assert (FOLDER / "install.sh").read_text().startswith("#!")


def test_the_law_is_found_and_written_with_the_names_of_the_table(entry):
    est, X, X_test, y_test = trained(entry, 0.0)
    assert list(inspect.signature(entry["model"]).parameters) == ["est", "X"]
    text = entry["model"](est, X)
    theta, i, e_n, _ = SYMBOLS.values()
    assert sympy.simplify(sympy.parse_expr(text, local_dict=SYMBOLS) - i / (2 * e_n + theta)) == 0
    assert r2_score(y_test, est.predict(X_test)) > 1 - 1e-12
    assert entry["get_best_solution"](est) is est


def test_every_formula_of_the_population_predicts_what_its_text_says(entry):
    est, X, X_test, _ = trained(entry, 0.05)
    population: list[Any] = entry["get_population"](est)
    assert 1 < len(population) <= 100
    assert all(isinstance(one, RegressorMixin) for one in population)
    for one in population:
        np.testing.assert_allclose(one.predict(X_test), of_model(entry["model"](one, X), X_test))
    np.testing.assert_array_equal(population[-1].predict(X_test), est.predict(X_test))
    assert len(est.law_.alternatives) == len(population)


def test_tables_without_names(entry):
    est, X, X_test, _ = trained(entry, 0.0)
    plain: Any = clone(est)
    plain.fit(X.to_numpy(), est.predict(X))
    assert set(map(str, sympy.sympify(entry["model"](plain)).free_symbols)) == {"x1", "x2", "x3"}
    np.testing.assert_allclose(plain.predict(X_test.to_numpy()), est.predict(X_test))
