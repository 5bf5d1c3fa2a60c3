"""Results as flat rows: the one module that knows the column names of tables, JSON and CSV."""

from collections.abc import Mapping
from math import nan
from typing import Any, NamedTuple

from nalm.sweeps.runs import RunResult
from nalm.sweeps.statistics import Estimate, Method, known
from nalm.sweeps.types import (
    OF_ERRORS,
    CellKey,
    CellSummary,
    CurvePoint,
    Quantity,
    Size,
)

Row = dict[str, Any]
"""Plain values by column: texts, numbers, lists of numbers, None where there is no value."""


class Columns(NamedTuple):
    """The columns of a number with its interval."""

    value: str
    low: str
    high: str


class PublishedColumns(NamedTuple):
    """The columns of a comparison with a published value."""

    value: str
    low: str
    high: str
    verdict: str
    reason: str
    source: str


KEY = CellKey._fields
"""The columns of the key of a cell."""
OURS = {
    Quantity.RATE: Columns("rate", "low", "high"),
    Quantity.SOLVED_AT: Columns("solved_at", "solved_at_low", "solved_at_high"),
    Quantity.MEDIAN_SOLVED_AT: Columns(
        "median_solved_at", "median_solved_at_low", "median_solved_at_high"
    ),
    Quantity.SPARSITY: Columns("sparsity", "sparsity_low", "sparsity_high"),
    Quantity.TEST_ERROR: Columns("test_error", "test_error_low", "test_error_high"),
    Quantity.VALIDATION_ERROR: Columns(
        "validation_error", "validation_error_low", "validation_error_high"
    ),
    **{
        quantity: Columns(f"{quantity}", f"{quantity}_low", f"{quantity}_high")
        for quantity in (Quantity.MEDIAN_TEST_ERROR, Quantity.MEDIAN_VALIDATION_ERROR)
    },
    Quantity.INTERPOLATION_RATE: Columns(
        "interpolation_rate", "interpolation_rate_low", "interpolation_rate_high"
    ),
    Quantity.ACCURACY: Columns("accuracy", "accuracy_low", "accuracy_high"),
}
PUBLISHED = {
    Quantity.RATE: PublishedColumns(
        "published", "published_low", "published_high", "verdict", "reason", "source"
    ),
    Quantity.SOLVED_AT: PublishedColumns(
        "published_solved_at",
        "published_solved_at_low",
        "published_solved_at_high",
        "solved_at_verdict",
        "solved_at_reason",
        "solved_at_source",
    ),
    Quantity.MEDIAN_SOLVED_AT: PublishedColumns(
        "published_median_solved_at",
        "published_median_solved_at_low",
        "published_median_solved_at_high",
        "median_solved_at_verdict",
        "median_solved_at_reason",
        "median_solved_at_source",
    ),
    Quantity.SPARSITY: PublishedColumns(
        "published_sparsity",
        "published_sparsity_low",
        "published_sparsity_high",
        "sparsity_verdict",
        "sparsity_reason",
        "sparsity_source",
    ),
    **{
        quantity: PublishedColumns(
            f"published_{quantity}",
            f"published_{quantity}_low",
            f"published_{quantity}_high",
            f"{quantity}_verdict",
            f"{quantity}_reason",
            f"{quantity}_source",
        )
        for quantity in (*OF_ERRORS, Quantity.ACCURACY)
    },
}
BY_AUTHORS = Columns(
    "solved_at_by_authors", "solved_at_by_authors_low", "solved_at_by_authors_high"
)
"""Our mean step by the fit of the published code, where that is what is compared."""
LISTS = ("solved_at_each", "sparsity_each", "test_each", "validation_each")
"""The columns that are lists of numbers."""


def flatten(cell: CellSummary) -> Row:
    """Return a cell as one row of plain values.

    Examples
    --------
    >>> from nalm.sweeps import CellKey, summarize
    >>> from nalm.sweeps.statistics import Outcome
    >>> cell = summarize(CellKey("nmu", "mul", "U[1,2)", 2), 50_000, [
    ...     Outcome(True, 9000, 1e-6, 1e-9, False)])
    >>> row = flatten(cell)
    >>> row["unit"], row["successes"], row["rate"], row["median_solved_at"], row["verdict"]
    ('nmu', 1, 1.0, 9000.0, None)
    """
    equal = cell.equal_rate
    size = cell.published_size
    row: Row = {
        **cell.key._asdict(),
        "runs": cell.runs,
        "successes": cell.successes,
        **_estimate(OURS[Quantity.RATE], cell.rate),
        "equal": cell.equal,
        "equal_low": None if equal is None else equal.low,
        "equal_high": None if equal is None else equal.high,
        "solved_equal": cell.solved_equal,
        "diverged": cell.diverged,
        **_estimate(OURS[Quantity.MEDIAN_SOLVED_AT], cell.median_solved_at),
        **_estimate(OURS[Quantity.SOLVED_AT], cell.solved_at),
        "median_sparsity": known(cell.median_sparsity.value),
        **_estimate(OURS[Quantity.SPARSITY], cell.sparsity),
        "sparsity_interval": str(cell.sparsity.method) if cell.sparsity.known else None,
        "solved_at_each": list(cell.solved_at_each),
        "sparsity_each": list(cell.sparsity_each),
        "test_each": list(cell.test_each),
        "validation_each": list(cell.validation_each),
        **_estimate(OURS[Quantity.ACCURACY], cell.accuracy),
        "steps": cell.steps,
        "published_steps": None if size is None else size.steps,
        "published_runs": None if size is None else size.runs,
    }
    for quantity in Quantity:
        row |= _comparison(cell, quantity)
    return row


