"""`python -m benchmarks.fit.ground_truth`: SRBench's ground-truth track and textbook laws.

Every fit is a line of a CSV file, so the same command continues where it was interrupted.

A formula counts as solved by SRBench's rule: with its numbers rounded to three digits, formula
minus law is a constant, or formula over law is a constant other than 0. Here that is checked by
numbers instead of by symbols: the formula, plus a constant or times one, must become the law to one
part in a million when its measured numbers move by less than such rounding moves them.

`--method` chooses another tool. It gets the CPU time that nalm used for the same rows, as the file
says, and it may use the functions of `FUNCTIONS`.
"""

import argparse
import csv
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import partial
from math import floor, log10
from pathlib import Path
from typing import Protocol

import numpy as np
from benchmarks.fit.methods import METHODS, Table
from benchmarks.fit.problem import evaluated
from benchmarks.fit.run import LEAST
from benchmarks.fit.strogatz import rates

import nalm
from nalm.errors import InputError
from nalm.fitting.evidence.refit import refit
from nalm.fitting.form import form_of
from nalm.fitting.rows import DOUBLE, Rows
from nalm.fitting.tree import ONE, Tree, WeightedSum
from nalm.fitting.tree.number import is_measured

DATA = Path(__file__).parent / "data"
ROWS, TEST_ROWS = 2000, 500
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tanh", "arcsin", "arccos")
"""The functions that other tools may use; those that the Feynman equations have."""
OURS = "nalm"
EQUAL = 1e-6
"""The error, as a share of the usual result, below which two formulas are one."""


