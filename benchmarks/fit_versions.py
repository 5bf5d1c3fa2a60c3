"""`make bench-fit-versions OLD=FOLDER`: how fast `nalm.fit` is beside another version of nalm.

FOLDER is a checkout of the other version. One process of each version, on one core, fits the same
tables in turns; the smallest CPU time of some rounds is compared. A ratio above 1 means that this
version is the faster one. `--functions arithmetic` searches the formulas that versions without
functions know; without it, this version also looks for exp, sin and the like.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.fit.__main__ import QUICK, chosen
from benchmarks.fit.problem import Problem, data

from nalm.training.worker import environment

HERE = Path(__file__).parent
FAMILIES = (
    "single-operation", "two-layers", "division", "compositions", "coefficients", "physics",
    "random-laws", "noise",
)  # fmt: skip
"""The families whose laws can be written with arithmetic and roots."""


class Side:
    """A process that fits tables with one version."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self.options = options
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "fit_versions_side.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(None) | {"PYTHONPATH": str(folder / "src")},
            text=True,
        )

    def ask(self, problem: Problem, seed: int) -> dict[str, Any]:
        """Return how the fit of a problem went."""
        assert self.process.stdin
        assert self.process.stdout
        rows = data(problem, seed)
        table = {
            "x": rows.x.tolist(), "y": rows.y.tolist(), "dtype": problem.dtype,
            "names": problem.names, "options": self.options,
        }  # fmt: skip
        self.process.stdin.write(json.dumps(table) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("A process of one version has ended; its error is above.")
        return json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.fit_versions", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--functions", default="all", help="what this version may use")
    parser.add_argument("--most", type=int, default=QUICK, help="problems of each part of a family")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not (options.folder / "src" / "nalm").is_dir():
        sys.exit("The first argument is a checkout of another version; it has no src/nalm.")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    old = Side(options.folder, {"max_time": 60.0})
    new = Side(HERE.parent, {"max_time": 60.0, "functions": options.functions})
    ratios: dict[str, list[float]] = {}
    solved = {"old": 0, "new": 0}
    for problem, seed in chosen(options.families.split(","), [0], options.most):
        sides = {"old": old, "new": new}
        rounds = [
            {n: side.ask(problem, seed) for n, side in sides.items()} for _ in range(options.rounds)
        ]
        best = {n: min(each[n]["seconds"] for each in rounds) for n in sides}
        part = f"{problem.family}, {problem.group}"
        ratios.setdefault(part, []).append(best["old"] / best["new"])
        for n in sides:
            solved[n] += rounds[0][n]["verified"]
        print(
            f"{part}: {problem.name}: {best['old']:.3f} s and {best['new']:.3f} s, "
            f"{best['old'] / best['new']:.2f} times as fast"
            + ("" if rounds[0]["old"]["formula"] == rounds[0]["new"]["formula"] else
               f"; {rounds[0]['old']['formula'][:60]} | {rounds[0]['new']['formula'][:60]}"),
            flush=True,
        )  # fmt: skip
    for part, found in ratios.items():
        print(f"{part}: {statistics.geometric_mean(found):.2f} times as fast, n = {len(found)}")
    every = [ratio for found in ratios.values() for ratio in found]
    print(
        f"All {len(every)}: {statistics.geometric_mean(every):.2f} times as fast, from "
        f"{min(every):.2f} to {max(every):.2f}; verified by the old {solved['old']}, by the new "
        f"{solved['new']}."
    )


if __name__ == "__main__":
    main()
