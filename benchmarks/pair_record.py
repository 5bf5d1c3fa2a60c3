"""Record the runs of pairs of digits: how many test results of every run are right at its end.

python -m benchmarks.pair_record RESULTS FILE.csv

RESULTS is a folder that `nalm bench mnist-product --out RESULTS` has written, or another experiment
on pairs. Means over the runs with 95 % intervals (Student) are printed.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nalm.report.results import ExperimentRuns, read_results
from nalm.sweeps import CellRuns
from nalm.sweeps.statistics import student
from nalm.vision import DigitPairs

MEASURES = ("exact", "decimals", "rounded", "argmax")
COLUMNS = ("experiment", "unit", "setting", "fold", "steps", "accuracy",
           *(f"test_{name}" for name in MEASURES), "digit_1_rounded", "digit_2_rounded",
           "weights")  # fmt: skip
DIGITS = ("test digit 1 rounded", "test digit 2 rounded")


def lines(experiment: ExperimentRuns, cell: CellRuns) -> Iterator[tuple[object, ...]]:
    """Yield a line for each run of a cell."""
    task = cell.setup.task
    if not isinstance(task, DigitPairs):
        raise SystemExit(f"The record is of pairs of digits; received {cell.key}.")
    for run in sorted(cell.runs, key=lambda run: run.seed):
        series = run.curves.series
        shares = [series[name][-1] for name in (*(f"test output {m}" for m in MEASURES), *DIGITS)]
        weights = [np.ravel(v[-1]) for name, v in series.items() if name.startswith("weights ")]
        yield (
            experiment.name, cell.key.unit, cell.key.setting, run.seed, int(run.curves.steps[-1]),
            f"{task.accuracy(run.curves):.4f}", *(f"{share:.4f}" for share in shares),
            " ".join(f"{w:.6g}" for w in np.concatenate(weights)) if weights else "",
        )  # fmt: skip


def told(quantity: str, values: list[float]) -> str:
    """Return a mean with its interval.

    >>> told("exact", [0.25, 0.25, 0.25])
    'exact 0.250 [0.250, 0.250]'
    """
    found = student(values, 0.0, 1.0)
    return f"{quantity} {found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def main(results: Path, file: Path) -> None:
    """Write the record of a folder."""
    found = []
    for experiment in read_results(results):
        for cell in experiment.cells:
            each = list(lines(experiment, cell))
            found += each
            name = " · ".join(p for p in (experiment.name, cell.key.unit, cell.key.setting) if p)
            means = [
                told(column, [float(line[COLUMNS.index(column)]) for line in each])  # pyright: ignore[reportArgumentType]
                for column in ("accuracy", *(f"test_{name}" for name in MEASURES))
            ]
            print(f"{name}, {len(each)} folds: {', '.join(means)}")
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *found])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
