"""The answer of a report: who learns what, and which differences are more than chance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from nalm.report.boards import Measure, boards
from nalm.report.ranking import Entry, rank
from nalm.report.results import read_results
from nalm.report.settings import settings
from nalm.sweeps.statistics import holm, sign_flip


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
def test_on_one_task_it_is_the_exact_test_of_mcnemar(only_first, only_second, both):
    p = sign_flip([1] * only_first + [-1] * only_second + [0] * both)
    n = only_first + only_second
    expected = binomtest(only_first, n).pvalue if n else 1.0
    assert p == pytest.approx(expected)


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_it_is_the_share_of_all_choices_of_signs(differences):
    sums = [0]
    for d in differences:
        sums = [s + sign * d for s in sums for sign in (1, -1)]
    far = sum(abs(s) >= abs(sum(differences)) for s in sums)
    assert sign_flip(differences) == pytest.approx(far / len(sums))


@given(st.lists(st.floats(0, 1), max_size=8))
def test_a_correction_never_makes_a_difference_clearer(p_values):
    corrected = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    assert sorted(range(len(p_values)), key=lambda i: (p_values[i], i)) == sorted(
        range(len(p_values)), key=lambda i: (corrected[i], p_values[i], i)
    )


def entry(name: str, solved: int, runs: int = 10, columns: tuple[str, ...] = ("U[1,2)",)) -> Entry:
    return Entry(name, {c: {seed: float(seed < solved) for seed in range(runs)} for c in columns})


def test_places_and_differences():
    ranking = rank([entry("worst", 0), entry("best", 10), entry("good", 9)], 1)
    assert [(p.place, p.name, p.count) for p in ranking.places] == [
        (1, "best", 10),
        (2, "good", 9),
        (3, "worst", 0),
    ]
    assert ranking.best.better_than == ("worst",)
    assert ranking.best.unclear == ("good",)
    assert ranking.places[-1].worse_than == ("best", "good")
    assert (ranking.pairs, ranking.seeds, ranking.seeds_needed) == (3, 10, 0)


def test_runs_of_one_seed_are_one_observation():
    """Nine ranges of three seeds are three observations, not twenty-seven."""
    columns = tuple("abcdefghi")
    ranking = rank([entry("best", 3, 3, columns), entry("worst", 0, 3, columns)], 9)
    assert ranking.best.better_than == ()
    assert ranking.best.unclear == ("worst",)
    assert ranking.seeds_needed == 6


def test_models_without_a_common_task_are_not_compared():
    ranking = rank([entry("a", 9), entry("b", 0, columns=("U[5,9)",))], 2)
    assert ranking.pairs == 0
    assert ranking.best.unclear == ranking.best.better_than == ()
    assert ranking.best.columns == 1


def test_accuracies_are_ranked_by_their_mean():
    a = Entry("a", {"MNIST": dict.fromkeys(range(8), 0.98)})
    b = Entry("b", {"MNIST": dict.fromkeys(range(8), 0.971)})
    ranking = rank([b, a], 1, means=True)
    assert ranking.best.name == "a"
    assert ranking.best.count is None
    assert ranking.best.better_than == ("b",)


def test_a_table_for_each_operation(folder):
    (experiment,) = read_results(folder)
    found = {board.op: board for board in boards(experiment)}
    assert set(found) == {"mul", "add"}
    mul = found["mul"]
    assert (mul.columns, mul.by, mul.measure) == (("U[1,2)", "U[10,20)"), "range", Measure.SOLVED)
    (row,) = [row for row in mul.rows if row.name == "nmu · 2 inputs"]
    assert [cell and cell.count for cell in row.cells] == [3, 3]
    assert None in next(row for row in mul.rows if row.name == "nmu · 10 inputs").cells


def test_settings_are_said_in_words_once(folder):
    (experiment,) = read_results(folder)
    found = settings(experiment.cells)
    nmu = next(group for group in found if group.unit == "nmu" and len(group.cells) == 2)
    assert nmu.model == "nmu, 2 inputs to 1 output"
    assert nmu.tasks[0] == "mul of 2 inputs, trained on U[1,2), tested on U[2,6)"
    assert nmu.recipe.startswith("adam with learning rate 0.01, 400 steps of 128 samples, loss mse")
    assert len(nmu.tasks) == 2
