"""What is known about the runs of a sweep, as frozen types: the only form results travel in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import nan
from typing import NamedTuple

from nalm.errors import InputError
from nalm.sweeps.statistics import NONE, Estimate, Method, Verdict, median, rate, student_mean


class CellKey(NamedTuple):
    """What identifies a cell within its experiment.

    Parameters
    ----------
    unit
        What the model is called in tables.
    op
        The operation, or the formula of the target.
    range
        The label of the training distribution.
    inputs
        The number of inputs.
    setting
        What else distinguishes the cell: the value of a swept quantity, or empty.

    Examples
    --------
    >>> from nalm.sweeps import CellKey
    >>> print(CellKey("nmu", "mul", "U[1,2)", 2, ""))
    nmu, mul, U[1,2), 2 inputs
    """

    unit: str
    op: str
    range: str
    inputs: int
    setting: str = ""

    def __str__(self) -> str:
        inputs = f"{self.inputs} input{'' if self.inputs == 1 else 's'}"
        parts = (self.unit, self.op, self.range, inputs, self.setting)
        return ", ".join(part for part in parts if part)


class Quantity(StrEnum):
    """What is compared with published values."""

    RATE = "rate"
    """The success rate; of compositions, the share of runs whose formula is the target."""
    SOLVED_AT = "solved_at"
    """The mean step at which solved runs were solved."""
    MEDIAN_SOLVED_AT = "median_solved_at"
    SPARSITY = "sparsity"
    """The mean sparsity error of solved runs."""
    TEST_ERROR = "test_error"
    """The mean squared error on the test range, of all runs."""
    VALIDATION_ERROR = "validation_error"
    """The mean squared error on the training range, of all runs."""
    MEDIAN_TEST_ERROR = "median_test_error"
    MEDIAN_VALIDATION_ERROR = "median_validation_error"
    ACCURACY = "accuracy"
    """The mean share of test results that are right, of tasks that count them."""
    INTERPOLATION_RATE = "interpolation_rate"
    """The share of runs whose error on the training range is below a published limit."""

    @property
    def heading(self) -> str:
        """What it is called in tables."""
        return HEADINGS[self]


HEADINGS = {
    Quantity.RATE: "success rate",
    Quantity.SOLVED_AT: "mean step",
    Quantity.MEDIAN_SOLVED_AT: "median step",
    Quantity.SPARSITY: "mean sparsity error",
    Quantity.TEST_ERROR: "mean squared test error",
    Quantity.VALIDATION_ERROR: "mean squared validation error",
    Quantity.MEDIAN_TEST_ERROR: "median squared test error",
    Quantity.MEDIAN_VALIDATION_ERROR: "median squared validation error",
    Quantity.INTERPOLATION_RATE: "interpolation rate",
    Quantity.ACCURACY: "mean accuracy",
}
OF_SOLVED_RUNS = (Quantity.SOLVED_AT, Quantity.MEDIAN_SOLVED_AT, Quantity.SPARSITY)
"""The quantities that only solved runs have."""
OF_ERRORS = (
    Quantity.TEST_ERROR,
    Quantity.VALIDATION_ERROR,
    Quantity.MEDIAN_TEST_ERROR,
    Quantity.MEDIAN_VALIDATION_ERROR,
    Quantity.INTERPOLATION_RATE,
)
"""The quantities that come from the errors of all runs."""


WIDE = 0.5
"""Agreement within an interval wider than this is weak evidence."""


class Reason(StrEnum):
    """Why a published value is not comparable."""

    STEPS = "another number of steps"
    FEW = "too few solved runs"
    NO_INTERVAL = "no published interval"
    NOT_KEPT = "the errors of runs were not kept"
    CRITERION = "its criterion is not published"


@dataclass(frozen=True)
class Comparison:
    """Our estimate beside a published value, and the verdict.

    `reason` is set where the verdict is "not comparable".
    """

    quantity: Quantity
    ours: Estimate
    published: Estimate
    verdict: Verdict
    reason: Reason | None
    source: str
    """The paper, by its key, and the section, table or figure."""

    @property
    def wide(self) -> bool:
        """Whether rates agree within an interval wider than 0.5, ours or the published one."""
        rates = self.quantity in {Quantity.RATE, Quantity.INTERPOLATION_RATE}
        widths = (estimate.high - estimate.low for estimate in (self.ours, self.published))
        return rates and self.verdict is Verdict.AGREES and max(widths) > WIDE

    @property
    def said(self) -> str:
        """The verdict in words, with how much it is worth."""
        return f"{self.verdict}, wide" if self.wide else str(self.verdict)


class NoteKind(StrEnum):
    """What a note is about."""

    SIZE = "size"
    """Another number of seeds or steps than published."""
    ZERO_DIVISOR = "zero divisor"
    """A divisor that comes near zero."""
    CHANGED = "changed setting"
    """A unit, range, operation or recipe that is not the published one."""
    MACHINE = "machine"
    """Runs that another kind of processor trained."""
    GENERATOR = "generator"
    """Stored runs that drew their random numbers from another generator than is asked for."""
    DAMAGE = "damage"
    """Stored results that were not what had been written, and what became of them."""


@dataclass(frozen=True)
class Note:
    """What a reader of results should know."""

    kind: NoteKind
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Size:
    """How many runs a cell has, and for how many steps each is trained."""

    runs: int
    steps: int


@dataclass(frozen=True)
class CellSummary:
    """The statistics of the runs of one cell.

    Means and medians are those of the solved runs; `failed` says how many they leave out.
    """

    key: CellKey
    steps: int
    """For how many steps each run was trained."""
    runs: int
    successes: int
    diverged: int
    equal: int | None
    """How many runs have the target as their formula, by algebra; None where none is compared."""
    solved_equal: int | None
    """How many of the solved runs do."""
    solved_at: Estimate
    median_solved_at: Estimate
    sparsity: Estimate
    median_sparsity: Estimate
    solved_at_each: tuple[float, ...]
    """The steps of the solved runs."""
    sparsity_each: tuple[float, ...]
    """The sparsity errors of the solved runs that have one."""
    published_size: Size | None = None
    """The published size; None for a cell that is not published."""
    comparisons: tuple[Comparison, ...] = ()
    has_formula: bool = True
    """Whether the weights of its model can be read as a formula."""
    test_each: tuple[float, ...] = ()
    """The test errors of the runs, or of the first of them; empty where none is published."""
    validation_each: tuple[float, ...] = ()
    """Their validation errors."""
    accuracy: Estimate = NONE
    """The mean share of test results that are right; unknown where the task does not count them."""

    @property
    def failed(self) -> int:
        """How many runs were not solved."""
        return self.runs - self.successes

    @property
    def rate(self) -> Estimate:
        """The success rate with its Wilson interval."""
        return rate(self.successes, self.runs)

    @property
    def equal_rate(self) -> Estimate | None:
        """The share of runs whose formula is the target, where formulas are compared."""
        return None if self.equal is None else rate(self.equal, self.runs)

    @property
    def resized(self) -> bool:
        """Whether it was trained for another number of steps than published."""
        return self.published_size is not None and self.published_size.steps != self.steps

    def estimate(self, quantity: Quantity) -> Estimate:  # noqa: PLR0911 (one line per quantity)
        """Return our estimate of a quantity, as it is compared with published values."""
        match quantity:
            case Quantity.RATE:
                return self.equal_rate or self.rate
            case Quantity.SOLVED_AT:
                return self.solved_at
            case Quantity.MEDIAN_SOLVED_AT:
                return self.median_solved_at
            case Quantity.SPARSITY:
                return self.sparsity
            case Quantity.TEST_ERROR:
                return student_mean(self.test_each)
            case Quantity.VALIDATION_ERROR:
                return student_mean(self.validation_each)
            case Quantity.MEDIAN_TEST_ERROR:
                return median(self.test_each)
            case Quantity.MEDIAN_VALIDATION_ERROR:
                return median(self.validation_each)
            case Quantity.ACCURACY:
                return self.accuracy
            case Quantity.INTERPOLATION_RATE:
                raise InputError("An interpolation rate needs a limit: use interpolation(limit).")

    def interpolation(self, limit: float) -> Estimate:
        """Return the share of runs whose validation error is below a limit.

        Unknown where validation errors were not kept.
        """
        if not self.validation_each:
            return Estimate(nan, nan, nan, 0, Method.WILSON)
        below = sum(error < limit for error in self.validation_each)
        return rate(below, len(self.validation_each))

    def comparison(self, quantity: Quantity = Quantity.RATE) -> Comparison | None:
        """Return the comparison of a quantity; None where nothing is published."""
        return next((c for c in self.comparisons if c.quantity == quantity), None)


@dataclass(frozen=True)
class GroupSummary:
    """A published rate over a group of ranges beside ours, which pools the runs."""

    unit: str
    op: str
    ranges: tuple[str, ...]
    inputs: int
    runs: int
    successes: int
    comparison: Comparison


class CurvePoint(NamedTuple):
    """What was measured at one evaluation of one run."""

    key: CellKey
    seed: int
    step: int
    validation: float
    """The mean squared error on new samples of the training range."""
    test: float
    """The mean squared error on samples of the test range."""
    loss: float
    """The loss of the batch before the evaluation, without penalties; NaN before training."""
    sparsity: float


def size_notes(cells: Sequence[CellSummary], whose: str = "published") -> tuple[Note, ...]:
    """Return how cells differ in size from what is published, or planned, once each."""
    counts = Counter(found for cell in cells if (found := _resized(cell, whose)))
    notes = []
    for (sizes, consequence), count in counts.items():
        share = "" if count == len(cells) else f" ({count} of {len(cells)} cells)"
        notes.append(Note(NoteKind.SIZE, f"{sizes}{share}{consequence}."))
    return tuple(notes)


def _resized(cell: CellSummary, whose: str) -> tuple[str, str] | None:
    """Return how a cell differs in size from what is published, and what follows from it."""
    published = cell.published_size
    if published is None or published == Size(cell.runs, cell.steps):
        return None
    parts = [
        f"{ours:,} of the {whose} {theirs:,} {what}"
        if ours < theirs
        else f"{ours:,} {what} instead of the {whose} {theirs:,}"
        for ours, theirs, what in (
            (cell.runs, published.runs, "seeds"),
            (cell.steps, published.steps, "steps"),
        )
        if ours != theirs
    ]
    consequence = ""
    if cell.resized:
        consequence = ", so published values are not compared" if whose == "published" else ""
    elif cell.runs < published.runs:
        consequence = ", so intervals are wider"
    return " and ".join(parts), consequence
