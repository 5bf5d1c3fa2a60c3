"""Published success rates, and what ours say of them."""

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from nalm.stats import Interval


@dataclass(frozen=True)
class Published:
    """A success rate in print: a value or bounds, the number of runs, and where."""

    experiment: str
    name: str
    op: str
    ranges: tuple[str, ...]
    """One range; several where a mean over a group of ranges is in print."""
    inputs: int
    setting: str
    value: float | None
    interval: Interval
    runs: int | None
    source: str

    @property
    def place(self) -> tuple[str, str, str, int, str]:
        """The cell it belongs to."""
        return self.name, self.op, self.ranges[0], self.inputs, self.setting


@lru_cache
def published_rates(experiment: str) -> tuple[Published, ...]:
    """Return what is in print of an experiment."""
    text = (files("nalm.experiments") / "published.csv").read_text(encoding="utf-8")
    rows = [r for r in csv.DictReader(text.splitlines()) if r["experiment"] == experiment]
    return tuple(
        Published(
            experiment,
            row["name"],
            row["op"],
            tuple(row["range"].split(";")),
            int(row["inputs"]),
            row["setting"],
            _number(row["value"]),
            Interval(*(float(row[end] or "nan") for end in ("low", "high"))),
            int(row["runs"]) if row["runs"] else None,
            row["source"],
        )
        for row in rows
    )


def _number(text: str) -> float | None:
    return float(text) if text else None
