"""The calibration of verified formulas: what counts as the law, and how claims are counted."""

from fractions import Fraction

import numpy as np
from benchmarks.fit.calibration import Trial, is_law, main, random_law, read, summary
from benchmarks.fit.families import FAMILIES
from benchmarks.fit.ground_truth import Equation
from benchmarks.fit.problem import data

from nalm.fitting.rows import Rows
from nalm.fitting.tree import ONE, ZERO, Column, Number, WeightedSum

LINE = Equation("line", "2.5*a + b", ("a", "b"), ((1.0, 3.0), (1.0, 3.0)))


def line(first, second=ONE, offset: Number = ZERO):
    return WeightedSum(((first, Column(0)), (second, Column(1))), offset)


def rows(noise):
    x, y = LINE.table(300, 0, noise)
    return Rows(x, y, np.ones(300))


def test_measured_numbers_may_be_off_by_their_errors_only():
    given = rows(0.01)  # the error of the number is about 0.002
    assert is_law(LINE, line(2.501), given)
    assert not is_law(LINE, line(2.55), given)
    assert is_law(LINE, line(Fraction(5, 2)), given)
    assert not is_law(LINE, line(Fraction(251, 100)), given)


def test_a_term_too_many_is_another_law():
    assert not is_law(LINE, line(2.5, ONE, 1e-4), rows(0.01))


def test_claims_are_counted_by_noise():
    trials = [
        Trial("0 a", "a", 0.01, 60, "within noise", False, 1.0, "b"),
        Trial("1 a", "a", 0.01, 60, "plausible", True, 1.0, "a"),
        Trial("2 a", "a", 0.0, 60, "exact", True, 1.0, "a"),
    ]
    text = summary(trials)
    assert "| 0.0% | 1 | 1 | 0 |" in text
    assert "| 1.0% | 2 | 1 | 1 |" in text


def test_random_laws_are_the_same_again_and_have_results():
    for number in range(6):
        law = random_law(number)
        assert law == random_law(number)
        assert np.all(np.isfinite(law.table(50, 1, 0.0)[1]))


def test_a_calibration_continues(tmp_path):
    out = tmp_path / "found.csv"
    arguments = ["--laws", "1", "--out", str(out)]
    assert main(arguments) == 0
    first = list(read(out))
    assert main(arguments) == 0
    assert list(read(out)) == first
    assert first[0].right


def test_wrong_rows_are_far_off_and_the_others_are_not_touched():
    problem = next(p for p in FAMILIES["outliers"](0) if p.wrong == 5)
    spoiled = data(problem, 0)
    assert len(spoiled.wrong) == 5
    true = spoiled.x[:, 0] * spoiled.x[:, 1]
    off = np.abs(spoiled.y - true)
    assert np.all(off[spoiled.wrong] > true.std() / 4)
    assert np.all(np.delete(off, spoiled.wrong) < 1e-9)


def test_the_law_of_many_columns_is_one_of_a_few():
    problem = next(p for p in FAMILIES["many-columns"](0) if len(p.names) == 200)
    assert sum(name[0] != "z" for name in problem.names) <= 4
