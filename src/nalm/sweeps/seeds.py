"""The argument `seeds=`: a number, or a list."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

from nalm._internal.checks import shown
from nalm.errors import InputError

Seeds = int | Iterable[int]
"""How many seeds, counted from 0, or the seeds themselves."""

LARGEST = 2**32 - 1
"""The largest seed."""
MOST = 2_000_000
"""The most seeds of a cell, and the most runs of a sweep."""

SHOWN = 5
"""How many repeated seeds an error names."""


def seed_list(seeds: Any) -> tuple[int, ...]:
    """Return the seeds of each cell.

    Parameters
    ----------
    seeds
        A number n for the seeds 0 to n - 1, or different whole numbers.

    Examples
    --------
    >>> seed_list(3), seed_list([3, 7, 11])
    ((0, 1, 2), (3, 7, 11))
    """
    rule = (
        f"seeds is a whole number from 1 to {MOST:,}, or a list of different whole numbers from "
        f"0 to {LARGEST}, such as 25 or [3, 7, 11]"
    )
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if not 1 <= seeds <= MOST:
            raise InputError(f"{rule}; received {shown(seeds)}.")
        return tuple(range(seeds))
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise InputError(f"{rule}; received {shown(seeds)}.")
    given_seeds = list(islice(seeds, MOST + 1))
    if len(given_seeds) > MOST:
        raise InputError(f"{rule}; a list has at most {MOST:,}, and this one has more.")
    found = [_whole(seed) for seed in given_seeds]
    for seed, given in zip(found, given_seeds, strict=True):
        if seed is None or not 0 <= seed <= LARGEST:
            raise InputError(f"{rule}; received {shown(given)} in the list.")
    chosen = tuple(seed for seed in found if seed is not None)
    if not chosen:
        raise InputError(f"{rule}; received an empty list.")
    if len(set(chosen)) < len(chosen):
        twice = sorted(seed for seed, count in Counter(chosen).items() if count > 1)
        repeated = ", ".join(map(str, twice[:SHOWN])) + (", …" if len(twice) > SHOWN else "")
        raise InputError(
            f"{rule}; received {repeated} more than once. Remove the repeated {repeated}."
        )
    return chosen


def _whole(seed: Any) -> int | None:
    """Return a seed as an int, NumPy's included; None if it is no whole number."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        return None
    return int(seed)
