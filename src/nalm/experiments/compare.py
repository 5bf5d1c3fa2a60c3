"""Our rates, steps and sparsity errors beside those in print, with a verdict each."""

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any, get_args

from nalm.experiments.published import (
    Published,
    PublishedMean,
    Quantity,
    published_means,
    published_rates,
)
from nalm.experiments.size import PLACE, place_of
from nalm.stats import Estimate, Interval, Verdict, verdict, wilson
from nalm.stats.intervals import UNKNOWN, known
from nalm.stats.legacy import published_solved_at

QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
RESOLUTION: dict[Quantity, float] = {
    "solved_at": 1000,
    "median_solved_at": 1000,
    "sparsity": 2**-23,
}
"""How closely a quantity is known: runs are evaluated every 1000 steps, weights are float32."""


def compared(
    experiment: str, rows: Sequence[dict[str, Any]], shortened: set[tuple] | None = None
) -> list[dict[str, Any]]:
    """Return the rows with what is in print of each, and the verdicts; None where nothing is.

    Compositions are compared by their formulas, which is what is in print of them. Cells that were
    trained for another number of steps than published are not comparable. Fewer
    seeds are: the intervals are the wider for it.
    """
    in_print = {p.place: p for p in published_rates(experiment) if len(p.ranges) == 1}
    means = {(p.place, p.quantity): p for p in published_means(experiment)}
    joined = []
    for row in rows:
        place = place_of(row)
        shorter = place in (shortened or set())
        rate = in_print.get(place)
        ours = Interval(row["low"], row["high"])
        if row.get("equal") is not None:
            ours = Interval(row["equal_low"], row["equal_high"])
        said = _beside("published", "", rate, ours, shorter)
        for quantity in QUANTITIES:
            said |= _mean_beside(quantity, means.get((place, quantity)), row, shorter)
        joined.append({**row, **said})
    return joined


def _beside(
    published: str,
    prefix: str,
    in_print: Published | PublishedMean | None,
    ours: Interval,
    shortened: bool,
) -> dict[str, Any]:
    """Return a value in print with its interval, verdict and source, as fields of a row.

    Where the verdict is "not comparable", the field `reason` says why.
    """
    ends = (f"{published}_low", f"{published}_high")
    names = (published, *ends, *(f"{prefix}{name}" for name in ("verdict", "reason", "source")))
    if in_print is None:
        return dict.fromkeys(names)
    theirs = in_print.interval
    said = Verdict.INCOMPARABLE if shortened else verdict(ours, theirs)
    reason = _reason(ours, shortened) if said == Verdict.INCOMPARABLE else None
    numbers = in_print.value, known(theirs.low), known(theirs.high)
    return dict(zip(names, (*numbers, str(said), reason, in_print.source), strict=True))


def _reason(ours: Interval, shortened: bool) -> str:
    """Return why nothing can be said of a value in print."""
    if shortened:
        return "another number of steps"
    return "too few solved runs" if isnan(ours.low) else "no interval in print"


def _mean_beside(
    quantity: Quantity, in_print: PublishedMean | None, row: Mapping[str, Any], shortened: bool
) -> dict[str, Any]:
    """Return the fields about a mean or median of solved runs, by the estimate that is in print."""
    by_authors = in_print is not None and in_print.by_authors
    each = row.get("solved_at_each") or []
    mine = published_solved_at(each) if by_authors else Estimate(nan, UNKNOWN)
    ours = mine.interval if by_authors else _interval_of(quantity, row)
    ours = _not_narrower(ours, RESOLUTION[quantity])
    said = _beside(f"published_{quantity}", f"{quantity}_", in_print, ours, shortened)
    if quantity == "solved_at":
        said |= {
            "solved_at_by_authors": known(mine.mean),
            "solved_at_by_authors_low": known(mine.interval.low),
            "solved_at_by_authors_high": known(mine.interval.high),
        }
    return said


def _interval_of(name: str, row: Mapping[str, Any]) -> Interval:
    ends = (row.get(f"{name}_{end}") for end in ("low", "high"))
    return Interval(*(nan if end is None else end for end in ends))


def _not_narrower(interval: Interval, least: float) -> Interval:
    """Return the interval, or one of the least width around its middle."""
    missing = max(0.0, least - (interval.high - interval.low)) / 2
    return Interval(interval.low - missing, interval.high + missing)


def means(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps and sparsity errors in print beside ours, by the same estimate, in rows."""
    found = []
    for row in rows:
        for quantity in QUANTITIES:
            said = row[f"{quantity}_verdict"]
            if said is None:
                continue
            theirs = row.get(f"{quantity}_by_authors") is not None
            ours = f"{quantity}_by_authors" if theirs else quantity
            found.append(
                {
                    **{name: row[name] for name in PLACE},
                    "quantity": quantity,
                    "solved": row["successes"],
                    "by_authors": theirs,
                    "ours": row.get(ours),
                    "low": row.get(f"{ours}_low"),
                    "high": row.get(f"{ours}_high"),
                    "published": row[f"published_{quantity}"],
                    "published_low": row[f"published_{quantity}_low"],
                    "published_high": row[f"published_{quantity}_high"],
                    "verdict": said,
                    "reason": row[f"{quantity}_reason"],
                    "source": row[f"{quantity}_source"],
                }
            )
    return found


def groups(experiment: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the published means over groups of ranges beside ours, which pool the runs."""
    found = []
    for p in published_rates(experiment):
        if p.setting != "group":
            continue
        mine = [
            row
            for row in rows
            if row["range"] in p.ranges
            and (row["unit"], row["inputs"]) == (p.name, p.inputs)
            and row["op"] == p.op
        ]
        if {row["range"] for row in mine} != set(p.ranges):
            continue
        successes, runs = (sum(row[key] for row in mine) for key in ("successes", "runs"))
        ours = wilson(successes, runs)
        found.append(
            {
                "unit": p.name,
                "op": p.op,
                "ranges": list(p.ranges),
                "inputs": p.inputs,
                "runs": runs,
                "successes": successes,
                "rate": successes / runs,
                "low": ours.low,
                "high": ours.high,
                "published": p.value,
                "published_low": p.interval.low,
                "published_high": p.interval.high,
                "verdict": str(verdict(ours, p.interval)),
                "source": p.source,
            }
        )
    return found
