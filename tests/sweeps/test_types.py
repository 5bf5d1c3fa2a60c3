"""Typed results: one function summarizes, one flattens, and nothing is lost on the way."""

from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nalm.errors import InputError
from nalm.sweeps import CellKey, Quantity, flatten, read_row, summarize
from nalm.sweeps.flat import OURS, PUBLISHED
from nalm.sweeps.statistics import Outcome, gamma_mean, rate

KEY = CellKey("nmu", "mul", "U[1,2)", 2)
OUTCOMES = st.builds(
    lambda solved, step, sparsity, diverged, equal: Outcome(
        solved, step if solved else None, sparsity, 0.5, diverged, equal
    ),
    st.booleans(),
    st.integers(0, 50).map(lambda n: 1000 * n),
    st.one_of(st.floats(0, 1), st.just(nan)),
    st.booleans(),
    st.sampled_from([None, True, False]),
)


@given(st.lists(OUTCOMES, min_size=1, max_size=30))
def test_a_summary_counts_every_run_and_survives_flattening(outcomes):
    cell = summarize(KEY, 50_000, outcomes)
    assert cell.successes + cell.failed == cell.runs == len(outcomes)
    assert cell.rate == rate(cell.successes, cell.runs)
    assert len(cell.solved_at_each) == cell.solved_at.n == cell.successes
    assert cell.sparsity.n == len(cell.sparsity_each) <= cell.successes
    row = flatten(cell)
    assert flatten(read_row(row)) == row
    assert not any(isinstance(value, float) and isnan(value) for value in row.values())


def test_every_quantity_has_columns_of_its_own():
    columns = [name for table in (OURS, PUBLISHED) for names in table.values() for name in names]
    assert len(set(columns)) == len(columns)
    assert set(OURS) == set(PUBLISHED) == set(Quantity)
    assert set(columns) <= set(flatten(summarize(KEY, 10, [Outcome(False, None, nan, 1.0, False)])))


def test_means_are_of_solved_runs_and_formulas_are_counted_where_compared():
    outcomes = [
        Outcome(True, 2000, 0.1, 0.0, False, True),
        Outcome(True, 4000, nan, 0.0, False, False),
        Outcome(False, None, 0.5, 9.0, True, True),
    ]
    cell = summarize(KEY, 50_000, outcomes)
    assert cell.solved_at == gamma_mean([2000, 4000])
    assert (cell.failed, cell.diverged, cell.equal, cell.solved_equal) == (1, 1, 2, 1)
    assert cell.estimate(Quantity.RATE) == cell.equal_rate == rate(2, 3)
    assert cell.sparsity_each == (0.1,)
    assert cell.comparison() is None


def test_a_cell_without_runs_has_no_statistics():
    with pytest.raises(InputError, match=r"at least one run; nmu, mul, U\[1,2\), 2 inputs has"):
        summarize(KEY, 50_000, [])
