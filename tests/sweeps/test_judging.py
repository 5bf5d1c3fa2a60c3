"""Whether a run is solved, by the published rules."""

from dataclasses import replace

import numpy as np
import pytest

from making import curves_of
from nalm.sweeps.statistics import judge


def test_outcomes_follow_the_published_rules():
    curves = replace(
        curves_of(4),
        validation=np.array([3.0, 1.0, 2.0, np.nan]),
        test=np.array([9.0, 0.5, 0.1, 9.0]),
        sparsity=np.array([0.4, 0.3, 0.2, 0.1]),
    )
    outcome = judge(curves, 0.2)
    assert (outcome.success, outcome.solved_at) == (False, 200)
    assert outcome.sparsity == pytest.approx(0.3)
    assert judge(curves, 0.6).success
    assert judge(curves, 0.6).solved_at == 100
    nothing = replace(curves, validation=np.full(4, np.nan), test=np.full(4, np.nan))
    outcome = judge(nothing, 1.0)
    assert (outcome.success, outcome.solved_at) == (False, None)


@pytest.mark.parametrize(
    ("evaluations", "best_at", "seen"),
    [(5000, 0, True), (5001, 0, False), (5001, 1, True), (10_001, 2, True), (15_001, 0, False)],
)
def test_all_evaluations_but_the_first_of_a_long_run_are_judged(evaluations, best_at, seen):
    validation = np.ones(evaluations)
    validation[best_at] = 0.0
    curves = replace(
        curves_of(evaluations),
        steps=1000 * np.arange(evaluations),
        validation=validation,
        test=validation,
        sparsity=validation,
    )
    assert judge(curves, 0.5).success == seen
