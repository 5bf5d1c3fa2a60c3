"""Damage stores, read and resume them: `python -m benchmarks.faults.flips --count 10000`.

Each time one place of a small store is damaged: a bit is flipped, a byte replaced, 512 bytes are
zeroed or written with those of another place, or the end is cut off. Then a report reads it, and
the same sweep goes on in it. Every number must be the one that was written; what is missing must be
named or counted as missing; or the file is refused in one sentence.
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.driver import Simulated
from benchmarks.faults.syscalls import cell
from benchmarks.faults.tally import Tally

from nalm.errors import StoreError
from nalm.report.page import page
from nalm.report.results import Reading, read_folders
from nalm.sweeps import CellRuns, sweep

FILE = "results.sqlite"
SECTOR = 512
PAGES = 200
"""Of so many damaged stores, one is also shown on a page."""
Damage = Callable[[bytearray, int, random.Random], None]


def flip(data: bytearray, place: int, rng: random.Random) -> None:
    """Flip one bit."""
    data[place] ^= 1 << rng.randrange(8)


def other(data: bytearray, place: int, rng: random.Random) -> None:
    """Replace one byte."""
    data[place] = rng.randrange(256)


def zero(data: bytearray, place: int, _: random.Random) -> None:
    """Zero a sector."""
    start = place - place % SECTOR
    data[start : start + SECTOR] = bytes(SECTOR)


def misplace(data: bytearray, place: int, rng: random.Random) -> None:
    """Write a sector over another."""
    start, source = (p - p % SECTOR for p in (place, rng.randrange(len(data))))
    data[start : start + SECTOR] = data[source : source + SECTOR]


def cut(data: bytearray, place: int, _: random.Random) -> None:
    """Cut off the end."""
    del data[place:]


WAYS: tuple[Damage, ...] = (flip, flip, flip, other, zero, misplace, cut)
"""The ways of damage, one after the other; most are flipped bits."""


def swept(folder: Path) -> list[CellRuns]:
    """Train or resume two cells, whose workers answer at once."""
    first = cell()
    second = replace(first, recipe=replace(first.recipe, batch=64), setting="other")
    return sweep([first, second], range(5), experiment="flips", out=folder, executor=Simulated(1))


def numbers(cells: Sequence[CellRuns]) -> dict[tuple[object, int], str]:
    """Return what each run came to."""
    return {(run.key, run.seed): repr(run.outcome) for found in cells for run in found.runs}


def wrong_with(reading: Reading, whole: dict[tuple[object, int], str]) -> str:
    """Return what is wrong with a reading; empty if nothing is."""
    read: dict[tuple[object, int], str] = {}
    for experiment in reading.experiments:
        read |= numbers(experiment.cells)
    if not read.items() <= whole.items():
        return "a report has other numbers"
    missing = sum(experiment.missing for experiment in reading.experiments)
    if not reading.notes and len(read) + missing < len(whole):
        return "a report lacks runs without a word"
    return ""


def damaged(folder: Path, whole: dict[tuple[object, int], str], *, shown: bool) -> tuple[str, str]:
    """Read and resume a damaged store; return how it ended, and what is wrong."""
    try:
        reading = read_folders(folder)
        wrong = wrong_with(reading, whole)
        if shown:
            page("damaged", reading)
        if numbers(swept(folder)) != whole:
            wrong = wrong or "resuming has other numbers"
        return "named and mended" if reading.notes else "read as it was", wrong
    except StoreError as error:
        return "refused", "" if str(error).count("\n") == 0 else "refused in several lines"
    except Exception as error:
        return "traceback", f"{type(error).__name__}: {error}"


def campaign(count: int, seed: int = 0) -> Tally:
    """Damage a store so many times, evenly over its bytes."""
    tally, rng = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        whole = numbers(swept(Path(place) / "whole"))
        data = (Path(place) / "whole" / FILE).read_bytes()
        folder = Path(place) / "damaged"
        folder.mkdir()
        for number in range(count):
            where = int((number + rng.random()) / count * len(data))
            way, changed = WAYS[number % len(WAYS)], bytearray(data)
            way(changed, where, rng)
            for left in folder.iterdir():
                left.unlink()
            (folder / FILE).write_bytes(changed)
            how, wrong = damaged(folder, whole, shown=number % PAGES == 0)
            tally.tried[way.__name__] += 1
            tally.ended[how] += 1
            if wrong:
                tally.faults.append(f"{way.__name__} at {where}: {wrong}")
    return tally


def main() -> None:
    """Print what a campaign has seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    campaign(chosen.count, chosen.seed).tell()


if __name__ == "__main__":
    main()
