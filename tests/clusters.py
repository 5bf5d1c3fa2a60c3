"""Dask clusters of separate processes, for tests."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

WAIT = 60.0


def until(true: Callable[[], object], what: str) -> None:
    """Wait until something is true."""
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, f"waited for {what}"
        time.sleep(0.05)


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those they have."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


def training(pids: list[int]) -> list[int]:
    """Return the processes among these that train blocks."""
    return [pid for pid in pids if b"nalm.training.worker" in command(pid)]


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--port", "0", "--no-dashboard")
        until(self.file.exists, "the scheduler")

    @property
    def address(self) -> str:
        return json.loads(self.file.read_text())["address"]

    def add(self, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker of one thread."""
        return self._start("worker", "--nthreads", "1", "--no-dashboard", *options, **environment)

    def _start(self, kind: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.file)]
        with (self.folder / f"{kind}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*program, *options],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                env=os.environ | environment,
            )
        self.processes.append(process)
        return process

    def pids(self) -> list[int]:
        """Return every process of the cluster."""
        return [p for process in self.processes for p in (process.pid, *descendants(process.pid))]

    def close(self) -> None:
        """End all processes."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()


@contextmanager
def cluster(folder: Path, workers: int = 0) -> Iterator[Cluster]:
    """Give a cluster with some workers."""
    made = Cluster(folder)
    try:
        for _ in range(workers):
            made.add()
        yield made
    finally:
        made.close()
