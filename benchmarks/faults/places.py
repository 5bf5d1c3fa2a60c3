"""Where the sweeps of a campaign are trained, and what can be killed there."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from benchmarks.faults.hosts import Hosts, Namespaces, ThisMachine
from benchmarks.faults.processes import MARK, children, kill, marked, runs

ORPHAN = 15.0
"""Seconds after which a process that survived what it belongs to is an orphan."""
TRAINER, DASK_WORKER = b"nalm.training.worker", b"spawn_main"
"""What is in the command of a process that trains, and of a worker of Dask below its nanny."""


class Place(Protocol):
    """Where sweeps are trained."""

    ends_driver: frozenset[str]
    """The kinds of kills after which a driver may end by itself, with a word about it."""

    def kinds(self, chance: random.Random) -> list[str]:
        """Return what is killed during the life of one driver, one after the other."""
        ...

    def ready(self) -> list[str]:
        """Put everything in place, and return the arguments of a driver."""
        ...

    def kill(self, kind: str, driver: int, mark: str, chance: random.Random) -> bool:
        """Kill something, and tell whether there was something to kill."""
        ...

    def close(self) -> int:
        """End everything, and return how many processes ran on."""
        ...


class Here:
    """Two worker processes below the driver."""

    ends_driver: frozenset[str] = frozenset()

    def __init__(self, folder: Path) -> None:
        del folder

    def kinds(self, chance: random.Random) -> list[str]:
        return ["worker"] * chance.choice([0, 1, 1, 2]) + [chance.choice(["driver", "both"])]

    def ready(self) -> list[str]:
        return []

    def kill(self, kind: str, driver: int, mark: str, chance: random.Random) -> bool:
        workers = [pid for pid in marked(mark) if runs(pid, TRAINER)]
        if kind == "worker":
            kill(chance.sample(workers, min(1, len(workers))))
            return bool(workers)
        kill([driver, *(workers if kind == "both" else [])])
        return True

    def close(self) -> int:
        return 0


class OnDask:
    """A scheduler and two nodes, each with a nanny, a worker of Dask and a process that trains.

    Where links can be cut, that is what is done instead of most kills.
    """

    ends_driver = frozenset({"scheduler", "link of the scheduler"})
    NODES = ("first", "second")

    def __init__(self, folder: Path, hosts: Hosts) -> None:
        folder.mkdir(parents=True)
        self.folder, self.file, self.hosts = folder, folder / "scheduler.json", hosts
        self.mark = uuid4().hex
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}

    def kinds(self, chance: random.Random) -> list[str]:
        count = chance.choice([0, 1, 1, 2])
        before = chance.choices(self.hosts.cuts or ["worker", "dask worker", "node"], k=count)
        return [*before, chance.choice(self.hosts.cuts or ["driver", "driver", "scheduler"])]

    def ready(self) -> list[str]:
        if self.scheduler is None or self.scheduler.poll() is not None:
            self._end_nodes()
            self.file.unlink(missing_ok=True)
            self.scheduler = self._start("scheduler", "scheduler", "--port", "0")
            while not self.file.exists():
                time.sleep(0.05)
        self._complete()
        return [json.loads(self.file.read_text())["address"]]

    def kill(self, kind: str, driver: int, mark: str, chance: random.Random) -> bool:
        del mark
        if kind == "driver":
            kill([driver])
            return True
        if kind == "scheduler":
            assert self.scheduler
            kill([self.scheduler.pid])
            self.scheduler.wait()
            return True
        if kind in self.hosts.cuts:
            of_node = kind == "link of a node"
            self.hosts.cut(chance.choice(self.NODES) if of_node else "scheduler", chance)
            return True
        if kind == "node":
            node = chance.choice(list(self.nodes.values()))
            kill([node.pid, *children(node.pid)])
            node.wait()
            self._complete()
            return True
        wanted = TRAINER if kind == "worker" else DASK_WORKER
        found = [pid for pid in marked(self.mark) if runs(pid, wanted)]
        kill(chance.sample(found, min(1, len(found))))
        return bool(found)

    def close(self) -> int:
        kill([pid for pid in marked(self.mark) if not runs(pid, TRAINER)])
        for process in (self.scheduler, *self.nodes.values()):
            if process is not None:
                process.wait()
        end = time.monotonic() + ORPHAN
        while (left := marked(self.mark)) and time.monotonic() < end:
            time.sleep(0.2)
        kill(left)
        self.hosts.close()
        return len(left)

    def _complete(self) -> None:
        """Start the nodes that are missing."""
        for name in self.NODES:
            if name not in self.nodes or self.nodes[name].poll() is not None:
                self.nodes[name] = self._start("worker", name, "--nthreads", "1")

    def _end_nodes(self) -> None:
        for node in self.nodes.values():
            kill([node.pid, *children(node.pid)])
            node.wait()
        self.nodes = {}

    def _start(self, kind: str, host: str, *options: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.file)]
        there = self.hosts.command(host)
        with (self.folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                [*there, *program, "--no-dashboard", *self.hosts.options(host), *options],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                env=os.environ | {MARK: self.mark},
            )


PLACES: dict[str, Callable[[Path], Place]] = {
    "local": Here,
    "dask": lambda folder: OnDask(folder, ThisMachine()),
    "links": lambda folder: OnDask(folder, Namespaces()),
}
