"""A law is used with what it was fitted to: tables of every kind, files, networks, notebooks."""

import numpy as np
import pandas as pd
import pytest
import sympy
import torch

import nalm
import nalm.torch
from nalm.errors import InputError, ModelFileError, UnknownNameError
from nalm.fitting import Alternative
from nalm.fitting.law_file import save_laws

X = np.random.default_rng(0).uniform(1, 3, (80, 2))
Y = 2.5 * X[:, 0] / X[:, 1]
FRAME = pd.DataFrame(X, columns=["force", "area"])
ROW = {"force": 10.0, "area": 2.0}


@pytest.fixture(scope="module")
def law() -> nalm.Law:
    return nalm.fit(FRAME, Y)


@pytest.fixture(scope="module")
def noisy() -> nalm.Law:
    noise = np.random.default_rng(1).normal(0, 0.1, 200)
    x = np.random.default_rng(0).uniform(1, 3, (200, 2))
    return nalm.fit(x, 2 * x[:, 0] + x[:, 1] ** 2 + noise, ["a", "b"])


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (FRAME, ("force", "area")),
        (X, ("x1", "x2")),
        (X.tolist(), ("x1", "x2")),
        ({"force": X[:, 0], "area": X[:, 1].tolist()}, ("force", "area")),
        (torch.tensor(X), ("x1", "x2")),
        (FRAME.set_axis([0, 1], axis=1), ("0", "1")),
    ],
    ids=["frame", "array", "lists", "dictionary", "tensor", "numbered frame"],
)
def test_what_fit_takes_predict_takes(table, names):
    law = nalm.fit(table, list(Y))
    assert law.names == names
    assert law.outcome == "exact"
    np.testing.assert_allclose(law.predict(table), Y)
    np.testing.assert_allclose(law.alternatives[-1].predict(table), Y)


@pytest.mark.parametrize("column", [X[:, 0], X[:, :1], X[:, 0].tolist(), FRAME["force"]])
def test_one_column_alone(column):
    law = nalm.fit(column, 3 * X[:, 0] + 1)
    assert law.names == (("force",) if isinstance(column, pd.Series) else ("x1",))
    np.testing.assert_allclose(law.predict([1.0, 2.0]), [4.0, 7.0])


def test_columns_of_a_frame_are_found_by_name(law):
    other = FRAME.assign(note="text")[["note", "area", "force"]]
    np.testing.assert_allclose(law.predict(other), Y)
    np.testing.assert_allclose(law.predict(ROW), [12.5])
    np.testing.assert_allclose(law.predict([[10.0, 2.0]]), [12.5])
    assert law.predict(FRAME.iloc[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (FRAME.rename(columns={"area": "Area"}), "'area' is missing.*Rename"),
        ({"force": [1.0]}, "'area' is missing"),
        ([[1.0, 2.0, 3.0]], r"one column for each of 'force', 'area'; received 3 columns"),
        ([1.0, 2.0], r"received one dimension.*\[\[…\]\]"),
        (np.ma.masked_array(X), "masked"),
        ([["a", 1.0]], "numbers only; received 'a'"),
        ({"force": [1.0, 2.0], "area": [1.0]}, "one number per row"),
        ({"force": ["x"], "area": [1.0]}, "Column 'force' holds numbers only; received 'x'"),
    ],
)
def test_tables_that_do_not_fit_are_explained(law, table, message):
    with pytest.raises(InputError, match=message):
        law.predict(table)


def test_columns_that_the_formula_does_not_use_may_be_absent(law):
    wide = nalm.fit(FRAME.assign(label=np.arange(80.0) % 7), Y)
    assert wide.names == ("force", "area", "label")
    np.testing.assert_allclose(wide.predict(FRAME), Y)
    np.testing.assert_allclose(wide.predict(FRAME.assign(label="text")), Y)
    constant = nalm.fit(FRAME, np.full(80, 2.5))
    assert constant.predict({"area": [1.0, 2.0]}).tolist() == [2.5, 2.5]


def test_y_may_be_the_name_of_a_column():
    law = nalm.fit(FRAME.assign(stress=Y), "stress")
    assert law.names == ("force", "area")
    assert str(law).startswith("stress = 5*force/(2*area)\n")
    with pytest.raises(UnknownNameError, match=r"There is no column 'stres'.*'stress'"):
        nalm.fit(FRAME.assign(stress=Y), "stres")
    with pytest.raises(InputError, match="Pass a DataFrame"):
        nalm.fit(X, "stress")


@pytest.mark.parametrize("y", [pd.Series(Y, name="stress"), pd.DataFrame({"stress": Y})])
def test_a_law_has_the_name_of_y(y, tmp_path):
    law = nalm.fit(FRAME, y)
    assert law.equation == "stress = 5*force/(2*area)"
    assert "stress" in law._repr_html_()
    law.save(tmp_path / "law.json")
    assert nalm.Law.load(tmp_path / "law.json").target == "stress"


def test_the_text_is_that_of_the_expression(law):
    assert law.text() == str(law.expression)


def test_missing_values_are_counted_by_column():
    holes = FRAME.copy()
    holes.loc[[3, 5], "area"] = np.nan
    message = (
        r"Column 'area' holds finite numbers; received NaN \(missing\) in row 3 \(2 such rows\)"
    )
    with pytest.raises(InputError, match=message):
        nalm.fit(holes, Y)


