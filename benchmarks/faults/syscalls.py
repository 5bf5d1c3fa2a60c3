"""Errors and kills in the system calls of the store: `python -m benchmarks.faults.syscalls`.

A process creates a store, plans a cell and adds blocks. strace makes its Nth call of one kind fail
(EIO, ENOSPC) or kills it there, for every kind and every N. Then the store must open,
hold every run that was acknowledged, bit by bit, and be finished by the same process undisturbed.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.tally import Tally

from nalm.errors import StoreError
from nalm.sweeps import Cell, Store
from nalm.sweeps.statistics import judge
from nalm.sweeps.store.rows import RunKey
from nalm.tasks import single_module
from nalm.training import Recipe
from nalm.training.packing import pack, unpacked_run
from nalm.training.run import Curves
from nalm.units import NMU

CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "rename", "unlink", "pread64")
"""The calls by which SQLite and the store change and read files."""
WAYS = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "SIGKILL": "signal=SIGKILL"}
BLOCKS, RUNS = 4, 5
"""How many blocks are added, and how many runs each has."""
REFUSED, BROKEN = 3, 4
"""Codes of a process that ended with one sentence, and with anything else."""
KEPT = {"results.sqlite", "results.sqlite-shm", "results.sqlite-wal", "writer.lock"}
"""The files of a folder that was read; whoever only reads leaves an empty log."""
PATIENCE = 30
"""Seconds after which a process hangs."""


@dataclass(frozen=True)
class Fault:
    """What happens at which call."""

    call: str
    way: str
    number: int

    def __str__(self) -> str:
        return f"{self.way} at {self.call} {self.number}"


def cell() -> Cell:
    """Return what is stored."""
    return Cell("nmu", NMU(2, 1), single_module("mul"), Recipe(steps=4000), threshold=1e-9)


def results(seed: int) -> bytes:
    """Return the curves of a run; no two are alike."""
    import numpy as np

    series = np.linspace(1 + seed, 0, 300, dtype="float32")
    weights = {"weight": np.ones((1, 2), "float32")}
    steps, none = np.arange(300, dtype="int32"), np.array([], "int32")
    return pack([Curves(steps, series, series, series, series, {}, weights, weights, -1, none)])


def work(folder: Path, told: int) -> None:
    """Add every block that is missing, and tell each one when it is stored."""
    with Store(folder) as store:
        (planned,) = store.plan("syscalls", [cell()], range(BLOCKS * RUNS))
        done = {run.seed for run in store.runs(planned) if run.packed is not None}
        for block in range(BLOCKS):
            seeds = range(block * RUNS, (block + 1) * RUNS)
            if done.issuperset(seeds):
                continue
            packed = [results(seed) for seed in seeds]
            runs = [RunKey(planned.setup, seed) for seed in seeds]
            store.saved.keep(runs, b"on its way")
            store.add(runs, packed)
            os.write(told, bytes([block]))
            for seed, data in zip(seeds, packed, strict=True):
                store.judge(planned, seed, data, judge(unpacked_run(data), planned.threshold))
        store.flush()


def child(folder: Path, told: int, *, stopped: bool) -> int:
    """Start the work in a process of its own, stopped at first if asked, and return its number."""
    number = os.fork()
    if number:
        return number
    code = BROKEN
    try:
        if stopped:
            os.kill(os.getpid(), signal.SIGSTOP)
        work(folder, told)
        code = 0
    except StoreError:
        code = REFUSED
    finally:
        os._exit(code)


def ended(number: int) -> str:
    """Return how a process ended, in words."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found, status = os.waitpid(number, os.WNOHANG)
        if found:
            if os.WIFSIGNALED(status):
                return "killed"
            words = {0: "done", REFUSED: "refused in a sentence"}
            return words.get(os.WEXITSTATUS(status), "traceback")
        time.sleep(0.005)
    os.kill(number, signal.SIGKILL)
    os.waitpid(number, 0)
    return "hung"


