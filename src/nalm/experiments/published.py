"""What is published: success rates, and steps and sparsity errors of solved runs."""

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import nan
from typing import Any

from nalm.sweeps.statistics import Estimate, Method
from nalm.sweeps.statistics.legacy import published_solved_at
from nalm.sweeps.types import OF_ERRORS, CellKey, CellSummary, Quantity

WITH_ERRORS = {"composition", "feature-scaling"}
"""Experiments about whose errors there are published statements or means over several cells."""


@dataclass(frozen=True)
class Published:
    """A published success rate: a value or bounds, the number of runs, and where."""

    experiment: str
    key: CellKey
    """The cell it belongs to; of a group of ranges, the first."""
    ranges: tuple[str, ...]
    """One range; several where a mean over a group of ranges is published."""
    estimate: Estimate
    source: str

    @property
    def quantity(self) -> Quantity:
        """What it is."""
        return Quantity.RATE

    def ours(self, cell: CellSummary) -> Estimate:
        """Return our estimate of it."""
        return cell.estimate(Quantity.RATE)

    @property
    def setting(self) -> str:
        """The setting of its cell; "group" where it is about several ranges."""
        return self.key.setting


@lru_cache
def published_rates(experiment: str) -> tuple[Published, ...]:
    """Return the published success rates of an experiment."""
    found = []
    for row in _rows("published.csv", experiment):
        ranges = tuple(row["range"].split(";"))
        found.append(
            Published(experiment, _key(row, ranges[0]), ranges, _estimate(row), row["source"])
        )
    return tuple(found)


@dataclass(frozen=True)
class PublishedMean:
    """A published mean, median or interpolation rate of a cell.

    Sparsity errors are means of the runs: where the published code printed half of one, it is
    doubled. What was read off a figure has an interval that its resolution has widened.
    """

    key: CellKey
    """The cell it belongs to."""
    quantity: Quantity
    estimate: Estimate
    by_authors: bool
    """Whether it is a mean of steps as the published code fits it, see `legacy`."""
    source: str
    limit: float = nan
    """Below which validation error a run interpolates; for interpolation rates only."""

    def ours(self, cell: CellSummary) -> Estimate:
        """Return our estimate of it, made as the published one is."""
        if self.by_authors:
            return published_solved_at(cell.solved_at_each)
        if self.quantity is Quantity.INTERPOLATION_RATE:
            return cell.interpolation(self.limit)
        return cell.estimate(self.quantity)


@lru_cache
def published_means(experiment: str) -> tuple[PublishedMean, ...]:
    """Return the published steps, errors and interpolation rates of an experiment."""
    return tuple(
        PublishedMean(
            _key(row, row["range"]),
            Quantity(row["quantity"]),
            _estimate(row),
            row["estimate"] == "authors",
            row["source"],
            float(row["limit"] or nan),
        )
        for row in _rows("published_means.csv", experiment)
    )


@lru_cache
def needs_errors(experiment: str) -> bool:
    """Tell whether something is published about the errors of an experiment's runs."""
    return experiment in WITH_ERRORS or any(
        mean.quantity in OF_ERRORS for mean in published_means(experiment)
    )


def _rows(file: str, experiment: str) -> list[dict[str, Any]]:
    text = (files("nalm.experiments") / file).read_text(encoding="utf-8")
    return [row for row in csv.DictReader(text.splitlines()) if row["experiment"] == experiment]


def _key(row: dict[str, Any], range_name: str) -> CellKey:
    return CellKey(row["name"], row["op"], range_name, int(row["inputs"]), row["setting"])


def _estimate(row: dict[str, Any]) -> Estimate:
    value, low, high = (float(row[name]) if row[name] else nan for name in ("value", "low", "high"))
    runs = int(row["runs"]) if row["runs"] else None
    return Estimate(value, low, high, runs, Method.PUBLISHED)