def test_masked_and_sparse_tables_are_refused():
    from scipy.sparse import csr_array

    for table, message in ((np.ma.masked_array(X), "masked"), (csr_array(X), "toarray")):
        with pytest.raises(InputError, match=message):
            nalm.fit(table, Y)
    with pytest.raises(InputError, match="masked"):
        nalm.fit(X, np.ma.masked_array(Y))


def test_alternatives_can_be_used(noisy):
    first, *_, last = noisy.alternatives
    assert isinstance(first, Alternative)
    assert (last.tree, last.names) == (noisy.tree, noisy.names)
    assert first.complexity < last.complexity
    names = list(sympy.symbols("a b"))
    for alternative in noisy.alternatives:
        value = sympy.lambdify(names, alternative.expression)(1.5, 2.0)
        assert alternative.predict({"b": 2.0, "a": 1.5})[0] == pytest.approx(float(value))
        assert alternative.latex() == nalm.latex(alternative.expression)
        assert alternative.text() in repr(alternative)


def test_saved_and_loaded(noisy, law, tmp_path):
    for each in (noisy, law):
        each.save(tmp_path / "law.json")
        assert nalm.Law.load(tmp_path / "law.json") == each
    found = nalm.ArithmeticRegressor.load(tmp_path / "law.json")
    assert found.law_ == law
    save_laws(tmp_path / "two.json", [law, noisy])
    with pytest.raises(ModelFileError, match=r"has 2.*ArithmeticRegressor\.load"):
        nalm.Law.load(tmp_path / "two.json")
    (tmp_path / "law.json").write_text('{"format": 99, "laws": []}')
    with pytest.raises(ModelFileError, match="newer version"):
        nalm.Law.load(tmp_path / "law.json")
    with pytest.raises(FileNotFoundError, match="no file"):
        nalm.Law.load(tmp_path / "absent.json")


def test_a_law_is_a_module_of_a_float32_network(law):
    network = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softplus(), law.to_torch())
    loss = network(torch.randn(16, 4, generator=torch.Generator().manual_seed(0))).sum()
    loss.backward()
    assert all(p.grad is not None for p in network[0].parameters())
    values = law.to_torch()(torch.tensor(X))
    assert values.dtype == torch.float32
    np.testing.assert_allclose(values[:, 0], Y, rtol=1e-6)
    double = law.to_torch(torch.float64)
    np.testing.assert_allclose(double(torch.tensor(X))[:, 0], Y, rtol=1e-15)


def test_training_the_network_around_a_law_keeps_the_law(law):
    assert list(law.to_torch().parameters()) == []
    assert list(law.to_torch().state_dict()) == ["coefficients"]
    head = law.to_torch(trainable=True)
    head(torch.tensor(X)).sum().backward()
    assert [p.grad is not None for p in head.parameters()] == [True]


def test_the_network_of_units_of_a_law_can_be_read(law):
    stack, params = law.to_network()
    np.testing.assert_allclose(stack(params, X)[:, 0], Y, rtol=1e-6)
    network = nalm.torch.module(stack, params)
    assert nalm.torch.formula(network, ["a", "b"])[0] == sympy.sympify("5*a/(2*b)")


def test_to_jax_computes_the_law(law):
    model, params = law.to_jax()
    np.testing.assert_allclose(model(params, X)[:, 0], Y, rtol=1e-15)


def test_what_a_notebook_and_a_terminal_show(law, noisy):
    assert repr(law) == f"Law('5*force/(2*area)', outcome='exact', error={law.error:.3g}, noise=0)"
    formula, verdict, evidence = str(law).split("\n")
    assert formula == "5*force/(2*area)"
    assert verdict == "Verified, exact: all 8 held-out rows agree."
    assert evidence.endswith("over 80 rows; no noise beyond rounding.")
    assert r"\frac{5 \cdot \text{force}}{2 \cdot \text{area}}" in law._repr_latex_()
    html = law._repr_html_()
    assert html.startswith("<div><math")
    assert "Verified, exact: all 8 held-out rows agree." in html
    assert f"noise about {noisy.noise:.3g}" in str(noisy)


def test_what_was_not_found_is_not_shown_as_a_law():
    law = nalm.fit(X, np.random.default_rng(3).normal(size=80), ["<b>", "c"], max_time=0.2)
    assert "Not found: " in str(law)
    assert "best approximation" in str(law)
    assert "<b>" not in law._repr_html_()


def test_progress_of_a_search():
    events = []
    x = np.random.default_rng(0).uniform(1, 3, (100, 3))
    law = nalm.fit(
        x, x[:, 0] * x[:, 1] / (x[:, 1] + x[:, 2]), ["a", "b", "c"], progress=events.append
    )
    assert law.verified
    assert events[0].stage == "one unit"
    assert all(event.error >= 0 and event.seconds >= 0 and event.formula for event in events)


def test_progress_true_is_silent_when_it_is_quick_and_piped(capsys):
    nalm.fit(X, Y, progress=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("random_state", [-1, 1.5, "seed"])
def test_wrong_seeds_are_explained(random_state):
    with pytest.raises(InputError, match="random_state is a whole number of at least 0"):
        nalm.fit(X, Y, random_state=random_state)
