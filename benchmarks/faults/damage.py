"""Damage every kind of file that nalm reads, and compare what is read with what was written.

`python -m benchmarks.faults.damage --count 10000` flips bits, cuts off, swaps, overwrites, removes
and inserts bytes. A damaged file must be refused in one sentence, or read as it was: a run that is
left out of a store is named in a note. A table of text has no checksum, so every number that is
read must stand in the damaged file.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
from benchmarks.faults.outcomes import READ, outcome
from benchmarks.faults.readers import Samples
from benchmarks.faults.stores import FILE, sample_store

import nalm
from nalm.errors import StoreError
from nalm.fitting.tables.reading import opened, read_table
from nalm.report.results import read_folders

BLOCK = 64
"""The most bytes of a part that is moved, overwritten, removed or inserted."""


class WrongError(Exception):
    """A damaged file was read as something else than was written."""


# --- damages --------------------------------------------------------------------------------------


def flipped(data: bytearray, at: int, _: int, rng: random.Random) -> bytes:
    data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


def cut_off(data: bytearray, at: int, *_: Any) -> bytes:
    return bytes(data[:at])


def removed(data: bytearray, at: int, size: int, _: random.Random) -> bytes:
    return bytes(data[:at] + data[at + size :])


def inserted(data: bytearray, at: int, size: int, rng: random.Random) -> bytes:
    return bytes(data[:at] + rng.randbytes(size) + data[at:])


def overwritten(data: bytearray, at: int, size: int, rng: random.Random) -> bytes:
    new = bytes(size) if rng.random() < 0.5 else rng.randbytes(size)
    return bytes(data[:at] + new + data[at + size :])[: len(data)]


def swapped(data: bytearray, at: int, size: int, rng: random.Random) -> bytes:
    other = rng.randrange(len(data))
    first, second = sorted((at, other))
    size = min(size, second - first, len(data) - second)
    one, two = data[first : first + size], data[second : second + size]
    data[first : first + size], data[second : second + size] = two, one
    return bytes(data)


DAMAGES = (flipped, flipped, cut_off, removed, inserted, overwritten, swapped)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one damage, two now and then."""
    for _ in range(1 + (rng.random() < 0.2)):
        if data:
            change = rng.choice(DAMAGES)
            data = change(bytearray(data), rng.randrange(len(data)), rng.randint(1, BLOCK), rng)
    return data


# --- files ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of file: a good one, and a check of a damaged one."""

    name: str
    share: float
    good: Path
    check: Callable[[Path], object]
    """Reads the file, and raises WrongError where something else was read."""


def kinds(folder: Path) -> tuple[Kind, ...]:
    """Return the kinds of files, each with a good file in the folder."""
    samples = Samples(folder)
    samples.law.save(folder / "law.json")
    samples.written("model", samples.model_bytes)
    x = np.random.default_rng(0).normal(size=(40, 3))
    lines = ["a,b,c", *(",".join(map(repr, row)) for row in x.tolist())]
    samples.written("table.csv", "\n".join(lines).encode())
    store = sample_store(folder / "store")
    return (
        Kind("law", 3, folder / "law.json", _check_law(samples.law)),
        Kind("model", 3, folder / "model", _check_model(folder / "model")),
        Kind("table", 2, folder / "table.csv", _check_table),
        Kind("store", 2, store / FILE, _check_store(store)),
    )


def _check_law(law: nalm.Law) -> Callable[[Path], object]:
    def check(path: Path) -> None:
        if nalm.Law.load(path) != law:
            raise WrongError("another law")

    return check


def _check_model(good: Path) -> Callable[[Path], object]:
    def content(path: Path) -> object:
        model, params = nalm.load(path)
        return model, [{n: (a.dtype.str, a.tobytes()) for n, a in p.items()} for p in params]

    known = content(good)

    def check(path: Path) -> None:
        if content(path) != known:
            raise WrongError("another model")

    return check


def _check_table(path: Path) -> None:
    with opened(str(path)) as stream:
        data = read_table(stream)
    text = path.read_bytes().decode("utf-8-sig", "replace")
    written = set()
    for field in re.split(r"[\t;|,\s\"]+", text) + re.split(r"[\t;|\s\"]+", text.replace(",", ".")):
        try:
            written.add(float(field))
        except ValueError:
            continue
    if not {*data.x.ravel(), *data.y} <= written:
        raise WrongError("a number that is not in the file")


def _check_store(good: Path) -> Callable[[Path], object]:
    known, _ = _stored(good)

    def check(path: Path) -> None:
        found, noted = _stored(path.parent)
        for key, values in found.items():
            if key not in known or values[0] != known[key][0]:
                raise WrongError(f"another run {key}")
            if values[1] is not None and values[1] != known[key][1]:
                raise WrongError(f"other curves of {key}")
        if found.keys() < known.keys() and not noted:
            raise WrongError("a run is lost, and nothing says so")

    return check


def _stored(folder: Path) -> tuple[dict[Any, tuple[str, Any]], bool]:
    """Return outcome and curves of every run, and whether anything is said to be damaged.

    Curves that are refused are None.
    """
    reading = read_folders(folder)
    found: dict[Any, tuple[str, Any]] = {}
    for experiment in reading.experiments:
        for run in experiment.runs:
            try:
                curves = run.curves
                content = [(f.name, _bytes(getattr(curves, f.name))) for f in fields(curves)]
            except StoreError:
                content = None
            found[experiment.name, run.key, run.seed] = (repr(run.outcome), content)
    missing = any(experiment.missing for experiment in reading.experiments)
    return found, bool(reading.notes) or missing


def _bytes(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _bytes(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_bytes(part) for part in value]
    return np.asarray(value).tobytes()


# --- the campaign ---------------------------------------------------------------------------------


def campaign(count: int, first_seed: int, kept: Path, only: str | None) -> int:
    """Damage so many files, print a table, and return how many failed."""
    rng = random.Random(first_seed)
    with TemporaryDirectory() as folder:
        found = kinds(Path(folder))
        total, failed = sum(kind.share for kind in found), 0
        print(f"{'file':10}{'damaged':>9}{'read':>9}{'refused':>9}{'failed':>8}{'s':>7}")
        for kind in found:
            if only not in (None, kind.name):
                continue
            good, tally, began = kind.good.read_bytes(), Counter[str](), monotonic()
            place = Path(folder) / "damaged" / kind.good.name
            place.parent.mkdir(exist_ok=True)
            for number in range(round(count * kind.share / total)):
                for leftover in place.parent.iterdir():
                    leftover.unlink()
                data = damaged(good, rng)
                place.write_bytes(data)
                came, failure = outcome(kind.check, place, 20)
                tally["failed" if failure else came] += 1
                if failure:
                    kept.mkdir(parents=True, exist_ok=True)
                    (kept / f"{kind.name} {number}").write_bytes(data)
                    print(f"  {kind.name} {number}: {failure}")
            failed += tally["failed"]
            print(
                f"{kind.name:10}{tally.total():9,}{tally[READ]:9,}{tally['refused']:9,}"
                f"{tally['failed']:8,}{monotonic() - began:7.0f}",
                flush=True,
            )
    return failed


def main() -> None:
    """Read the arguments, and damage files."""
    parser = argparse.ArgumentParser(description="Damage every kind of file that nalm reads.")
    parser.add_argument("--count", type=int, default=10_000, help="how many files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="one kind: law, model, table or store")
    parser.add_argument("--kept", type=Path, default=Path("build/faults"), help="for failures")
    given = parser.parse_args()
    sys.exit(1 if campaign(given.count, given.seed, given.kept, given.only) else 0)


if __name__ == "__main__":
    main()
