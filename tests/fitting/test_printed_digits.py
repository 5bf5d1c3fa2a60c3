"""Columns that were printed with some decimals: their errors are larger where they matter more."""

import numpy as np
import pytest

import nalm
from nalm.fitting.evidence.printed_digits import is_printing, printed_unit
from nalm.fitting.rows import Rows, Split
from nalm.fitting.tree import ONE, Column, PowerProduct

LAW = PowerProduct(((Column(0), ONE), (Column(1), 3 * ONE)))


@pytest.mark.parametrize("seed", range(3))
def test_a_law_of_printed_columns_is_found(seed):
    m, v = np.random.default_rng(seed).uniform(1, 5, (2, 60))
    law = nalm.fit({"m": m.round(6), "v": v.round(6)}, m * v**3 / 2, functions="arithmetic")
    assert (law.text(), law.outcome, law.outliers) == ("m*v**3/2", "within noise", ())


def split(digits, error=0.0):
    x = np.random.default_rng(0).uniform(1, 5, (60, 2))
    y = LAW.evaluate(x)
    y[7] += error
    rows = Rows(x.round(digits), y, np.ones(60))
    return Split(rows.take(np.arange(50)), rows.take(np.arange(50, 60)), 2.0**-53, rows)


def test_decimals_explain_no_larger_errors():
    assert is_printing(LAW, split(6))
    assert not is_printing(LAW, split(6, 1e-3))
    assert not is_printing(LAW, split(1)), "they are too coarse to mean anything"
    assert not is_printing(LAW, split(15, 1e-9))


def test_the_unit_of_the_last_decimal():
    values = np.random.default_rng(0).uniform(1, 5, 30)
    assert [printed_unit(values.round(d)) for d in (0, 3)] == [1.0, pytest.approx(1e-3)]
    assert printed_unit(values) == 0
