"""Our estimates beside published values, with a verdict each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isnan

from nalm.experiments.published import Published, PublishedMean, published_means, published_rates
from nalm.sweeps.statistics import Estimate, Interval, Verdict, rate, verdict
from nalm.sweeps.types import (
    OF_ERRORS,
    CellKey,
    CellSummary,
    Comparison,
    GroupSummary,
    Quantity,
    Reason,
    Size,
)

RESOLUTION = {
    Quantity.RATE: 0.0,
    Quantity.SOLVED_AT: 1000.0,
    Quantity.MEDIAN_SOLVED_AT: 1000.0,
    Quantity.SPARSITY: 2.0**-23,
    Quantity.TEST_ERROR: (8 * 2.0**-23) ** 2,
    Quantity.VALIDATION_ERROR: (8 * 2.0**-23) ** 2,
    Quantity.MEDIAN_TEST_ERROR: (8 * 2.0**-23) ** 2,
    Quantity.MEDIAN_VALIDATION_ERROR: (8 * 2.0**-23) ** 2,
    Quantity.INTERPOLATION_RATE: 0.0,
    Quantity.ACCURACY: 0.0,
}
"""How closely a quantity is known: runs are evaluated every 1000 steps, numbers are float32."""


def compare(
    experiment: str, sizes: Mapping[CellKey, Size], cells: Iterable[CellSummary]
) -> tuple[CellSummary, ...]:
    """Return cells with their published size, and a comparison for each published value.

    Compositions are compared by their formulas, because that is what is published of them. Cells
    that were trained for another number of steps than published are not comparable. Fewer seeds
    are: the intervals are wider.

    Parameters
    ----------
    experiment
        Its name.
    sizes
        The published size of each cell of the experiment (`Experiment.sizes`).
    cells
        Our cells; those that are not in `sizes` have nothing to compare.
    """
    rates = {p.key: p for p in published_rates(experiment) if len(p.ranges) == 1}
    means = {(p.key, p.quantity): p for p in published_means(experiment)}
    found = []
    for cell in cells:
        sized = replace(cell, published_size=sizes.get(cell.key))
        published = [rates.get(cell.key)]
        published += [means.get((cell.key, quantity)) for quantity in Quantity]
        comparisons = (_comparison(sized, p) for p in published if p)
        found.append(replace(sized, comparisons=tuple(comparisons)))
    return tuple(found)


def _comparison(cell: CellSummary, published: Published | PublishedMean) -> Comparison:
    ours, quantity = published.ours(cell), published.quantity
    known = _not_narrower(ours.interval, RESOLUTION[quantity])
    said = Verdict.INCOMPARABLE if cell.resized else verdict(known, published.estimate.interval)
    reason = _reason(ours, cell.resized, quantity) if said is Verdict.INCOMPARABLE else None
    return Comparison(quantity, ours, published.estimate, said, reason, published.source)


def _reason(ours: Estimate, resized: bool, quantity: Quantity) -> Reason:
    """Return why nothing can be concluded about a published value."""
    if resized:
        return Reason.STEPS
    if quantity is Quantity.ACCURACY and not ours.n:
        return Reason.CRITERION
    if quantity in OF_ERRORS and not ours.n:
        return Reason.NOT_KEPT
    return Reason.FEW if isnan(ours.low) else Reason.NO_INTERVAL


def _not_narrower(interval: Interval, least: float) -> Interval:
    """Return the interval, or one of the least width around its middle."""
    missing = max(0.0, least - (interval.high - interval.low)) / 2
    return Interval(interval.low - missing, interval.high + missing)


def groups(experiment: str, cells: Sequence[CellSummary]) -> list[GroupSummary]:
    """Return the published rates over groups of ranges beside ours, which pool the runs.

    Nothing is returned if any cell was trained for another number of steps than published.
    """
    if any(cell.resized for cell in cells):
        return []
    found = []
    for p in published_rates(experiment):
        if p.setting != "group":
            continue
        mine = [
            cell
            for cell in cells
            if cell.key.range in p.ranges
            and (cell.key.unit, cell.key.op, cell.key.inputs)
            == (p.key.unit, p.key.op, p.key.inputs)
        ]
        if {cell.key.range for cell in mine} != set(p.ranges):
            continue
        runs, successes = (sum(cell.runs for cell in mine), sum(cell.successes for cell in mine))
        ours = rate(successes, runs)
        said = verdict(ours.interval, p.estimate.interval)
        comparison = Comparison(Quantity.RATE, ours, p.estimate, said, None, p.source)
        found.append(
            GroupSummary(p.key.unit, p.key.op, p.ranges, p.key.inputs, runs, successes, comparison)
        )
    return found