class Truth(Protocol):
    """A law that a fit is to find."""

    @property
    def name(self) -> str:
        """Its name in SRBench."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its inputs."""
        ...

    def table(self, rows: int, seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs and results; the noise is a share of the root mean square of the result."""
        ...


@dataclass(frozen=True)
class Equation:
    """A law with the interval of each of its variables."""

    name: str
    formula: str
    names: tuple[str, ...]
    spans: tuple[tuple[float, float], ...]

    def table(self, rows: int, seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows; the noise is a share of the root mean square of the result."""
        rng = np.random.default_rng([seed, rows, *map(ord, self.name)])
        low, high = np.array(self.spans).T
        x = rng.uniform(low, high, (rows, len(self.names)))
        y = evaluated(self.formula, self.names, x)
        return x, y + rng.normal(0, 1, rows) * noise * np.sqrt(np.mean(y**2))


@dataclass(frozen=True)
class Outcome:
    """What a fit gave."""

    method: str
    track: str
    equation: str
    noise: float
    seed: int
    solved: bool
    outcome: str
    seconds: float
    formula: str

    @property
    def key(self) -> "Key":
        """What tells it from other fits."""
        return self.method, self.track, self.equation, self.noise, self.seed


Key = tuple[str, str, str, float, int]


def equations(file_name: str) -> list[Equation]:
    """Return the equations of a file."""
    found = []
    with (DATA / file_name).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            variables = [part.split(":") for part in row["variables"].split()]
            spans = tuple((float(low), float(high)) for _, low, high in variables)
            names = tuple(name for name, _, _ in variables)
            found.append(Equation(row["dataset"], row["formula"], names, spans))
    return found


TRACKS: dict[str, Callable[[], Sequence[Truth]]] = {
    "feynman": partial(equations, "feynman.csv"),
    "strogatz": rates,
    "textbook": partial(equations, "textbook.csv"),
}


def solved(equation: Truth, tree: Tree) -> bool:
    """Whether a formula is the law by SRBench's rule."""
    x, y = equation.table(TEST_ROWS, 10**6, 0.0)
    good = np.isfinite(y)
    rows = Rows(x[good], y[good], np.ones(int(good.sum())))
    with np.errstate(all="ignore"):
        return _becomes(tree, rows) or any(
            _becomes(form, rows) for each in _with_one_known(tree) for form in _related(each)
        )


def _with_one_known(tree: Tree) -> Iterator[Tree]:
    """Yield a formula as it is, and with each measured number as it is fixed.

    A factor or a constant beside the formula may do what one of its numbers does.
    """
    yield tree
    numbers = tree.numbers()
    for i, number in enumerate(numbers):
        if is_measured(number):
            yield tree.with_numbers([*numbers[:i], Fraction(number), *numbers[i + 1 :]])


def _related(tree: Tree) -> Iterator[Tree]:
    """Yield the multiples of a formula, and the formula plus a constant."""
    yield WeightedSum(((Beside(1.0), tree),))
    yield WeightedSum(((ONE, tree),), Beside(1e-3))


class Beside(float):
    """A measured number that does not belong to the formula, so that it may be any."""


def _becomes(tree: Tree, rows: Rows) -> bool:
    """Whether a formula is the law of some rows once its own numbers are rounded."""
    moved, _ = refit(tree, rows, DOUBLE, 60)
    usual = float(np.median(np.abs(rows.y)))
    error = np.abs(moved.evaluate(rows.x) - rows.y) / (np.abs(rows.y) + usual)
    if not np.quantile(np.where(np.isfinite(error), error, np.inf), 0.99) < EQUAL:
        return False
    pairs = zip(tree.measured(), moved.measured(), strict=True)
    return all(abs(b - a) <= rounding(b) for b, a in pairs if not isinstance(b, Beside))


def rounding(value: float) -> float:
    """Return by how much three decimals, or three digits if that is coarser, move a number.

    >>> rounding(6.28), rounding(0.01)
    (0.005, 0.0005)
    """
    digits = 0.5 * 10.0 ** (floor(log10(abs(value))) - 2) if value else 0.0
    return max(5e-4, digits)


@dataclass(frozen=True)
class Job:
    """The rows of a law that a tool is given."""

    track: str
    equation: Truth
    noise: float
    seed: int
    rows: int

    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows whose result is a number."""
        x, y = self.equation.table(self.rows, self.seed, self.noise)
        good = np.isfinite(y)
        return x[good], y[good]

    def key(self, method: str) -> Key:
        """Return what tells the outcome of a tool from others."""
        return method, self.track, self.equation.name, self.noise, self.seed

    def outcome(self, method: str, formula: str, solved: bool, said: str, began: float) -> Outcome:
        """Return what a tool found, and how much CPU time it took since it began."""
        seconds = round(time.process_time() - began, 2)
        method, track, equation, noise, seed = self.key(method)
        return Outcome(method, track, equation, noise, seed, solved, said, seconds, formula)

    def fitted(self) -> Outcome:
        """Fit the law with nalm, and judge what comes."""
        x, y = self.table()
        began = time.process_time()
        law = nalm.fit(x, y, self.equation.names)
        found = self.outcome(OURS, law.text(), False, law.outcome, began)
        return replace(found, solved=solved(self.equation, law.tree))

    def found_by(self, method: str, seconds: float) -> list[Outcome]:
        """Return what another tool finds in so many seconds; some choose by several rules."""
        x, y = self.table()
        METHODS[method].warm()
        began = time.process_time()
        found = METHODS[method].fit(Table(x, y, self.equation.names, seconds, FUNCTIONS, self.seed))
        outcomes = [self.outcome(name, f.expression, False, "", began) for name, f in found.items()]
        return [replace(o, solved=solved_text(self.equation, o.formula)) for o in outcomes]


def solved_text(equation: Truth, text: str) -> bool:
    """Whether a formula of another tool is the law; all its decimals are measured numbers."""
    values: list[float] = []

    def named(number: re.Match[str]) -> str:
        values.append(float(number[0]))
        return f"measured_{len(values)}"

    form = re.sub(r"(?<![\w.])(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?", named, text)
    try:
        tree = form_of(f"{form} + measured_0", equation.names).with_values([*values, 0.0])
    except InputError:
        return False
    return solved(equation, tree)


def read(path: Path) -> Iterator[Outcome]:
    """Yield the outcomes of a file."""
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield Outcome(
                    row["method"], row["track"], row["equation"], float(row["noise"]),
                    int(row["seed"]), row["solved"] == "True", row["outcome"],
                    float(row["seconds"]), row["formula"],
                )  # fmt: skip


def summary(outcomes: list[Outcome]) -> str:
    """Return a line for each track and noise."""
    from nalm.sweeps.statistics import wilson

    lines = []
    for track, noise, method in sorted({(o.track, o.noise, o.method) for o in outcomes}):
        part = [o for o in outcomes if (o.track, o.noise, o.method) == (track, noise, method)]
        right = sum(o.solved for o in part)
        low, high = wilson(right, len(part))
        claimed = [o for o in part if o.outcome in {"exact", "within noise"}]
        wrong = sum(not o.solved for o in claimed)
        seconds = [o.seconds for o in part]
        lines.append(
            f"{method}, {track}, noise {noise:g}: {right} of {len(part)} solved "
            f"(95 % interval {low:.0%} to {high:.0%}), verified {len(claimed)}, "
            f"of these not the law {wrong}, CPU s median {np.median(seconds):.2f}, "
            f"most {max(seconds):.1f}"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.fit.ground_truth", description=__doc__)
    parser.add_argument("--track", choices=TRACKS, default="feynman")
    parser.add_argument("--noise", default="0", help="shares, separated by commas")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--method", choices=METHODS, default=OURS)
    parser.add_argument("--least", type=float, default=LEAST, help="CPU s of another tool at least")
    parser.add_argument("--only", default="", help="names of equations, separated by commas")
    parser.add_argument("--part", default="0/1", help="0/2 and 1/2 are two halves of the work")
    parser.add_argument("--most-seconds", type=float, default=np.inf, help="when to pause")
    parser.add_argument("--out", type=Path, default=Path("results/ground_truth.csv"))
    options = parser.parse_args(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known = {outcome.key: outcome for outcome in read(options.out)}
    header = [field.name for field in fields(Outcome)]
    began, new = time.monotonic(), not options.out.exists()
    part, parts = map(int, options.part.split("/"))
    with options.out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header)
        if new:
            writer.writeheader()
        for noise in map(float, options.noise.split(",")):
            for seed in range(options.seeds):
                for equation in TRACKS[options.track]()[part::parts]:
                    wanted = not options.only or equation.name in options.only.split(",")
                    job = Job(options.track, equation, noise, seed, options.rows)
                    if job.key(METHODS[options.method].chosen[0]) in known or not wanted:
                        continue
                    if time.monotonic() - began > options.most_seconds:
                        print(summary(list(known.values())))
                        return 1
                    if options.method == OURS:
                        outcomes = [job.fitted()]
                    else:
                        ours = known.get(job.key(OURS))
                        seconds = max(options.least, ours.seconds if ours else 0.0)
                        outcomes = job.found_by(options.method, seconds)
                    for outcome in outcomes:
                        known[outcome.key] = outcome
                        writer.writerow(asdict(outcome))
                        file.flush()
                        print(
                            f"{'solved' if outcome.solved else 'missed'} {outcome.outcome} "
                            f"{outcome.seconds:.2f} s {equation.name}: {outcome.formula[:100]}",
                            flush=True,
                        )
    print(summary(list(known.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
