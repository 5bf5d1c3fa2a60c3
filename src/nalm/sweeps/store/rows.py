"""The rows of a results file: what each says, and the check that shows whether it still does."""

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b, sha256
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from nalm.sweeps.cell import Described
from nalm.sweeps.seeds import LARGEST, MOST
from nalm.sweeps.statistics import RULES, Outcome
from nalm.sweeps.types import CellKey

SEED_BITS = 32
"""A run has one number: that of its setup, then its seed in the last bits."""
LONGEST = 10_000
"""The most characters of a name in a cell."""


class RunKey(NamedTuple):
    """A run of a store: what it shares with others, and its seed."""

    setup: int
    """The number of its model, task and recipe."""
    seed: int

    @property
    def number(self) -> int:
        """Both in one number."""
        return self.setup << SEED_BITS | self.seed


def key_of(number: int) -> RunKey:
    """Return the run with a number.

    >>> key_of(RunKey(3, 7).number)
    RunKey(setup=3, seed=7)
    """
    return RunKey(number >> SEED_BITS, number & LARGEST)


@dataclass(frozen=True)
class StoredCell:
    """A planned cell."""

    id: int
    """Its number in the store."""
    experiment: str
    """The name of the experiment; empty for `nalm.train`."""
    key: CellKey
    steps: int
    threshold: float
    setup: int
    """The number of its model, task and recipe."""
    described: Described
    """Its model, task and recipe as JSON."""
    seeds: Sequence[int]
    """The planned seeds."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A finished run."""

    seed: int
    packed: bytes | None
    """Its curves, as `nalm.training.packing` writes them; None if the run is damaged."""
    outcome: Outcome | None
    """What it came to; None if it was never judged by the present rules."""
    environment: str
    """What it was made with, as JSON."""
    finished: str
    """When, as an ISO date and time."""


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256(text.encode()).hexdigest()


def check(*parts: bytes) -> bytes:
    """Return the check of bytes."""
    return blake2b(b"".join(parts), digest_size=16).digest()


_RUN = struct.Struct("<qqq")
_OUTCOME = struct.Struct("<qdbqddbb")


def run_check(setup: bytes, seed: int, environment: int, finished: int, curves: bytes) -> bytes:
    """Return the check of a run; `setup` is the digest of its setup, `curves` that of its curves.

    Raises `struct.error` if a value is not of its type.
    """
    return check(setup, _RUN.pack(seed, environment, finished), curves)


class JudgedRow(NamedTuple):
    """An outcome as columns; None is no number."""

    success: int
    solved_at: int | None
    sparsity: float | None
    test: float | None
    diverged: int
    equal: int | None

    def check(self, setup: bytes, seed: int, threshold: float, curves: bytes) -> bytes:
        """Return its check: it belongs to one run, one threshold and one version of the rules."""
        packed = _OUTCOME.pack(
            RULES,
            threshold,
            self.success,
            -1 if self.solved_at is None else self.solved_at,
            nan if self.sparsity is None else self.sparsity,
            nan if self.test is None else self.test,
            self.diverged,
            -1 if self.equal is None else self.equal,
        )
        return check(setup, seed.to_bytes(8, "little"), curves, packed)

    def outcome(self) -> Outcome:
        """Return what it says."""
        return Outcome(
            success=bool(self.success),
            solved_at=self.solved_at,
            sparsity=nan if self.sparsity is None else self.sparsity,
            test=nan if self.test is None else self.test,
            diverged=bool(self.diverged),
            equal=None if self.equal is None else bool(self.equal),
        )


def judged_row(outcome: Outcome) -> JudgedRow:
    """Return an outcome as columns; SQLite has no NaN."""
    return JudgedRow(
        int(outcome.success),
        outcome.solved_at,
        None if isnan(outcome.sparsity) else outcome.sparsity,
        None if isnan(outcome.test) else outcome.test,
        int(outcome.diverged),
        None if outcome.equal is None else int(outcome.equal),
    )


