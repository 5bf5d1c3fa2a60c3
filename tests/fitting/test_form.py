"""Known forms with unknown constants: what is read, what is found, what is refused."""

from contextlib import suppress

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import nalm
from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.fitting.form.form import form_of, formula_of
from nalm.fitting.tree.folding import folded
from nalm.fitting.tree.text import written

RNG = np.random.default_rng(0)
T = RNG.uniform(0.1, 5, 200)
NOISE = RNG.normal(0, 1, 200)


def fitted(y: np.ndarray, form: object, **options) -> nalm.Law:
    return nalm.fit({"t": T}, y, form=form, **options)


def values(law: nalm.Law) -> dict[str, float]:
    return {c.name: float(c.value) for c in law.constants}


def test_a_decay_without_noise_is_exact():
    law = fitted(2.5 * np.exp(-0.7 * T) + 1 / 3, "a*exp(-b*t) + c")
    assert (law.outcome, str(law).splitlines()[0]) == ("exact", "5*exp(-0.7*t)/2 + 1/3")
    assert all(c.exact and c.error == 0 for c in law.constants)
    assert [c.name for c in law.constants] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("form", "truth", "noise"),
    [
        ("a*exp(-b*t) + c", {"a": 2.5, "b": 0.7, "c": 0.3}, 0.02),
        ("V*t/(K + t)", {"V": 3.0, "K": 0.31}, 0.01),
        ("a*t**n", {"a": 4e5, "n": 1.713}, 1e3),
        ("a*b**t", {"a": 2.0, "b": 0.6}, 0.01),
        ("a*exp(-b*t) + a", {"a": 2.5, "b": 0.7}, 0.02),
        ("a*tanh(t/b)", {"a": 5.0, "b": 2.0}, 0.02),
    ],
)
def test_constants_in_noise_are_within_their_errors(form, truth, noise):
    tree = form_of(form, ["t"]).with_values([truth[c] for c in form_of(form, ["t"]).constants])
    law = fitted(tree.evaluate(T[:, None]) + noise * NOISE, form)
    assert law.verified, law
    for constant in law.constants:
        assert abs(float(constant.value) - truth[constant.name]) < 4 * constant.error
        low, high = constant.interval
        assert low < float(constant.value) < high


def test_a_fast_oscillation_is_found():
    """A sine with the opposite sign and half a turn more is the same."""
    law = fitted(1.3 * np.sin(17.3 * T + 0.4) + 0.05 * NOISE, "a*sin(w*t + p)")
    amplitude, frequency, _ = law.constants
    assert law.verified
    assert abs(float(amplitude.value)) == pytest.approx(1.3, abs=4 * amplitude.error)
    assert abs(float(frequency.value)) == pytest.approx(17.3, abs=4 * frequency.error)


def test_intervals_hold_the_constant_as_often_as_they_say():
    """Of 60 intervals of 95 %, three each of 20 fits, 51 to 59 hold the truth."""
    hits = 0
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, 0.1, len(T))
        law = fitted(2 * T**2 - 3 * T + 1 + noise, "a*t**2 + b*t + c")
        truth = {"a": 2, "b": -3, "c": 1}
        hits += sum(c.interval[0] <= truth[c.name] <= c.interval[1] for c in law.constants)
    assert 51 <= hits < 60


def test_a_sympy_expression_is_the_same_as_its_text():
    t, v, k = sympy.symbols("t V K")
    y = 3 * T / (0.5 + T) + 0.01 * NOISE
    law, same = fitted(y, v * t / (k + t)), fitted(y, "V*t/(K + t)")
    assert values(law) == pytest.approx(values(same), rel=1e-8)


def test_a_form_that_does_not_fit_is_not_found():
    law = fitted(T**2, "a*t + b")
    assert (law.outcome, law.verified) == ("not found", False)
    assert law.reason.startswith("the form does not fit")


def test_constants_that_rows_do_not_determine_are_said():
    law = fitted(2 * T, "a*b*t")
    assert law.outcome == "plausible"
    assert all(c.error == np.inf for c in law.constants)
    assert "not determined by the rows" in str(law)


def test_columns_of_any_name():
    table = {"time [s]": T, "e": T + 1}
    law = nalm.fit(table, 2 * T + 3 * (T + 1) ** 2, form="a*`time [s]` + b*e**2")
    assert values(law) == {"a": 2.0, "b": 3.0}


def test_fixed_numbers_and_pi_stay():
    law = fitted(3 * np.sin(2 * np.pi * T), "a*sin(2*pi*t)")
    assert str(law.expression) == "3*sin(2*pi*t)"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("", "received nothing"),
        ("a*", "does not parse at its end"),
        ("a*(t", "does not parse at its end"),
        ("2t*a", r"does not parse at 't', position 2"),
        ("a.b*t", r"does not parse at '\.'"),
        ("t = a", "right side of an equation alone"),
        ("2*t", "at least one unknown constant"),
        ("a + b", "uses a column"),
        ("a/0*t", "divides by 0"),
        ("a*T", "no column 'T'. Did you mean 't'"),
        ("a*`q`", "no column 'q'"),
        ("a*wave(t)", "no function 'wave'"),
        ("t**5000*a", "more than 3 digits"),
        ("(" * 90 + "a", "at most 60 brackets"),
        ("a*t" + " " * 6000, "at most 5,000 letters"),
        (7, "text or a sympy expression"),
        (sympy.Symbol("a") * sympy.gamma(sympy.Symbol("t")), "received gamma"),
    ],
)
def test_wrong_forms_are_refused_in_one_sentence(form, message):
    with pytest.raises(NalmError, match=message):
        fitted(T, form)


