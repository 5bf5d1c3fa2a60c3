"""How many published values agree with ours, by experiment and in all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nalm.report.results import ExperimentRuns
from nalm.sweeps.statistics import Estimate, Method, Verdict
from nalm.sweeps.types import (
    OF_SOLVED_RUNS,
    CellKey,
    CellSummary,
    Comparison,
    GroupSummary,
    Quantity,
)


@dataclass(frozen=True)
class Verdicts:
    """How many published values agree with ours."""

    agree: int
    differ: int
    incomparable: int

    @property
    def total(self) -> int:
        """The number of published values."""
        return self.agree + self.differ + self.incomparable

    @property
    def words(self) -> str:
        """How many there are of each.

        >>> Verdicts(18, 0, 1).words
        '18 of 19 agree with ours, 1 is not comparable'
        """
        said = [
            (self.agree, "agree with ours", "agrees with ours"),
            (self.differ, "differ", "differs"),
            (self.incomparable, "are not comparable", "is not comparable"),
        ]
        parts = [(n, one if n == 1 else several) for n, several, one in said if n]
        words = [f"{n:,} {verb}" for n, verb in parts]
        return ", ".join([words[0].replace(" ", f" of {self.total:,} ", 1), *words[1:]])


def count_verdicts(comparisons: Iterable[Comparison]) -> Verdicts:
    """Return how many comparisons have each verdict."""
    counts = Counter(comparison.verdict for comparison in comparisons)
    return Verdicts(counts[Verdict.AGREES], counts[Verdict.DIFFERS], counts[Verdict.INCOMPARABLE])


def rates(cells: Sequence[CellSummary], groups: Sequence[GroupSummary]) -> list[Comparison]:
    """Return the comparisons of success rates, of cells and of groups of ranges."""
    of_cells = (cell.comparison() for cell in cells)
    return [c for c in of_cells if c] + [group.comparison for group in groups]


def means(cells: Sequence[CellSummary]) -> list[Comparison]:
    """Return the comparisons of steps, errors, accuracies and interpolation rates."""
    return [
        comparison
        for cell in cells
        for comparison in cell.comparisons
        if comparison.quantity is not Quantity.RATE
    ]


@dataclass(frozen=True)
class MeanRow:
    """A published mean, median or interpolation rate beside ours."""

    key: CellKey
    quantity: str
    solved: int
    ours: Estimate
    comparison: Comparison


def mean_rows(cells: Sequence[CellSummary]) -> list[MeanRow]:
    """Return the published steps, errors, accuracies and interpolation rates beside ours.

    Where only the authors' estimate of a mean is published, ours is estimated in the same way. That
    needs the steps of single runs; where they were not stored, our own estimate is shown.
    """
    return [_mean_row(cell, comparison) for cell in cells for comparison in means([cell])]


def _mean_row(cell: CellSummary, comparison: Comparison) -> MeanRow:
    quantity, ours = comparison.quantity.heading, comparison.ours
    if not ours.known and comparison.quantity in OF_SOLVED_RUNS:
        ours = cell.estimate(comparison.quantity)
    elif ours.method is Method.AUTHORS:
        quantity += ", estimated as published"
    return MeanRow(cell.key, quantity, cell.successes, ours, comparison)


@dataclass(frozen=True)
class SummaryLine:
    """What the summary says about one experiment, or about all."""

    name: str
    runs: int
    missing: int
    diverged: int
    rates: Verdicts
    means: Verdicts


@dataclass(frozen=True)
class Summary:
    """The first section of the page."""

    lines: tuple[SummaryLine, ...]
    all: SummaryLine

    @property
    def rates(self) -> Verdicts:
        """The verdicts on all published success rates."""
        return self.all.rates

    @property
    def means(self) -> Verdicts:
        """The verdicts on all published steps and sparsity errors."""
        return self.all.means


def summarize(experiments: Sequence[ExperimentRuns]) -> Summary:
    """Return the numbers of runs and verdicts of each experiment, and of all."""
    lines = tuple(_line(experiment.name, [experiment]) for experiment in experiments)
    return Summary(lines, _line("all", experiments))


def _line(name: str, experiments: Sequence[ExperimentRuns]) -> SummaryLine:
    return SummaryLine(
        name=name,
        runs=sum(len(e.runs) for e in experiments),
        missing=sum(e.missing for e in experiments),
        diverged=sum(cell.diverged for e in experiments for cell in e.summaries),
        rates=count_verdicts(c for e in experiments for c in rates(e.summaries, e.groups)),
        means=count_verdicts(c for e in experiments for c in means(e.summaries)),
    )
