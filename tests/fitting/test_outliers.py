"""A few wrong rows: they are named, and the law is that of the others."""

import numpy as np
import pytest
from benchmarks.fit.families import FAMILIES
from benchmarks.fit.problem import data

import nalm
from nalm.errors import InputError
from nalm.fitting.evidence.assess import assess
from nalm.fitting.evidence.poles import has_hidden_pole
from nalm.fitting.rows import Rows
from nalm.fitting.search.suspects import suspects
from nalm.fitting.tree import ONE, Column, PowerProduct, WeightedSum, power_of

X = np.random.default_rng(0).uniform(1, 3, (150, 3))
Y = X[:, 0] * X[:, 1] / X[:, 2]
WRONG = {3: 40.0, 50: -3.0, 77: 9.0}


def spoiled(y, rows=WRONG):
    y = y.copy()
    y[list(rows)] = list(rows.values())
    return y


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_wrong_rows_are_named_and_left_out(noise):
    y = spoiled(Y + noise * np.random.default_rng(1).normal(size=150))
    law = nalm.fit(X, y, ["a", "b", "c"])
    assert law.verified
    assert law.text() == "a*b/c"
    assert [(o.row, o.value) for o in law.outliers] == list(WRONG.items())
    assert law.outliers[0].expected == pytest.approx(Y[3])
    assert law.outliers[1].error == pytest.approx(-3.0 - Y[50])
    assert "3 rows are outliers" in law.reason
    assert "rows 3, 50, 77" in str(law)
    assert law.error <= 1.1 * noise + 1e-12


def test_a_sound_table_has_no_outliers():
    law = nalm.fit(X, Y + 0.02 * np.random.default_rng(2).normal(size=150))
    assert law.verified
    assert law.outliers == ()


def test_a_slightly_wrong_row_is_an_outlier_of_an_exact_law():
    law = nalm.fit(X, spoiled(Y, {20: Y[20] * 1.001}), ["a", "b", "c"])
    assert law.outcome == "exact"
    assert [outlier.row for outlier in law.outliers] == [20]


def test_a_formula_that_is_0_over_0_at_a_row_does_not_explain_it():
    x = np.random.default_rng(0).uniform(1, 3, (60, 1))
    pole = WeightedSum(((1.0, Column(0)),), -float(x[7, 0]))
    law = PowerProduct(((Column(0), ONE), (pole, ONE), (pole, -ONE)))
    y = x[:, 0].copy()
    y[7] = 30.0
    assert not assess(law, Rows(x, y, np.ones(60)), 2.0**-53).exact
    almost = WeightedSum(((1.0, Column(0)),), -float(np.nextafter(x[7, 0], 4)))
    law = PowerProduct(((Column(0), ONE), (pole, ONE), (almost, -ONE)))
    y[7] = 0.0
    assert law.evaluate(x)[7] == 0
    assert not assess(law, Rows(x, y, np.ones(60)), 2.0**-53).exact


def test_a_law_with_outliers_is_saved(tmp_path):
    law = nalm.fit(X, spoiled(Y))
    law.save(tmp_path / "law.json")
    assert nalm.Law.load(tmp_path / "law.json") == law


def test_many_strange_rows_are_no_outliers():
    y = Y.copy()
    y[:40] = np.random.default_rng(0).uniform(0, 9, 40)
    law = nalm.fit(X, y, max_time=2)
    assert not law.verified
    assert law.outliers == ()


def test_suspects_are_those_no_smooth_function_goes_through():
    rows = Rows(X, spoiled(np.sin(2 * X[:, 0]) * X[:, 1]), np.ones(150))
    assert set(WRONG) <= set(suspects(rows, lambda: False).tolist())
    assert not len(suspects(rows, lambda: True))