def test_unknown_columns_of_tables_without_names():
    with pytest.raises(UnknownNameError, match="no column 'x2'"):
        nalm.fit(T, 2 * T, form="a*x1 + b*x2")


@settings(max_examples=150)
@given(st.text(alphabet="atx019.+-*/^()` e\n|=é_", max_size=25))
def test_no_text_does_anything_but_parse_or_fail(text):
    with suppress(NalmError):
        form_of(text, ["t", "x"])


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("-(2*(3*t))", "-6*t"),
        ("t - (1 - t*2)", "t + 2*t - 1"),
        ("t/2/3", "t/6"),
        ("sqrt(2)*t/2", "sqrt(2)*t/2"),
        ("3*(t*2)**2", "12*t**2"),
        ("2**t", "(2)**t"),
    ],
)
def test_numbers_are_multiplied_out(text, short):
    assert written(folded(formula_of(text, ["t"])), ["t"]) == short


def test_few_rows_are_refused_or_plausible():
    law = nalm.fit({"t": [1.0, 2.0, 3.0]}, [2.0, 4.0, 6.1], form="a*t")
    assert law.outcome == "plausible"
    with pytest.raises(InputError, match="at least 2 rows"):
        nalm.fit({"t": [1.0]}, [2.0], form="a*t")


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_wrong_rows_are_named_and_change_no_constant(noise):
    y = 2.5 * np.exp(-0.7 * T) + 0.25 + noise * NOISE
    y[[3, 40, 77]] *= [3, -1, 8]
    law = fitted(y, "a*exp(-b*t) + c")
    assert law.verified
    assert [outlier.row for outlier in law.outliers] == [3, 40, 77]
    assert law.reason.endswith("3 rows are outliers")
    for constant in law.constants:
        truth = {"a": 2.5, "b": 0.7, "c": 0.25}[constant.name]
        assert abs(float(constant.value) - truth) <= 4 * constant.error


def test_a_form_no_better_than_a_constant_is_not_found():
    law = fitted(NOISE, "a*t + b")
    assert (law.outcome, law.reason) == ("not found", "the form fits no better than a constant")


def test_a_weak_trend_is_still_a_trend():
    assert fitted(0.5 * T + NOISE, "a*t + b").verified


@pytest.mark.parametrize("seed", range(3))
def test_few_rows_do_not_verify_a_wrong_form(seed):
    x = np.random.default_rng(seed).uniform(1, 3, 9)
    assert not nalm.fit({"x": x}, x**2, form="a*x + b").verified


def test_errors_of_a_form_larger_than_sigma_are_said():
    law = fitted(2 * T + NOISE, "a*t", sigma=np.full(200, 0.01))
    assert law.outcome == "plausible"
    assert "times as large as sigma says" in law.reason
    assert fitted(2 * T + NOISE, "a*t", sigma=np.ones(200)).verified


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_the_same_where_results_span_many_powers_of_ten(seed):
    t = np.linspace(0, 10, 200)
    y = 5 * np.exp(-3 * t) + np.random.default_rng(seed).normal(0, 0.05, 200)
    law = nalm.fit({"t": t}, y, form="A*exp(-b*t)")
    assert law.verified, law
    assert law.noise == pytest.approx(0.05, rel=0.2)


def test_constants_are_fitted_to_all_rows():
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 5, 8000)
    y = 2 * t + 1 + rng.normal(0, 0.1, len(t))
    law = nalm.fit({"t": t}, y, form="a*t + b")
    (slope, shift), covariance = np.polyfit(t, y, 1, cov=True)
    assert values(law) == pytest.approx({"a": slope, "b": shift}, rel=1e-6)
    found = [constant.error for constant in law.constants]
    assert found == pytest.approx(np.sqrt(np.diag(covariance)), rel=0.01)


def test_the_error_does_not_depend_on_sigma():
    sigma = np.linspace(0.01, 1, 200)
    law = fitted(2 * T + sigma * NOISE, "a*t", sigma=sigma)
    assert law.outliers == ()
    truth = law.predict({"t": T}) - (2 * T + sigma * NOISE)
    assert law.error == pytest.approx(float(np.sqrt(np.mean(truth**2))))


@pytest.mark.parametrize(
    "form",
    [
        "1e999*a*t",
        "a*t/1e-400",
        10**400 * sympy.Symbol("a") * sympy.Symbol("t"),
        sympy.Float("1e400") * sympy.Symbol("a") * sympy.Symbol("t"),
        "10**99*10**99*10**99*10**99*a*t",
    ],
)
def test_numbers_beyond_floating_point_are_refused(form):
    with pytest.raises(InputError):
        fitted(T, form)


def test_a_column_that_does_not_vary_is_no_error():
    law = nalm.fit({"x": np.ones(100)}, T[:100], form="a*x")
    assert not law.verified


def test_a_column_by_its_name_without_the_unit():
    x = np.linspace(1, 3, 40)
    table = {"t [s]": x, "n (1)": x**2 + 1}
    law = nalm.fit(table, 3 * x**2 + 0.25, form="a*t² + b")
    assert law.text() == "3*`t [s]`**2 + 1/4"
    law = nalm.fit(table, 2 * x**3 - (x**2 + 1), form="a*t³ − b·n")
    assert [c.value for c in law.constants] == [2, 1]
    twice = {"t [s]": x, "t (h)": x**2}
    with pytest.raises(InputError, match="Did you mean"):
        nalm.fit(twice, x, form="a*t")


def test_a_left_side_of_any_kind_is_refused_as_one():
    with pytest.raises(InputError, match="right side of an equation alone"):
        nalm.fit({"t": T}, T, form="signal (mV) = a*t")
    law = nalm.fit({"x=1": T}, 2 * T, form="a*`x=1`")
    assert law.verified