def traced(folder: Path, options: Sequence[str]) -> tuple[str, set[int], str]:
    """Do the work under strace; return how it ended, the stored blocks, and what strace wrote."""
    read, told = os.pipe()
    number = child(folder, told, stopped=True)
    os.waitpid(number, os.WUNTRACED)
    log = folder.parent / "strace.log"
    tracer = subprocess.Popen(
        ["strace", "-qq", "-o", str(log), "-p", str(number), *options], stderr=subprocess.DEVNULL
    )
    status = Path(f"/proc/{number}/status")
    while "TracerPid:\t0\n" in status.read_text():
        if tracer.poll() is not None:
            os.kill(number, signal.SIGKILL)
            raise RuntimeError("strace cannot trace a process here; it needs the right to ptrace.")
        time.sleep(0.002)
    os.kill(number, signal.SIGCONT)
    how = ended(number)
    tracer.wait()
    os.close(told)
    acknowledged = set(os.read(read, 100))
    os.close(read)
    return how, acknowledged, log.read_text()


def stored(folder: Path) -> dict[int, bytes | None]:
    """Return the runs of a store by seed."""
    with Store.read(folder) as store:
        return {run.seed: run.packed for found in store.cells() for run in store.runs(found)}


def disturbed(fault: Fault, whole: dict[int, bytes | None], tally: Tally) -> None:
    """Disturb the work once, and look at what is left."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "results"
        when = f"inject={fault.call}:{WAYS[fault.way]}:when={fault.number}"
        how, acknowledged, log = traced(folder, ["-e", f"trace={fault.call}", "-e", when])
        if fault.way != "SIGKILL" and "INJECTED" not in log:
            return
        tally.tried[fault.way] += 1
        tally.ended[how] += 1
        wrong = [how] if how in {"traceback", "hung"} else []
        try:
            kept = stored(folder) if (folder / "results.sqlite").exists() else {}
            seeds = {block * RUNS + i for block in acknowledged for i in range(RUNS)}
            wrong += [f"run {seed} lost" for seed in seeds - kept.keys()]
            wrong += [f"run {seed} differs" for seed in kept if kept[seed] != whole[seed]]
        except StoreError as error:
            wrong.append(str(error))
        read, told = os.pipe()
        after = ended(child(folder, told, stopped=False))
        os.close(read)
        os.close(told)
        try:
            same = after == "done" and stored(folder) == whole
        except StoreError as error:
            same, after = False, str(error)
        if not same:
            wrong.append(f"not to be finished: {after}")
        left = {path.name for path in folder.iterdir()} - KEPT
        wrong += [f"{name} left behind" for name in left]
        tally.faults += [f"{fault}: {what}" for what in wrong]


def faults(counts: Counter, every: int) -> Iterator[Fault]:
    """Yield each fault that can happen, or every so many of them."""
    found = (
        Fault(call, way, number)
        for call in CALLS
        for way in WAYS
        for number in range(1, counts[call] + 1)
    )
    for index, fault in enumerate(found):
        if index % every == 0:
            yield fault


def campaign(every: int = 1) -> Tally:
    """Disturb the work at every call, or at every so many of them, in every way."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "results"
        how, _, log = traced(folder, ["-e", f"trace={','.join(CALLS)}"])
        assert how == "done", how
        counts = Counter(line.partition("(")[0] for line in log.splitlines())
        whole = stored(folder)
    for fault in faults(counts, every):
        disturbed(fault, whole, tally)
    return tally


def main() -> None:
    """Print what a campaign has seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every so many faults")
    chosen = parser.parse_args()
    if shutil.which("strace") is None:
        sys.exit("Faults in system calls are injected by strace, which is not here. Install it.")
    try:
        tally = campaign(chosen.every)
    except RuntimeError as error:
        sys.exit(str(error))
    tally.tell()


if __name__ == "__main__":
    main()
