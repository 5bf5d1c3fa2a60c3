"""Units of measurement: formulas of the wrong dimension are left out."""

import numpy as np
import pytest

import nalm
from nalm.errors import NalmError
from nalm.fitting.form.form import formula_of
from nalm.fitting.units import Units, units_of

X = np.random.default_rng(0).uniform(1, 3, (60, 2))
M, V = X.T
ENERGY = Units(("kg", "m/s"), "J")


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("m*v**2", True),
        ("m*v**2/2", True),
        ("m*v", False),
        ("m + v", False),
        ("m*v**2*exp(v)", False),
        ("m*v**2*exp(v/v)", True),
        ("m*v**2 + m*v", False),
        ("m*v**2 + 3*m*v", True),
        ("sqrt(m*m*v**4)", True),
        ("abs(m*v**2)", True),
        ("m**v", False),
        ("7", True),
    ],
)
def test_which_formulas_have_the_dimension_of_energy(text, allowed):
    assert ENERGY.allows(formula_of(text, ["m", "v"])) is allowed


def test_the_law_has_the_unit_of_its_result():
    law = nalm.fit({"m": M, "v": V}, M * V**2 / 2, units={"m": "kg", "v": "m/s", "y": "J"})
    assert (law.text(), law.outcome) == ("m*v**2/2", "exact")


def test_a_formula_of_the_wrong_dimension_is_left_out():
    wrong = {"m": "kg", "v": "m/s", "y": "N"}
    law = nalm.fit({"m": M, "v": V}, M * V**2, units=wrong, functions="arithmetic", max_time=2)
    assert law.text() != "m*v**2"
    assert nalm.fit({"m": M, "v": V}, M * V**2).text() == "m*v**2"


def test_constants_have_units():
    law = nalm.fit(
        {"extension [mm]": M, "other [s]": V},
        5 * M,
        units=Units(("mm", "s"), "N"),
        functions="arithmetic",
    )
    (constant,) = law.constants
    assert (float(constant.value), constant.unit) == (5.0, "N/mm")
    assert "c1 = 5 N/mm" in str(law)


def test_units_in_names():
    units = units_of("header", ["mass [kg]", "v (m/s)", "n"], "E [J]")
    assert units == Units(("kg", "m/s", None), "J")


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"m": "blub"}, "A unit is one that pint knows.*received 'blub' for 'm'"),
        ({"q": "kg"}, "There is no column 'q'"),
        ({"m": 3}, "A unit is text such as 'm/s'; received 3"),
        ("kg", "units are a dictionary"),
        ("header", "Units in names stand in brackets"),
        ({"m": "1", "v": "", "y": "N"}, "all columns are pure numbers"),
    ],
)
def test_wrong_units_are_refused_in_one_sentence(units, message):
    with pytest.raises(NalmError, match=message):
        nalm.fit({"m": M, "v": V}, M, units=units)


def test_a_form_whose_units_cannot_match_is_refused():
    units = {"m": "kg", "v": "m/s", "y": "J"}
    with pytest.raises(NalmError, match="the units of 'm \\+ v \\+ a' cannot match"):
        nalm.fit({"m": M, "v": V}, M, form="m + v + a", units=units)
    assert nalm.fit({"m": M, "v": V}, M * V**2 * 3, form="a*m*v**2", units=units).verified


@pytest.mark.parametrize(("law", "start"), [("a*b", "a*b"), ("a + b", "a")])
def test_no_redundant_formula_gets_around_units(law, start):
    """Weights such as 0.47*a*b + 0.53*a*b may have any unit, but their sum is 1."""
    a, b = np.random.default_rng(0).uniform(1, 3, (2, 80))
    y = a * b if law == "a*b" else a + b
    units = {"a": "m", "b": "s", "y": "m"}
    found = nalm.fit(
        {"a": a, "b": b}, y, units=units, functions="arithmetic", start=start, max_time=3
    )
    assert not found.verified, found


@pytest.mark.parametrize("unit", ["m**9**9**9", "m^9^9^9", "m**(9**9**9)", "m**99999999", "m**1e9"])
def test_powers_of_powers_in_a_unit_are_refused_at_once(unit):
    with pytest.raises(NalmError, match="one that pint knows"):
        units_of({"a": unit}, ["a"], None)


def test_each_result_has_the_unit_of_its_name():
    a = np.random.default_rng(0).uniform(1, 3, 60)
    results = {"wrong [s]": a, "right [m]": a}
    laws = nalm.fit_each({"a [m]": a}, results, units="header", functions="arithmetic", max_time=2)
    assert [law.text() == "`a [m]`" for law in laws.values()] == [False, True], laws


def test_a_unit_may_be_given_by_the_name_without_its_unit():
    table = {"m [kg]": X[:, 0], "v [m/s]": X[:, 1], "E [J]": X[:, 0] * X[:, 1] ** 2 / 2}
    units = {"m": "kg", "v": "m/s", "E": "J"}
    law = nalm.fit(table, "E [J]", units=units, functions="arithmetic")
    assert law.text() == "`m [kg]`*`v [m/s]`**2/2"
    with pytest.raises(nalm.errors.UnknownNameError, match="no column 'q'"):
        nalm.fit(table, "E [J]", units={"q": "s"})


def test_a_number_whose_unit_is_one_has_none():
    table = {"m [kg]": X[:, 0], "v [m/s]": X[:, 1], "E [J]": X[:, 0] * X[:, 1] ** 2 / 2}
    law = nalm.fit(table, "E [J]", units="header", functions="arithmetic")
    assert [(c.text(), c.unit) for c in law.constants] == [("1/2", "")]


def test_a_formula_that_only_its_unit_excludes_is_named():
    table = {"m [kg]": X[:, 0], "l [m]": X[:, 1], "F [N]": X[:, 0] * X[:, 1]}
    law = nalm.fit(table, "F [N]", units="header", functions="arithmetic")
    assert law.outcome == "not found"
    assert law.reason == (
        "all rows agree with `m [kg]`*`l [m]`, but its unit, kg*m, is not that of the result, N; "
        "check the units"
    )