def _estimate(columns: Columns, estimate: Estimate) -> Row:
    numbers = (estimate.value, estimate.low, estimate.high)
    return dict(zip(columns, map(known, numbers), strict=True))


def _comparison(cell: CellSummary, quantity: Quantity) -> Row:
    columns, found = PUBLISHED[quantity], cell.comparison(quantity)
    row: Row = dict.fromkeys(columns)
    if quantity is Quantity.SOLVED_AT:
        row |= dict.fromkeys(BY_AUTHORS)
    if quantity in OF_ERRORS:
        ours = OURS[quantity]
        row |= dict.fromkeys(ours) if found is None else _estimate(ours, found.ours)
    if found is None:
        return row
    row |= _estimate(Columns(*columns[:3]), found.published)
    row[columns.verdict] = str(found.verdict)
    row[columns.reason] = None if found.reason is None else str(found.reason)
    row[columns.source] = found.source
    if found.ours.method is Method.AUTHORS:
        row |= _estimate(BY_AUTHORS, found.ours)
    return row


def read_row(row: Mapping[str, Any]) -> CellSummary:
    """Return the cell of a row that `flatten` made; comparisons are left out.

    Columns that a row does not have are unknown: old records lack some.
    """
    runs, solved = row["runs"], row["successes"]
    each = {name: tuple(row.get(name) or ()) for name in LISTS}
    method = Method(row.get("sparsity_interval") or Method.BETA)
    steps, count = row.get("published_steps"), row.get("published_runs")
    return CellSummary(
        key=CellKey(*(row[name] for name in KEY)),
        steps=row["steps"],
        runs=runs,
        successes=solved,
        diverged=row["diverged"],
        equal=row.get("equal"),
        solved_equal=row.get("solved_equal"),
        solved_at=_read(row, OURS[Quantity.SOLVED_AT], solved, Method.GAMMA),
        median_solved_at=_read(row, OURS[Quantity.MEDIAN_SOLVED_AT], solved, Method.ORDER),
        sparsity=_read(row, OURS[Quantity.SPARSITY], solved, method),
        median_sparsity=Estimate(_number(row, "median_sparsity"), nan, nan, solved, Method.ORDER),
        solved_at_each=each["solved_at_each"],
        sparsity_each=each["sparsity_each"],
        test_each=each["test_each"],
        validation_each=each["validation_each"],
        accuracy=_read(row, OURS[Quantity.ACCURACY], runs, Method.STUDENT),
        published_size=None if steps is None or count is None else Size(count, steps),
    )


def _read(row: Mapping[str, Any], columns: Columns, n: int, method: Method) -> Estimate:
    value, low, high = (_number(row, name) for name in columns)
    return Estimate(value, low, high, n, method)


def _number(row: Mapping[str, Any], name: str) -> float:
    value = row.get(name)
    return nan if value is None else value


def flatten_run(run: RunResult) -> Row:
    """Return a run as one row: what it came to, its formula, and no curves."""
    return {
        **run.key._asdict(),
        "seed": run.seed,
        "steps": run.setup.steps,
        "success": run.success,
        "solved_at": run.solved_at,
        "validation_error": known(run.validation_error),
        "test_error": known(run.test_error),
        "label": run.label,
        "score": known(run.score),
        "sparsity_error": known(run.sparsity_error),
        "diverged": run.diverged,
        "equal": run.outcome.equal,
        "formula": run.formula,
    }


def flatten_point(point: CurvePoint) -> Row:
    """Return one evaluation of a run as one row."""
    return {
        **point.key._asdict(),
        "seed": point.seed,
        "step": point.step,
        "validation": known(point.validation),
        "test": known(point.test),
        "loss": known(point.loss),
        "sparsity": known(point.sparsity),
    }
