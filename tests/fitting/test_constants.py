"""The numbers of a law: errors, intervals, π, e and roots, hints, natural forms."""

from fractions import Fraction
from math import e, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nalm
from nalm.fitting.constants import Constant, constant
from nalm.fitting.evidence.closed_numbers import closed_number
from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.json_form import decoded_number, encoded_number

X = np.random.default_rng(0).uniform(1, 3, (200, 2))
A, B = X.T
NOISE = np.random.default_rng(1).normal(0, 1, 200)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (4 * pi / 3 * A**3, "4*pi*a**3/3"),
        (sqrt(2) * A / B, "sqrt(2)*a/b"),
        (A / (2 * pi * B), "a/(2*pi*b)"),
        (10 * A, "10*a"),
    ],
)
def test_pi_and_roots_are_recognised(y, text, tmp_path):
    law = nalm.fit({"a": A, "b": B}, y)
    assert law.text() == text
    np.testing.assert_allclose(law.predict(X), y, rtol=1e-12)
    law.save(tmp_path / "law.json")
    loaded = nalm.Law.load(tmp_path / "law.json")
    assert loaded == law
    assert str(loaded.expression) == str(law.expression)


def test_measured_numbers_have_errors_and_hints():
    law = nalm.fit({"a": A, "b": B}, 9.80665 * A * B**2 + 0.05 * NOISE, functions="arithmetic")
    (constant,) = law.constants
    if not constant.exact:
        assert 0 < constant.error < 0.01
        assert constant.interval[0] < 9.80665 < constant.interval[1]
    assert constant.hint is not None
    assert constant.hint.startswith("standard gravity")
    assert "standard gravity" in str(law)


def test_digits_decide_whether_a_number_is_a_multiple_of_pi():
    assert closed_number(pi**2, 1e-9) == Closed(Fraction(1), Fraction(2))
    assert closed_number(9.87, 0.01) is None
    assert closed_number(10.0, 0.2) is None
    assert str(closed_number(e / 2, 1e-12)) == "exp(1)/2"
    assert closed_number(0.0, 1.0) is None
    assert closed_number(float("inf"), 1.0) is None


def test_random_numbers_are_no_multiples_of_pi():
    """With ten digits none of 100 random numbers is; a rate above 3 % would likely show."""
    values = 10 ** np.random.default_rng(3).uniform(-2, 2, 100)
    assert [v for v in values.tolist() if closed_number(v, 1e-10 * v)] == []


@settings(max_examples=60)
@given(
    st.fractions(min_value=-60, max_value=60, max_denominator=12).filter(bool),
    st.integers(-4, 4),
    st.sampled_from([-1, 0, 1]),
    st.sampled_from([1, 2, 3, 5]),
)
def test_exact_numbers_keep_their_value_everywhere(fraction, pi_power, e_power, root):
    number = Closed(fraction, Fraction(pi_power, 2), Fraction(e_power), root)
    assert float(number.to_sympy().evalf(30)) == pytest.approx(float(number), rel=1e-14)
    decoded = decoded_number(encoded_number(number))
    assert isinstance(decoded, Closed)
    assert (repr(decoded), decoded) == (repr(number), number)
    assert eval(repr(number), {"pi": pi, "sqrt": sqrt, "exp": np.exp}) == pytest.approx(number)
    assert float(abs(number)) == abs(float(number))


def test_magnitudes_are_written_as_such():
    law = nalm.fit({"a": A, "b": B}, np.abs(A - B))
    assert (law.outcome, law.text()) in [("exact", "abs(a - b)"), ("exact", "abs(b - a)")]
    np.testing.assert_allclose(law.predict(X), np.abs(A - B))
    plain = nalm.fit({"a": A, "b": B}, np.abs(A - B), functions="arithmetic")
    assert "abs" not in plain.text()


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (Constant("k", 9.81234, 0.0131, (9.7, 9.9)), "9.812 ± 0.013"),
        (Constant("k", 6.6743e-11, 1e-14, (0, 1)), "6.6743e-11 ± 1.0e-14"),
        (Constant("k", Fraction(5, 2), 0.0, (2.5, 2.5)), "5/2"),
        (Constant("k", 1234567.0, 12.0, (0, 1)), "1.234567e+06 ± 1.2e+01"),
        (Constant("k", 2.0, float("inf"), (0, 1)), "2, not determined by the rows"),
    ],
)
def test_numbers_are_written_with_their_errors(constant, text):
    assert constant.text() == text


@pytest.mark.parametrize("y", [np.abs(A - 2) * B, 2 * pi * A / B], ids=["abs", "pi"])
def test_torch_jax_and_code_know_magnitudes_and_pi(y):
    import jax.numpy as jnp
    import torch

    law = nalm.fit({"a": A, "b": B}, y)
    assert law.outcome == "exact"
    model, params = law.to_jax()
    np.testing.assert_allclose(np.asarray(model(params, jnp.asarray(X)))[:, 0], y, rtol=1e-12)
    found = law.to_torch(torch.float64)(torch.from_numpy(X))[:, 0]
    np.testing.assert_allclose(found.numpy(), y, rtol=1e-12)
    space: dict = {}
    exec(law.to_code("numpy"), space)
    np.testing.assert_allclose(space["law"](A, B), y, rtol=1e-12)


def test_no_number_is_known_better_than_its_last_digit():
    found = constant("c1", 0.12027235504494271, 1e-20, 50)
    assert found.error == pytest.approx(2.67e-17, rel=0.01)
    assert found.text() == "0.120272355044943"
    assert found.interval[0] < found.value < found.interval[1]


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1 / 8.314462618, "1/molar gas constant, 1/8.314462618"),
        (8.9875517923e9, "Coulomb constant, 8987551792"),
        (1 / 8.314, None),
    ],
)
def test_known_constants_are_also_seen_below_a_fraction(value, hint):
    assert constant("c1", value, 0.0, 50).hint == hint
