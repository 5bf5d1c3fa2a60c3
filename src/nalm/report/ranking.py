"""Models in the order of how often they learn, and which differences are more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from nalm.sweeps.statistics import LEVEL, Estimate, fewest_seeds, holm, rate, sign_flip, student

FINE = 10_000
"""Into how many parts an accuracy is divided: the test counts in whole numbers."""


@dataclass(frozen=True)
class Entry:
    """What one model came to: for each column, a number between 0 and 1 for each seed."""

    name: str
    scores: Mapping[str, Mapping[int, float]]

    @property
    def each(self) -> list[float]:
        """The numbers of all its runs."""
        return [score for column in self.scores.values() for score in column.values()]


@dataclass(frozen=True)
class Place:
    """One line of a ranking."""

    place: int
    """From 1; models with the same rate share a place."""
    name: str
    estimate: Estimate
    columns: int
    """On how many of the columns it was run."""
    count: int | None
    """How many runs count; None for accuracies."""
    better_than: tuple[str, ...]
    """Models that are worse, more than by chance."""
    worse_than: tuple[str, ...]
    unclear: tuple[str, ...]
    """Models of which this is not known."""


@dataclass(frozen=True)
class Ranking:
    """All models, the best first."""

    places: tuple[Place, ...]
    pairs: int
    """How many pairs of models were compared."""
    seeds: int
    """The most seeds that two models have in common."""
    columns: int

    @property
    def seeds_needed(self) -> int:
        """How many seeds are needed to show any difference; 0 if there are enough."""
        needed = fewest_seeds(self.pairs) if self.pairs else 0
        return needed if self.seeds < needed else 0

    @property
    def best(self) -> Place:
        """The first place."""
        return self.places[0]


@dataclass(frozen=True)
class _Pair:
    first: str
    second: str
    differences: tuple[int, ...]
    """One for each seed, summed over the columns that both were run on."""


def rank(entries: Sequence[Entry], columns: int, *, means: bool = False) -> Ranking:
    """Return models in the order of their rates, compared pair by pair on the same seeds.

    Parameters
    ----------
    entries
        The models, each with what its runs came to.
    columns
        How many columns there are.
    means
        Whether the numbers of runs are accuracies, not 0 or 1.
    """
    found = [
        _Pair(a.name, b.name, differences)
        for a, b in combinations(entries, 2)
        if (differences := _differences(a, b))
    ]
    corrected = holm([sign_flip(pair.differences) for pair in found])
    better: dict[str, list[str]] = {entry.name: [] for entry in entries}
    worse: dict[str, list[str]] = {entry.name: [] for entry in entries}
    unclear: dict[str, list[str]] = {entry.name: [] for entry in entries}
    for pair, p in zip(found, corrected, strict=True):
        names = (pair.first, pair.second)
        if p >= LEVEL:
            unclear[pair.first].append(pair.second)
            unclear[pair.second].append(pair.first)
            continue
        winner, loser = names if sum(pair.differences) > 0 else names[::-1]
        better[winner].append(loser)
        worse[loser].append(winner)
    estimates = {entry.name: _estimate(entry, means) for entry in entries}
    order = sorted(entries, key=lambda entry: -estimates[entry.name].value)
    values = [estimates[entry.name].value for entry in order]
    places = tuple(
        Place(
            place=1 + values.index(estimates[entry.name].value),
            name=entry.name,
            estimate=estimates[entry.name],
            columns=len(entry.scores),
            count=None if means else round(sum(entry.each)),
            better_than=tuple(better[entry.name]),
            worse_than=tuple(worse[entry.name]),
            unclear=tuple(unclear[entry.name]),
        )
        for entry in order
    )
    seeds = max((len(pair.differences) for pair in found), default=0)
    return Ranking(places, len(found), seeds, columns)


def _estimate(entry: Entry, means: bool) -> Estimate:
    each = entry.each
    return student(each, 0.0, 1.0) if means else rate(round(sum(each)), len(each))


def _differences(a: Entry, b: Entry) -> tuple[int, ...]:
    """Return, for each seed that both have, how much better the first was on shared columns."""
    sums: dict[int, int] = {}
    for column in a.scores.keys() & b.scores.keys():
        mine, theirs = a.scores[column], b.scores[column]
        for seed in mine.keys() & theirs.keys():
            sums[seed] = sums.get(seed, 0) + round(FINE * (mine[seed] - theirs[seed]))
    whole = all(difference % FINE == 0 for difference in sums.values())
    return tuple(d // FINE if whole else d for d in sums.values())
