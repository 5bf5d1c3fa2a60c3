"""Record the runs of sequences of digits: the test error of every run at every length.

python -m benchmarks.sequence_record RESULTS FILE.csv

RESULTS is a folder that `nalm bench mnist-sequential-product --out RESULTS` has written. The limit
is that of the reference runs in it, which decides what is solved.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from nalm.experiments.digit_sequences import limit
from nalm.report.results import read_results
from nalm.sweeps import CellRuns
from nalm.sweeps.statistics import best_evaluation
from nalm.vision import DigitSequences

COLUMNS = ("unit", "setting", "seed", "steps", "best_step", "length", "test_mse", "limit",
           "solved", "digits_rounded_at_end", "weights_at_end")  # fmt: skip


def task_of(cell: CellRuns) -> DigitSequences:
    """Return the sequences of a cell."""
    task = cell.setup.task
    if not isinstance(task, DigitSequences):
        raise SystemExit(f"The record is of sequences of digits; received {cell.key}.")
    return task


def lines(cell: CellRuns, reference: CellRuns, length: int) -> list[tuple[object, ...]]:
    """Return a line for each run of a cell, judged at a length."""
    most, found = limit(reference, length), []
    for run in sorted(cell.runs, key=lambda run: run.seed):
        curves = run.curves
        best = best_evaluation(curves)
        error = float(curves.series[f"test mse {length}"][best])
        weights = np.ravel(curves.series["weights weight"][-1])
        found.append(
            (cell.key.unit, cell.key.setting, run.seed, int(curves.steps[-1]),
             int(curves.steps[best]), length, f"{error:.6g}", f"{most:.6g}", error < most,
             f"{curves.series['test digit rounded'][-1]:.4f}",
             " ".join(f"{w:.6g}" for w in weights) if task_of(cell).learns_unit else "")
        )  # fmt: skip
    return found


def main(results: Path, file: Path) -> None:
    """Write the record of the only experiment of a folder."""
    (experiment,) = read_results(results)
    reference = next(cell for cell in experiment.cells if cell.key.unit == "exact")
    every = {(cell.key.unit, cell.key.setting): cell for cell in experiment.cells}
    found = [
        line
        for cell in every.values()
        for length in task_of(cell).lengths
        for line in lines(cell, reference, length)
    ]
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *found])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
