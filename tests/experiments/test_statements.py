"""Statements of the papers: true or false of runs, with a probability, about cells that exist."""

from dataclasses import replace
from math import isnan

import pytest

from nalm.experiments import EXPERIMENTS
from nalm.experiments.statements import STATEMENTS, Samples, Statement, findings
from nalm.experiments.statements.claims import (
    Apart,
    Claim,
    Means,
    Relation,
    at_least,
    both,
    everywhere,
    exactly,
    nowhere,
    series,
)
from nalm.sweeps import CellKey, CellSummary, Quantity, Size, summarize
from nalm.sweeps.statistics import Outcome, Verdict

TWO = ("U[1,2)", "U[-2,2)")
ABOVE, BELOW, EQUAL = Relation.ABOVE, Relation.BELOW, Relation.EQUAL


def cell(unit: str, range_name: str, solved: int, step: int = 1000, runs: int = 25) -> CellSummary:
    outcomes = [
        Outcome(i < solved, step + 10 * i if i < solved else None, 0.0, 1.0, False)
        for i in range(runs)
    ]
    return summarize(CellKey(unit, "mul", range_name, 2), 50_000, outcomes)


CELLS = [
    cell("nmu", "U[1,2)", 25),
    cell("nmu", "U[-2,2)", 24),
    cell("nalu", "U[1,2)", 10, step=5000),
    cell("nalu", "U[-2,2)", 0),
]
NMU, NALU = (series(unit, "mul", ranges=TWO) for unit in ("nmu", "nalu"))


def judged(claim: Claim, cells: list[CellSummary] = CELLS):
    (found,) = findings([Statement("paper, table 1", "…", "mine", claim)], {"mine": cells})
    return found


@pytest.mark.parametrize(
    ("claim", "holds", "probability"),
    [
        (everywhere(NMU, ABOVE, NALU), True, 1.0),
        (nowhere(NMU, ABOVE, NALU), False, 0.0),
        (everywhere(NMU, EQUAL, 1.0), False, 0.36),
        (exactly(1, NMU, EQUAL, 1.0), True, 0.64),
        (at_least(1, NALU, ABOVE, 0.0), True, 1.0),
        (everywhere(NMU, Relation.ABOUT, 1.0), True, 0.92),
        (Means(NMU, ABOVE, NALU, 0.9), False, 0.0),
        (both(everywhere(NMU, ABOVE, 0.5), nowhere(NALU, ABOVE, 0.9)), True, 1.0),
        (
            Apart(
                series("nalu", "mul", ranges=TWO[:1]).steps(),
                2.0,
                series("nmu", "mul", ranges=TWO).steps(),
            ),
            True,
            1.0,
        ),
    ],
)
def test_a_claim_is_true_or_false_and_has_a_probability(claim, holds, probability):
    found = judged(claim)
    assert found.holds is holds
    assert found.probability == pytest.approx(probability, abs=0.03)
    assert (found.fewest, found.missing) == (25, ())


def test_a_statement_differs_if_it_is_false_and_repetitions_hardly_make_it_true():
    assert judged(everywhere(NMU, ABOVE, NALU)).verdict is Verdict.AGREES
    assert judged(everywhere(NMU, EQUAL, 1.0)).verdict is Verdict.AGREES  # 24 of 25 may be 25
    assert judged(everywhere(NALU, EQUAL, 1.0)).verdict is Verdict.DIFFERS


def test_what_was_not_run_or_not_kept_is_not_comparable():
    other = series("nmu", "mul", ranges=("U[10,20)",))
    for claim in (everywhere(other, EQUAL, 1.0), both(everywhere(NALU.steps(), ABOVE, 0.0))):
        found = judged(claim)
        assert (found.holds, found.verdict) == (None, Verdict.INCOMPARABLE)
        assert isnan(found.probability)
        assert len(found.missing) == 1
    shorter = [replace(c, published_size=Size(25, 60_000)) for c in CELLS]
    assert judged(everywhere(NMU, ABOVE, NALU), shorter).holds is None


def test_repetitions_are_the_same_every_time_and_draw_from_the_runs():
    key = CELLS[2].key
    steps = Samples(CELLS).of(key, Quantity.MEDIAN_SOLVED_AT)
    again = Samples(CELLS[::-1]).of(key, Quantity.MEDIAN_SOLVED_AT)
    assert steps is not None
    assert again is not None
    assert (steps == again).all()
    assert 5000 <= steps.min() < steps[0] < steps.max() <= 5090


@pytest.mark.parametrize("name", sorted({s.experiment for s in STATEMENTS}))
def test_statements_are_about_cells_of_their_experiment(name):
    known = EXPERIMENTS[name].sizes
    for statement in STATEMENTS:
        if statement.experiment == name:
            assert statement.source.count(",") >= 1
            for about in statement.claim.series():
                assert set(about.keys) <= set(known), statement.text


def test_no_statement_is_made_twice():
    said = [(s.source, s.text) for s in STATEMENTS]
    assert len(set(said)) == len(said)