def stored_run(
    seed: int,
    row: Sequence[Any],
    setup: bytes,
    threshold: float,
    text: Callable[[int], str],
) -> StoredRun:
    """Return a run from its columns, checked; `text` gives the description with a number."""
    environment, finished, curves, found, packed, *judged, judged_sum = row
    try:
        sound = found == run_check(setup, seed, environment, finished, curves)
    except (struct.error, TypeError):
        sound = False
    if not sound or type(packed) is not bytes or curves != check(packed):
        return StoredRun(seed, None, None, "", "")
    outcome = None
    if judged_sum is not None:
        columns = JudgedRow(*judged)
        with suppress(struct.error, TypeError):
            if judged_sum == columns.check(setup, seed, threshold, curves):
                outcome = columns.outcome()
    return StoredRun(seed, packed, outcome, text(environment), iso_time(finished))


class CellRow(NamedTuple):
    """A cell as columns; `sound` tells whether all are of their types and belong together."""

    experiment: str
    unit: str
    op: str
    range: str
    inputs: int
    setting: str
    steps: int
    threshold: float
    setup: int
    seeds: str
    """The planned seeds, as `ranges_text` writes them."""

    @property
    def place(self) -> tuple[str, str, str, str, int, str, int]:
        """What no two cells of a store share."""
        return self[:7]

    @property
    def key(self) -> CellKey:
        """What identifies it within its experiment."""
        return CellKey(*self[1:6])

    def check(self, setup: str) -> bytes:
        """Return its check; `setup` is the digest of its setup."""
        return check(json.dumps([*self, setup]).encode())

    def sound(self, setup: str, found: object) -> bool:
        """Tell whether its values are of their types and what they were when it was written."""
        types = tuple(CellRow.__annotations__.values())
        whole = all(type(value) is kind for value, kind in zip(self, types, strict=True))
        return whole and found == self.check(setup)

    @property
    def sane(self) -> bool:
        """Tell whether its numbers are possible and its names of a length that can be shown."""
        return (
            max(map(len, (self.experiment, *self[1:4], self.setting))) <= LONGEST
            and 0 < self.inputs <= LARGEST
            and 0 <= self.steps <= LARGEST
            and not isnan(self.threshold)
        )

    def near(self, other: "CellRow") -> bool:
        """Tell whether all but one of the values that define it are another's."""
        return sum(a != b for a, b in zip(self[:9], other[:9], strict=True)) <= 1


def ranges_text(seeds: Iterable[int]) -> str:
    """Return seeds as the JSON of their ranges, each the first and the one after the last.

    >>> ranges_text([5, 0, 1, 2])
    '[[0, 3], [5, 6]]'
    """
    numbers = np.unique(np.fromiter(seeds, np.int64))
    if not len(numbers):
        return "[]"
    ends = np.flatnonzero(np.diff(numbers) != 1)
    first = numbers[np.concatenate(([0], ends + 1))]
    after = numbers[np.concatenate((ends, [len(numbers) - 1]))] + 1
    return json.dumps([[int(a), int(b)] for a, b in zip(first, after, strict=True)])


def seeds_of(text: str) -> Sequence[int]:
    """Return the seeds that `ranges_text` wrote; `ValueError` if they are impossible.

    >>> seeds_of("[[0, 3], [5, 6]]")
    (0, 1, 2, 5)
    """
    ranges: Any = json.loads(text)
    last, found = 0, 0
    for first, after in ranges:
        if type(first) is not int or type(after) is not int or not last <= first < after:
            raise ValueError(f"seeds are ranges of whole numbers, found {text:.80}")
        last, found = after, found + after - first
    if last > LARGEST + 1 or found > MOST:
        raise ValueError(f"a cell has at most {MOST:,} seeds from 0 to {LARGEST}, found {text:.80}")
    if len(ranges) == 1:
        return range(*ranges[0])
    return tuple(seed for first, after in ranges for seed in range(first, after))


@lru_cache(maxsize=4096)
def iso_time(seconds: int) -> str:
    """Return a time as ISO date and time; empty if there is no such time.

    >>> iso_time(0)
    '1970-01-01T00:00:00+00:00'
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return ""
