"""`make bench-versions OLD=FOLDER`: how fast training is beside another version of nalm.

FOLDER is a checkout of the other version. One process of each version, on one core, trains the same
blocks in turns; the median over rounds of the ratio of CPU times is reported, above 1 where this
version is the faster one. `--quick` measures fewer models, `--only TEXT` those whose name has TEXT.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from nalm.training.worker import environment

HERE = Path(__file__).parent
ROUNDS = 5


class Side:
    """A process that trains cases with one version."""

    def __init__(self, folder: Path) -> None:
        source = {"PYTHONPATH": str(folder / "src")}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "versions_side.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(None) | source,
            text=True,
        )
        self.cases: list[str] = self._answer()

    def ask(self, case: str) -> float:
        """Return the seconds of a run-step of a case."""
        assert self.process.stdin
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self):
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            sys.exit("A process of one version has ended; its error is above.")
        return json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if not (options.folder / "src" / "nalm").is_dir():
        sys.exit("Usage: python benchmarks/versions.py FOLDER, a checkout of another version.")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    old, new = Side(options.folder), Side(HERE.parent)
    known = new.cases[:8] if options.quick else new.cases
    cases = [case for case in known if options.only in case]
    ratios = {}
    print(
        "| case | old, ns per run-step | new | old / new | lowest | highest |\n" + "|---" * 6 + "|"
    )
    for case in cases:
        rounds = [(old.ask(case), new.ask(case)) for _ in range(ROUNDS)]
        each = sorted(o / n for o, n in rounds)
        ratios[case] = statistics.median(each)
        before, after = (1e9 * statistics.median(side) for side in zip(*rounds, strict=True))
        print(
            f"| {case} | {before:,.0f} | {after:,.0f} | {ratios[case]:.2f} "
            f"| {each[0]:.2f} | {each[-1]:.2f} |",
            flush=True,
        )
    slowest = min(ratios, key=lambda case: ratios[case])
    print(
        f"Geometric mean {statistics.geometric_mean(ratios.values()):.2f}; "
        f"slowest {slowest}: {ratios[slowest]:.2f}."
    )


if __name__ == "__main__":
    main()
