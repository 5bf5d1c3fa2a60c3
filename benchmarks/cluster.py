"""How much faster two Dask workers are than one: python benchmarks/cluster.py.

A scheduler and the workers are processes of their own on this machine, each worker with one
thread. Every program is compiled before the clock starts; each number of workers trains the same
blocks.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from distributed import get_task_stream

import nalm
from nalm.sweeps import Cell, sweep
from nalm.tasks import single_module
from nalm.training import published_recipe
from nalm.training.engine.plan import BLOCK


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Give the address of a cluster with this many workers."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        dask = [sys.executable, "-m", "dask"]
        common = ["--scheduler-file", str(file), "--no-dashboard"]
        commands = [[*dask, "scheduler", "--port", "0", *common]]
        commands += [[*dask, "worker", "--nthreads", "1", *common]] * workers
        running = [
            subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) for command in commands
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
    busy: float
    """The share of that time for which a worker trained, on average."""


def measured(workers: int, cells: list[Cell], runs: int) -> Measured:
    with cluster(workers) as address, nalm.Dask(address) as executor:
        while executor.workers < workers or len(executor._client.nthreads()) < workers:
            time.sleep(0.1)
        sweep(cells, range(workers * BLOCK), executor=executor)  # starts and compiles
        stream: Any = get_task_stream(executor._client)
        with stream:
            start = time.perf_counter()
            sweep(cells, range(runs), executor=executor)
            taken = time.perf_counter() - start
        spans = [span for task in stream.data for span in task["startstops"]]
        training = sum(s["stop"] - s["start"] for s in spans if s["action"] == "compute")
        return Measured(taken, training / workers / taken)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--steps", type=int, default=200_000)
    given = parser.parse_args()
    recipe = published_recipe("nmu", "mul").stretched(given.steps)
    cells = [Cell("nmu", nalm.unit("nmu", 2, 1), single_module("mul"), recipe)]
    runs = given.blocks * BLOCK
    one, two = (measured(workers, cells, runs) for workers in (1, 2))
    print(f"{given.blocks} blocks, {runs} runs of {given.steps:,} steps")
    print(f"one worker   {one.seconds:.1f} s, {one.busy:.1%} of them training")
    print(f"two workers  {two.seconds:.1f} s, {two.busy:.1%} of them training")
    print(f"two are {one.seconds / two.seconds:.2f} times as fast as one")


if __name__ == "__main__":
    main()
