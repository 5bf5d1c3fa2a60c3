"""What is in print: success rates, and steps and sparsity errors of solved runs."""

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from nalm.stats import Interval

Quantity = Literal["solved_at", "median_solved_at", "sparsity"]


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
    return tuple(
        Published(
            experiment,
            row["name"],
            row["op"],
            tuple(row["range"].split(";")),
            int(row["inputs"]),
            row["setting"],
            _number(row["value"]),
            _interval(row),
            int(row["runs"]) if row["runs"] else None,
            row["source"],
        )
        for row in _rows("published.csv", experiment)
    )


@dataclass(frozen=True)
class PublishedMean:
    """A mean or median over the solved runs of a cell in print.

    Sparsity errors are means of the runs: where the published code printed half of one, it is
    doubled. What was read off a figure has an interval that its resolution has widened.
    """

    place: tuple[str, str, str, int, str]
    """The cell it belongs to."""
    quantity: Quantity
    value: float
    interval: Interval
    by_authors: bool
    """Whether it is a mean of steps as the published code fits it, `nalm.stats.legacy`."""
    source: str


@lru_cache
def published_means(experiment: str) -> tuple[PublishedMean, ...]:
    """Return the steps and sparsity errors in print of an experiment."""
    return tuple(
        PublishedMean(
            (row["name"], row["op"], row["range"], int(row["inputs"]), row["setting"]),
            row["quantity"],
            float(row["value"]),
            _interval(row),
            row["estimate"] == "authors",
            row["source"],
        )
        for row in _rows("published_means.csv", experiment)
    )


def _rows(file: str, experiment: str) -> list[dict[str, Any]]:
    text = (files("nalm.experiments") / file).read_text(encoding="utf-8")
    return [row for row in csv.DictReader(text.splitlines()) if row["experiment"] == experiment]


def _interval(row: dict[str, Any]) -> Interval:
    return Interval(*(float(row[end] or "nan") for end in ("low", "high")))


def _number(text: str) -> float | None:
    return float(text) if text else None