def test_a_quotient_does_not_bend_to_one_wrong_row():
    x = np.random.default_rng(0).uniform(1, 5, (150, 2))
    y = x[:, 0] * x[:, 1] ** 2 / 2
    y[85] = 0.0
    law = nalm.fit(x, y, ["a", "b"])
    assert law.text() == "a*b**2/2"
    assert [outlier.row for outlier in law.outliers] == [85]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "outcome"),
    [(26, "within noise"), (131, "plausible"), (214, "exact")],
)
def test_some_tables_of_the_benchmark(number, outcome):
    problem = list(FAMILIES["outliers"](0))[number]
    rows = data(problem, 0)
    law = nalm.fit(rows.x, rows.y, problem.names)
    assert law.outcome == outcome  # two measured numbers in 3 % of noise take more rows
    assert {outlier.row for outlier in law.outliers} == set(rows.wrong.tolist())
    np.testing.assert_allclose(law.predict(rows.test_x), rows.test_y, rtol=0.05, atol=0.05)


# --- errors that are known -----------------------------------------------------------------------


def test_rows_count_by_their_errors():
    rng = np.random.default_rng(5)
    sigma = np.where(np.arange(150) % 2, 0.001, 1.0)
    y = 2 * X[:, 0] + X[:, 1] + sigma * rng.normal(size=150)
    law = nalm.fit({"a": X[:, 0], "b": X[:, 1], "s": sigma}, y, sigma="s")
    assert law.verified
    assert law.text() == "2*a + b"
    assert law.outliers == ()


def test_one_sigma_is_that_of_all_rows():
    y = X[:, 0] * X[:, 1] + np.random.default_rng(0).normal(0, 0.1, 150)
    assert nalm.fit(X, y, sigma=0.1).verified
    law = nalm.fit(X, y, sigma=0.01)
    assert (law.outcome, "times as large as sigma" in law.reason) == ("plausible", True)
    with pytest.raises(InputError, match="a finite number above 0; received 0 in row 0"):
        nalm.fit(X, y, sigma=0.0)


def test_errors_larger_than_sigma_leave_a_law_plausible():
    y = Y + 0.1 * np.random.default_rng(5).normal(size=150)
    assert nalm.fit(X, y, sigma=np.full(150, 0.1)).verified
    law = nalm.fit(X, y, sigma=np.full(150, 0.01))
    assert law.plausible
    assert "times as large as sigma" in law.reason


@pytest.mark.parametrize(
    ("sigma", "message"),
    [
        (0.0, "above 0; received 0 in row 4"),
        (-1.0, "received -1 in row 4"),
        (np.nan, "received nan in row 4"),
        (np.inf, "received inf in row 4"),
    ],
)
def test_impossible_errors_are_refused(sigma, message):
    errors = np.ones(150)
    errors[4] = sigma
    with pytest.raises(InputError, match=message):
        nalm.fit(X, Y, sigma=errors)
    with pytest.raises(InputError, match="sigma is one number per row"):
        nalm.fit(X, Y, sigma=[1.0, 2.0])


# --- poles ---------------------------------------------------------------------------------------


def test_a_pole_that_no_row_comes_near_is_hidden():
    pole = power_of(WeightedSum(((ONE, Column(0)),), -2.0), -ONE)
    apart = np.concatenate([np.linspace(1, 1.7, 40)])[:, None]
    across = np.linspace(1, 3, 40)[:, None]
    assert not has_hidden_pole(pole, Rows(across, across[:, 0], np.ones(40)))
    assert not has_hidden_pole(pole, Rows(apart, apart[:, 0], np.ones(40)))
    two = WeightedSum(((ONE, Column(0)), (-ONE, Column(1))))
    line = np.column_stack([apart[:, 0] + 0.5, apart[:, 0]])
    assert has_hidden_pole(power_of(two, -ONE), Rows(line, apart[:, 0], np.ones(40)))


@pytest.mark.parametrize(
    ("y", "options", "argument"), [("b", {}, "y"), (None, {"sigma": "b"}, "sigma")]
)
def test_a_name_without_named_columns_is_refused_as_what_it_is(y, options, argument):
    x = np.random.default_rng(0).uniform(1, 3, (20, 2))
    with pytest.raises(InputError, match=f"^{argument} may name a column of X if .* received 'b'"):
        nalm.fit(x, x[:, 0] if y is None else y, **options)
