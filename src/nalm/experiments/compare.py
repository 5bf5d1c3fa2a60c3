"""Our rates beside those in print, with a verdict each."""

from collections.abc import Sequence
from typing import Any

from nalm.experiments.published import published_rates
from nalm.stats import Interval, Verdict, verdict, wilson
from nalm.stats.intervals import known

FIELDS = ("published", "published_low", "published_high", "verdict", "source")
NOTHING: dict[str, Any] = {name: None for name in FIELDS}  # noqa: C420 (typed by its name)
"""What a row says where nothing is in print."""


def compared(
    experiment: str, rows: Sequence[dict[str, Any]], shortened: set[tuple] | None = None
) -> list[dict[str, Any]]:
    """Return the rows with what is in print of each, and the verdict; None where nothing is.

    Compositions are compared by their formulas, which is what is in print of them. Cells that were
    trained for another number of steps than published are not comparable. Fewer
    seeds are: the intervals are the wider for it.
    """
    in_print = {p.place: p for p in published_rates(experiment) if len(p.ranges) == 1}
    joined = []
    for row in rows:
        place = tuple(row[key] for key in ("unit", "op", "range", "inputs", "setting"))
        found = in_print.get(place)  # pyright: ignore[reportArgumentType]
        said = NOTHING
        if found:
            ours = Interval(row["low"], row["high"])
            if row.get("equal") is not None:
                ours = Interval(row["equal_low"], row["equal_high"])
            shorter = place in (shortened or set())
            said = {
                "published": found.value,
                "published_low": known(found.interval.low),
                "published_high": known(found.interval.high),
                "verdict": str(Verdict.INCOMPARABLE if shorter else verdict(ours, found.interval)),
                "source": found.source,
            }
        joined.append({**row, **said})
    return joined


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
