"""Fuzz every reader and public function of nalm.

`python -m benchmarks.faults.fuzz --count 100000` draws so many inputs. Every one must be read, or
refused in one line; anything else is a failure, and its input is kept. `--atheris SECONDS` lets a
fuzzer that is guided by coverage write the bytes of files, so long for each kind of them.
"""

import argparse
import contextlib
import hashlib
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from benchmarks.faults.outcomes import memory, outcome
from benchmarks.faults.readers import Reader, readers, train_nothing
from hypothesis import HealthCheck, Phase, given, seed, settings

BATCH = 500
"""How many inputs are drawn with one seed."""

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


@dataclass
class Tally:
    """What came of the inputs of a reader."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Any] = field(default_factory=dict)
    """One input for each kind of failure."""
    seconds: float = 0.0


def fuzz(reader: Reader, count: int, first_seed: int = 0) -> Tally:
    """Return what came of so many inputs of a reader."""
    tally, began = Tally(), monotonic()

    def tried(value: Any) -> None:
        kind, failure = outcome(reader.read, value, reader.seconds)
        tally.counts["failed" if failure else kind] += 1
        if failure is not None:
            tally.failures.setdefault(failure, value)

    for batch in range(0, count, BATCH):
        size = min(BATCH, count - batch)
        rules = settings(
            max_examples=size, database=None, deadline=None, phases=[Phase.generate],
            suppress_health_check=SLOW,
        )  # fmt: skip
        rules(seed(first_seed + batch)(given(reader.inputs)(tried)))()
    tally.seconds = monotonic() - began
    return tally


def keep(folder: Path, reader: Reader, failures: dict[str, Any]) -> None:
    """Write the inputs that failed, each with what it did."""
    folder.mkdir(parents=True, exist_ok=True)
    for failure, value in failures.items():
        name = f"{reader.name} {hashlib.sha256(failure.encode()).hexdigest()[:8]}.txt"
        text = f"{reader.name}\n{failure}\n"
        with contextlib.suppress(ValueError):
            text += repr(value)
        (folder / name).write_text(text, errors="backslashreplace")
        print(f"  {reader.name}: {failure}")


def campaign(count: int, kept: Path, first_seed: int, only: str | None) -> int:
    """Fuzz all readers, print a table, and return how many inputs failed."""
    with TemporaryDirectory() as folder:
        found = readers(Path(folder))
        train_nothing()
        total = sum(reader.share for reader in found)
        failed, done, began = 0, 0, monotonic()
        print(f"{'reader':28}{'inputs':>9}{'read':>9}{'refused':>9}{'failed':>8}{'s':>7}{'MB':>7}")
        for reader in found:
            if only and only not in reader.name:
                continue
            tally = fuzz(reader, max(1, round(count * reader.share / total)), first_seed)
            keep(kept, reader, tally.failures)
            counts = tally.counts
            inputs = counts.total()
            done += inputs
            failed += counts["failed"]
            print(
                f"{reader.name:28}{inputs:9,}{counts['read']:9,}{counts['refused']:9,}"
                f"{counts['failed']:8,}{tally.seconds:7.0f}{memory():7.0f}",
                flush=True,
            )
        print(f"{done:,} inputs, {failed:,} failed, {monotonic() - began:.0f} s, {memory():.0f} MB")
    return failed


def guided(seconds: int, kept: Path) -> int:
    """Let atheris write the inputs of readers of bytes; return how many readers failed."""
    if find_spec("atheris") is None:
        print("Fuzzing guided by coverage needs atheris: pip install atheris. It is skipped.")
        return 0
    failed = 0
    kept.mkdir(parents=True, exist_ok=True)
    for name in GUIDED:
        command = [sys.executable, "-m", "benchmarks.faults.guided", name, str(seconds), str(kept)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [line for line in ended.stderr.splitlines() if "DONE" in line or "stat::" in line]
        print(f"{name}: {'no failure' if ended.returncode == 0 else 'FAILED'}", *lines, sep="\n  ")
        if ended.returncode:
            print(ended.stdout[-2000:], ended.stderr[-2000:])
        failed += ended.returncode != 0
    return failed


GUIDED = ("CSV", "law", "model", "range")
"""The readers of bytes, by the beginning of their names."""


def main() -> None:
    """Read the arguments, and fuzz."""
    parser = argparse.ArgumentParser(description="Fuzz every reader and public function of nalm.")
    parser.add_argument("--count", type=int, default=10_000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", help="readers whose name contains this")
    parser.add_argument("--atheris", type=int, metavar="SECONDS", help="guided by coverage")
    parser.add_argument("--kept", type=Path, default=Path("build/faults"), help="for failures")
    given_args = parser.parse_args()
    if given_args.atheris:
        failed = guided(given_args.atheris, given_args.kept)
    else:
        failed = campaign(given_args.count, given_args.kept, given_args.seed, given_args.only)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
