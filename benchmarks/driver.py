"""What one driver can take: `python benchmarks/driver.py`.

Simulated workers answer at once with prepared bytes, so that all the time is the driver's own:
planning, judging, committing. Seconds of the processor are those of a machine without other work;
seconds of the clock include waiting, such as for the disk. Memory and the size of the file are
those of the whole sweep.
`--store FOLDER --runs 1000000` keeps the store, and measures resuming and a report about it.
"""

import argparse
import cProfile
import json
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

import nalm
from nalm.sweeps import Cell, sweep
from nalm.sweeps.executors import Finished, Order, Watch
from nalm.tasks import single_module
from nalm.training import Recipe
from nalm.training.packing import pack
from nalm.training.run import Curves

RANGES = ("U[1,2)", "U[-2,2)", "U[0.1,0.2)", "U[10,20)")
EVALUATIONS = 51
"""Evaluations of a run of 50,000 steps."""
PREPARED = 64
"""How many different results there are."""


@dataclass
class Simulated:
    """Workers that answer at once; each has one block at a time, as on a cluster."""

    workers: int
    largest: int | None = None
    """The most runs of a block, if smaller than planned."""

    def execute(self, orders: Sequence[Order], watch: Watch) -> Generator[Finished, None, None]:
        """Yield each block when its turn comes, after as many messages as a worker sends."""
        packed = [results(seed) for seed in range(PREPARED)]
        waiting = deque(self._blocks(orders))
        busy: deque[Sequence] = deque()
        while waiting or busy:
            while waiting and len(busy) < self.workers:
                busy.append(waiting.popleft())
            block = busy.popleft()
            watch.steps(len(block) * block[0].recipe.steps)
            yield Finished(block, [packed[run.seed % PREPARED] for run in block])

    def _blocks(self, orders: Sequence[Order]) -> list[Sequence]:
        size = self.largest or max((len(order.block) for order in orders), default=1)
        return [
            order.block[i : i + size] for order in orders for i in range(0, len(order.block), size)
        ]


@lru_cache
def results(seed: int) -> bytes:
    """Return the curves of a run of 50,000 steps; two of three are solved."""
    rng = np.random.default_rng(seed)
    falling = np.geomspace(1, 1e-12 if seed % 3 else 1e-3, EVALUATIONS) * rng.uniform(0.5, 2)
    weights = np.ones((1, 2)) if seed % 3 else rng.uniform(0, 1, (1, 2))
    series = falling.astype("float32")
    return pack(
        [
            Curves(
                steps=np.arange(EVALUATIONS, dtype="int32") * 1000,
                validation=series,
                test=series,
                sparsity=series / 2,
                loss=series,
                penalties={"discretise": series},
                final={"weight": weights.astype("float32")},
                best={"weight": weights.astype("float32")},
                diverged_at=-1,
                reinitialised=np.array([], "int32"),
            )
        ]
    )


def cells(count: int) -> list[Cell]:
    """Return cells of the NMU with learning rates of their own."""
    model, tasks = nalm.unit("nmu", 2, 1), [single_module("mul", name) for name in RANGES]
    recipe = Recipe(1e-3, steps=50_000)
    return [
        Cell(
            "nmu",
            model,
            tasks[i % len(tasks)],
            replace(recipe, learning_rate=1e-3 + i * 1e-6),
            f"rate {i // len(tasks)}",
            1e-6,
        )
        for i in range(count)
    ]


def driven(workers: int, runs: int, out: Path, largest: int | None, count: int) -> dict:
    """Sweep, and return what it took."""
    executor, seeds = Simulated(workers, largest), range(runs // count)
    first: list[float] = []

    def watch(_: object) -> None:
        if not first:
            first.append(time.perf_counter())

    found = cells(count)
    start, busy = time.perf_counter(), time.process_time()
    sweep(found, seeds, out=out, executor=executor, progress=watch)
    end = time.perf_counter()
    busy = time.process_time() - busy
    done = len(found) * len(seeds)
    size = largest or 113
    return {
        "workers": workers,
        "runs of a block": size,
        "runs": done,
        "planning, s": first[0] - start,
        "blocks per s": done / size / (end - first[0]),
        "runs per s": done / (end - first[0]),
        "processor, µs per run": busy / done * 1e6,
        "MB in memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "bytes per run": (out / "results.sqlite").stat().st_size / done,
    }


def apart(*arguments: str) -> dict:
    """Measure in a process of its own, so that memory is its own, too."""
    command = [sys.executable, __file__, *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def table(rows: list[dict]) -> str:
    """Return rows as Markdown."""
    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
    lines += [
        " | ".join(
            f"{v:,.1f}" if isinstance(v, float) and v < 100 else f"{v:,.0f}" for v in row.values()
        )
        for row in rows
    ]
    return "\n".join(f"| {line} |" for line in lines)


def resumed(folder: Path, runs: int, count: int) -> dict:
    """Sweep again what is done, and return what that took."""
    start, busy = time.perf_counter(), time.process_time()
    sweep(cells(count), range(runs // count), out=folder, executor=Simulated(1))
    return {
        "runs": runs,
        "resume, s": time.perf_counter() - start,
        "processor, s": time.process_time() - busy,
        "MB in memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def reported(folder: Path, runs: int) -> dict:
    """Write a report, and return what that took."""
    start, busy = time.perf_counter(), time.process_time()
    page = nalm.write_report(folder, folder.parent / f"{folder.name}.html")
    return {
        "runs": runs,
        "report, s": time.perf_counter() - start,
        "processor, s": time.process_time() - busy,
        "MB in memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "page, MB": page.stat().st_size / 1e6,
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=113_000)
    parser.add_argument("--cells", type=int, default=100)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--largest", type=int, help="the most runs of a block")
    parser.add_argument("--store", type=Path, help="a folder that is kept")
    parser.add_argument("--profile", action="store_true", help="say where the time goes")
    parser.add_argument("--part", choices=["driven", "resumed", "reported"])
    chosen = parser.parse_args()
    if chosen.profile:
        with cProfile.Profile() as profile, tempfile.TemporaryDirectory() as out:
            driven(chosen.workers or 1, chosen.runs, Path(out), chosen.largest, chosen.cells)
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        return
    size = ["--runs", str(chosen.runs), "--cells", str(chosen.cells)]
    match chosen.part:
        case "driven":
            options = (chosen.workers or 1, chosen.runs, chosen.store, chosen.largest, chosen.cells)
            print(json.dumps(driven(*options)))
        case "resumed":
            print(json.dumps(resumed(chosen.store, chosen.runs, chosen.cells)))
        case "reported":
            print(json.dumps(reported(chosen.store, chosen.runs)))
        case _ if chosen.store:
            stored = ["--store", str(chosen.store), *size]
            for part in ("driven", "resumed", "reported"):
                print(table([apart("--part", part, *stored)]), flush=True)
        case _:
            rows = []
            for workers in (1, 10, 100, 1000):
                for largest in (113, 5):
                    with tempfile.TemporaryDirectory() as out:
                        options = ["--workers", str(workers), "--largest", str(largest)]
                        few = ["--runs", str(chosen.runs // (113 // largest)), "--cells", "100"]
                        stored = ["--store", out, *few]
                        rows.append(apart("--part", "driven", *options, *stored))
            print(table(rows))


if __name__ == "__main__":
    main()
