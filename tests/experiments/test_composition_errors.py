"""Printed mean errors over compositions beside ours."""

from dataclasses import replace

from nalm.experiments.composition import tasks
from nalm.experiments.composition_errors import PRINTED, composition_errors
from nalm.sweeps import CellKey, CellSummary, Quantity, summarize
from nalm.sweeps.statistics import Outcome, Verdict


def cell(op: str, test: tuple[float, ...], validation: tuple[float, ...]) -> CellSummary:
    key = CellKey("frozen", op, "U[1,2)", 4)
    runs = [Outcome(False, None, 0.0, error, False) for error in test]
    return replace(
        summarize(key, 200_000, runs), test_each=test, validation_each=validation
    )  # fmt: skip


def verdicts(cells: list[CellSummary]) -> dict[Quantity, Verdict]:
    return {e.quantity: e.verdict for e in composition_errors(cells) if e.network == "frozen"}


def test_a_printed_mean_agrees_if_means_of_single_runs_are_around_it():
    cells = [cell(op, (50.0, 150.0), (0.0, 0.01)) for op in tasks(2)]
    expected = {Quantity.TEST_ERROR: Verdict.AGREES, Quantity.VALIDATION_ERROR: Verdict.DIFFERS}
    assert verdicts(cells) == expected
    assert set(verdicts(cells[:-1]).values()) == {Verdict.INCOMPARABLE}
    assert len(composition_errors([])) == 2 * len(PRINTED) == 26
