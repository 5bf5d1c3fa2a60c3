"""A law of a few columns in a table that has many."""

from time import monotonic

import numpy as np
import pytest
from benchmarks.fit.families import FAMILIES
from benchmarks.fit.problem import data

import nalm
from nalm.fitting.rows import Rows
from nalm.fitting.search.relevant_columns import relevant_columns

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 3, (400, 60))
ONES = np.ones(400)


def never():
    return False


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_columns_that_matter_are_found(noise):
    y = X[:, 7] * np.exp(-X[:, 30]) + X[:, 41] + noise * RNG.normal(size=400)
    assert relevant_columns(Rows(X, y, ONES), never) == [7, 30, 41]


def test_a_product_without_main_effects_is_found():
    x = X - 2
    assert relevant_columns(Rows(x, x[:, 3] * x[:, 50], ONES), never) == [3, 50]


def test_many_columns_that_matter_are_not_few():
    assert relevant_columns(Rows(X, X[:, :40].sum(axis=1), ONES), never) == []


def test_noise_depends_on_no_column():
    assert relevant_columns(Rows(X, RNG.normal(size=400), ONES), never) == []


@pytest.mark.slow
def test_the_message_says_what_was_left_out():
    x = X[:150, :14]
    y = np.maximum(x[:, 2], x[:, 5] ** 2) + np.abs(x[:, 5] - 2)
    law = nalm.fit(x, y, functions="arithmetic")
    assert not law.verified
    assert "of 14 columns, functions and nested formulas were tried for x3, x6" in law.reason


@pytest.mark.slow
@pytest.mark.parametrize("number", [33, 62])
def test_some_tables_of_the_benchmark(number):
    problem = list(FAMILIES["many-columns"](0))[number]
    rows = data(problem, 0)
    law = nalm.fit(rows.x, rows.y, problem.names)
    assert law.verified
    np.testing.assert_allclose(law.predict(rows.test_x), rows.test_y, rtol=0.05, atol=0.05)


@pytest.mark.slow
def test_two_thousand_columns_keep_to_the_time():
    x = RNG.uniform(1, 3, (500, 2000))
    began = monotonic()
    nalm.fit(x, RNG.normal(size=500), max_time=1)
    assert monotonic() - began < 12
