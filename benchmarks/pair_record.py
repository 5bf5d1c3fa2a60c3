"""Record the runs of pairs of digits: how many results of every run are right, and when.

python -m benchmarks.pair_record RESULTS FILE.csv

RESULTS is a folder that `nalm bench mnist-product --out RESULTS` has written, or another experiment
on pairs. FILE.csv gets a line for each of seven parts of the training of every run. Other runs that
are in the file stay there, so folds can be trained one after the other. Tables are printed: means
over the folds with 95 % intervals (Student).
"""

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from nalm.report.results import ExperimentRuns, read_results
from nalm.sweeps import CellRuns
from nalm.sweeps.statistics import student
from nalm.training import Curves
from nalm.vision import DigitPairs

PARTS = 7
MEASURES = {
    "exact": "test output exact",
    "decimals": "test output decimals",
    "rounded": "test output rounded",
    "argmax": "test output argmax",
    "train_exact": "train output exact",
    "digit_1_rounded": "test digit 1 rounded",
    "digit_2_rounded": "test digit 2 rounded",
}
"""What is recorded, and the names of the series."""


@dataclass(frozen=True)
class Line:
    """A run at the end of a part of its training."""

    experiment: str
    unit: str
    setting: str
    steps: int
    """Of the whole training."""
    fold: int
    step: int
    accuracy: float
    """Of the whole run, by the rule of its experiment."""
    exact: float
    decimals: float
    rounded: float
    argmax: float
    train_exact: float
    digit_1_rounded: float
    digit_2_rounded: float
    weights: str

    @property
    def head(self) -> tuple[Any, ...]:
        """What the folds of a head have in common."""
        return self.experiment, self.unit, self.setting, self.steps

    @property
    def run(self) -> tuple[Any, ...]:
        """What tells a run from others."""
        return *self.head, self.fold

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells a line from others."""
        return *self.run, self.step


def _weights(curves: Curves, place: int) -> str:
    kept = [np.ravel(v[place]) for n, v in curves.series.items() if n.startswith("weights ")]
    return " ".join(f"{w:.9g}" for w in np.concatenate(kept)) if kept else ""


def recorded(experiment: ExperimentRuns, cell: CellRuns) -> Iterator[Line]:
    """Yield the lines of all runs of a cell."""
    task = cell.setup.task
    if not isinstance(task, DigitPairs):
        raise SystemExit(f"The record is of pairs of digits; received {cell.key}.")
    for run in cell.runs:
        curves = run.curves
        last = len(curves.steps) - 1
        for part in range(1, PARTS + 1):
            place = round(last * part / PARTS)
            yield Line(
                experiment.name, cell.key.unit, cell.key.setting, int(curves.steps[-1]), run.seed,
                int(curves.steps[place]), round(task.accuracy(curves), 4),
                *(round(float(curves.series[name][place]), 4) for name in MEASURES.values()),
                weights=_weights(curves, place),
            )  # fmt: skip


def read(path: Path) -> Iterator[Line]:
    """Yield the lines of a file."""
    types: dict[str, Callable[[str], Any]] = {f.name: f.type for f in fields(Line)}  # pyright: ignore[reportAssignmentType]
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                yield Line(**{name: types[name](value) for name, value in row.items()})


def told(values: Sequence[float]) -> str:
    """Return a mean with its interval.

    >>> told([0.25, 0.25, 0.25])
    '0.25 [0.25, 0.25]'
    """
    found = student(values, 0.0, 1.0)
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def table(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the tables of an experiment: the ends of its heads, and exact results by step."""
    heads = list(dict.fromkeys(line.head for line in lines))
    parts = {head: [line for line in lines if line.head == head] for head in heads}
    steps = {head: sorted({line.step for line in parts[head]}) for head in heads}
    names = [*list(MEASURES)[:4], "accuracy"]
    yield f"| head | folds | {' | '.join(names)} | all weights exactly 1 |"
    yield "|---" * (len(names) + 3) + "|"
    for head in heads:
        ends = [line for line in parts[head] if line.step == line.steps]
        means = [told([getattr(line, name) for line in ends]) for name in names]
        ones = sum(set(line.weights.split()) == {"1"} for line in ends)
        yield f"| {_name(head)} | {len(ends)} | {' | '.join(means)} | {ones} of {len(ends)} |"
    for name in ("exact", "rounded", "argmax"):
        yield f"\n| {name} after | {' | '.join(f'{step:,}' for step in steps[heads[0]])} |"
        yield "|---" * (PARTS + 1) + "|"
        for head in heads:
            each = (
                told([getattr(line, name) for line in parts[head] if line.step == step])
                for step in steps[head]
            )
            yield f"| {_name(head)} | {' | '.join(each)} |"


def _name(head: tuple[Any, ...]) -> str:
    return f"{' · '.join(filter(None, head[1:3]))}, {head[3]:,} steps"


def main(results: Path, path: Path) -> None:
    """Write the record of a folder."""
    new = [
        line
        for experiment in read_results(results)
        for cell in experiment.cells
        for line in recorded(experiment, cell)
    ]
    runs = {line.run for line in new}
    lines = [line for line in read(path) if line.run not in runs] + new
    lines.sort(key=lambda line: line.key)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Line)])
        writer.writerows(astuple(line) for line in lines)
    for experiment in sorted({line.experiment for line in lines}):
        print(f"\n{experiment}\n")
        print("\n".join(table([line for line in lines if line.experiment == experiment])))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
