"""How much faster two Dask workers are than one: python benchmarks/cluster.py.

A scheduler and the workers are processes of their own on this machine, each worker with one
thread. Every program is compiled before the clock starts; each number of workers trains the same
blocks. Processes of this machine without Dask take turns with the cluster, which says how much
faster the two cores are than one at that time. `--config examples/cluster/quiet.yaml` gives
settings to Dask.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from distributed import get_task_stream

import nalm
from nalm.sweeps import Cell, sweep
from nalm.sweeps.executors import Executor
from nalm.tasks import single_module
from nalm.training import published_recipe
from nalm.training.engine.plan import BLOCK


@contextmanager
def cluster(workers: int, config: Path | None) -> Iterator[str]:
    """Give the address of a cluster with this many workers, and these settings of Dask."""
    settings = {"DASK_CONFIG": str(config.resolve())} if config else {}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        dask = [sys.executable, "-m", "dask"]
        common = ["--scheduler-file", str(file), "--no-dashboard"]
        commands = [[*dask, "scheduler", "--port", "0", *common]]
        commands += [[*dask, "worker", "--nthreads", "1", *common]] * workers
        running = [
            subprocess.Popen(
                command, cwd=folder, stderr=subprocess.DEVNULL, env=os.environ | settings
            )
            for command in commands
        ]
        try:
            while not file.exists():
                time.sleep(0.1)
            yield json.loads(file.read_text())["address"]
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait()


class Measured(NamedTuple):
    """What a sweep took."""

    seconds: float
    busy: float | None = None
    """The share of that time for which a worker of a cluster trained, on average."""

    def __str__(self) -> str:
        busy = "" if self.busy is None else f", {self.busy:.1%} of them training"
        return f"{self.seconds:.1f} s{busy}"


def seconds(cells: list[Cell], runs: int, executor: Executor) -> float:
    start = time.perf_counter()
    sweep(cells, range(runs), executor=executor)
    return time.perf_counter() - start


def on_cluster(workers: int, cells: list[Cell], runs: int, config: Path | None) -> Measured:
    with cluster(workers, config) as address, nalm.Dask(address) as executor:
        while len(executor._client.nthreads()) < workers:
            time.sleep(0.1)
        sweep(cells, range(workers * BLOCK), executor=executor)  # starts and compiles
        stream: Any = get_task_stream(executor._client)
        with stream:
            taken = seconds(cells, runs, executor)
        spans = [span for task in stream.data for span in task["startstops"]]
        training = sum(s["stop"] - s["start"] for s in spans if s["action"] == "compute")
        return Measured(taken, training / workers / taken)


def on_machine(workers: int, cells: list[Cell], runs: int) -> Measured:
    return Measured(seconds(cells, runs, nalm.Local(workers)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=24)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--config", type=Path, help="a file with settings of Dask")
    given = parser.parse_args()
    recipe = published_recipe("nmu", "mul").stretched(given.steps)
    cells = [Cell("nmu", nalm.unit("nmu", 2, 1), single_module("mul"), recipe)]
    runs = given.blocks * BLOCK
    print(f"{given.blocks} blocks, {runs} runs of {given.steps:,} steps")
    places = {
        "Dask": partial(on_cluster, cells=cells, runs=runs, config=given.config),
        "processes of this machine": partial(on_machine, cells=cells, runs=runs),
    }
    ratios: dict[str, list[float]] = {place: [] for place in places}
    for _ in range(given.rounds):
        for place, measured in places.items():
            one, two = measured(1), measured(2)
            ratios[place].append(one.seconds / two.seconds)
            print(
                f"{place}: one worker {one}; two {two}; ratio {ratios[place][-1]:.2f}", flush=True
            )
    for place, found in ratios.items():
        print(f"{place}: two are {median(found):.2f} times as fast as one, the median of rounds")


if __name__ == "__main__":
    main()
