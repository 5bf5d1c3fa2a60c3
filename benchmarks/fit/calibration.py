"""`python -m benchmarks.fit.calibration`: how often a formula called verified is not the law.

Random laws, with functions in every second one, and the equations of SRBench's Feynman track, each
with one level of noise. Every fit is a line of a CSV file, so the same command continues where it
was interrupted.

A formula is the law if it becomes it, to one part in a million, when its measured numbers move by
no more than their errors allow: four standard errors, and less than half of each number. Numbers
that it gives as exact may not move.
"""

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from benchmarks.fit.families import grown, letters
from benchmarks.fit.ground_truth import EQUAL, TEST_ROWS, Equation, equations
from benchmarks.fit.problem import evaluated

import nalm
from nalm.fitting.evidence.refit import refit
from nalm.fitting.rows import DOUBLE, Rows
from nalm.fitting.tree import Tree

LEVELS = (0.0, 0.001, 0.01, 0.05, 0.1)
SIZES = (60, 150, 400, 1000)
RANGES = ((1.0, 4.0), (0.5, 2.0), (1.0, 10.0), (0.2, 1.5))
FUNCTIONS = ("exp", "log", "sin", "cos", "tanh", "sqrt")
ERRORS = 4.0
"""How many standard errors a measured number may be off."""
LIMIT = 20.0
"""The most seconds of a fit."""


@dataclass(frozen=True)
class Trial:
    """A law with noise, and what a fit said of it."""

    law: str
    formula: str
    noise: float
    rows: int
    outcome: str
    right: bool
    seconds: float
    found: str

    @property
    def claimed(self) -> bool:
        """Whether it was called verified."""
        return self.outcome in {"exact", "within noise"}


def random_law(number: int) -> Equation:
    """Return a random law of one to four columns; every second one has functions."""
    rng = np.random.default_rng([23, number])
    while True:
        names = letters(int(rng.integers(1, 5)))
        text = grown(rng, list(names), int(rng.integers(1, 4)))
        if number % 2:
            inner = grown(rng, list(names), int(rng.integers(0, 2)))
            function = FUNCTIONS[rng.integers(len(FUNCTIONS))]
            text = f"({text}) {'*+'[rng.integers(2)]} {function}({inner})"
        low, high = RANGES[rng.integers(len(RANGES))]
        law = Equation(f"random {number}", text, names, ((low, high),) * len(names))
        _, y = law.table(200, 0, 0.0)
        usual = np.median(np.abs(y - np.median(y))) if np.all(np.isfinite(y)) else 0.0
        if usual > 1e-3 * np.max(np.abs(y)) and text not in names:
            return law


def is_law(equation: Equation, tree: Tree, rows: Rows) -> bool:
    """Whether a formula fitted to some rows is the law, within the errors of its numbers."""
    low, high = np.array(equation.spans).T
    x = np.random.default_rng(10**6).uniform(low, high, (TEST_ROWS, len(equation.names)))
    y = evaluated(equation.formula, equation.names, x)
    good = np.isfinite(y)
    fresh = Rows(x[good], y[good], np.ones(int(good.sum())))
    _, errors = refit(tree, rows, DOUBLE)
    moved, _ = refit(tree, fresh, DOUBLE, 60)
    usual = float(np.median(np.abs(fresh.y)))
    off = np.abs(moved.evaluate(fresh.x) - fresh.y) / (np.abs(fresh.y) + usual)
    if not np.quantile(np.where(np.isfinite(off), off, np.inf), 0.99) < EQUAL:
        return False
    numbers = zip(tree.measured(), moved.measured(), errors, strict=True)
    return all(
        abs(before - after) <= max(ERRORS * error, 1e-6 * abs(before))
        and abs(before - after) < abs(before) / 2
        for before, after, error in numbers
    )


def tried(number: int, public: list[Equation]) -> Trial:
    """Fit one law; every third is a public one, and levels and sizes go round."""
    equation = public[number // 3 % len(public)] if number % 3 == 2 else random_law(number)
    rng = np.random.default_rng([29, number])
    noise, count = LEVELS[number % len(LEVELS)], int(SIZES[rng.integers(len(SIZES))])
    x, y = equation.table(count, number, noise)
    good = np.isfinite(y)
    x, y = x[good], y[good]
    began = time.process_time()
    law = nalm.fit(x, y, equation.names, max_time=LIMIT)
    seconds = time.process_time() - began
    with np.errstate(all="ignore"):
        right = is_law(equation, law.tree, Rows(x, y, np.ones(len(y))))
    return Trial(
        f"{number} {equation.name}", equation.formula, noise, count, law.outcome, right,
        round(seconds, 2), law.text()[:300],
    )  # fmt: skip


def read(path: Path) -> Iterator[Trial]:
    """Yield the trials of a file."""
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield Trial(
                    row["law"], row["formula"], float(row["noise"]), int(row["rows"]),
                    row["outcome"], row["right"] == "True", float(row["seconds"]), row["found"],
                )  # fmt: skip


def summary(trials: list[Trial]) -> str:
    """Return the table: for each level of noise what was claimed, and what of it is wrong."""
    from nalm.sweeps.statistics import wilson

    lines = [
        "| noise | laws | verified | of these not the law | 95 % interval | right, but not "
        "verified | plausible | CPU s, median |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for noise in sorted({trial.noise for trial in trials}):
        part = [trial for trial in trials if trial.noise == noise]
        claimed = [trial for trial in part if trial.claimed]
        wrong = sum(not trial.right for trial in claimed)
        low, high = wilson(wrong, len(claimed)) if claimed else (0.0, 1.0)
        silent = sum(trial.right and not trial.claimed for trial in part)
        plausible = sum(trial.outcome == "plausible" for trial in part)
        seconds = np.median([trial.seconds for trial in part])
        lines.append(
            f"| {noise:.1%} | {len(part)} | {len(claimed)} | {wrong} | {low:.1%} to {high:.1%} | "
            f"{silent} | {plausible} | {seconds:.2f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.fit.calibration", description=__doc__)
    parser.add_argument("--laws", type=int, default=1000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--most-seconds", type=float, default=np.inf, help="when to pause")
    parser.add_argument("--out", type=Path, default=Path("results/calibration.csv"))
    options = parser.parse_args(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    trials = list(read(options.out))
    known = {int(trial.law.split()[0]) for trial in trials}
    public, began, new = equations("feynman.csv"), time.monotonic(), not options.out.exists()
    with options.out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Trial)])
        if new:
            writer.writeheader()
        for number in range(options.first, options.first + options.laws):
            if number in known:
                continue
            if time.monotonic() - began > options.most_seconds:
                print(summary(trials))
                return 1
            trials.append(tried(number, public))
            writer.writerow(asdict(trials[-1]))
            file.flush()
    print(summary(trials))
    wrong = [trial for trial in trials if trial.claimed and not trial.right]
    print("\n".join(f"{t.noise:g} {t.law}: {t.formula} gave {t.found}" for t in wrong))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
