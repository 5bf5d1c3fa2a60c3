"""Kill sweeps at random moments, and compare: `python -m benchmarks.faults.kills --count 1000`.

A sweep of small blocks is started again and again in the same folder. Each time one of its
processes, or all of them, are killed (SIGKILL) at a random moment, until it comes to its end. Then
its store must hold every run of a sweep that nobody disturbed, bit by bit; no run that was in it
after a kill may be missing later; nothing may run on; and no file may be left behind.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.faults.places import ORPHAN, PLACES, Place
from benchmarks.faults.processes import MARK, kill, marked
from benchmarks.faults.victim import SWEEPS, TOLD, TRAINED

ROOT = Path(__file__).parents[2]
GIVEN_UP = 3
"""How often one after the other a sweep is refused before it is taken to be so for ever."""
KEPT = {"results.sqlite", "writer.lock"}
"""The files of a folder after a sweep."""
PYTORCH = "torchinductor_"
"""How the name of a folder begins that PyTorch makes for itself, and uses again."""


@dataclass
class Tally:
    """What a campaign has seen."""

    kills: Counter = field(default_factory=Counter)
    sweeps: int = 0
    starts: int = 0
    continued: int = 0
    """Starts that found runs of an earlier one."""
    lost: int = 0
    """Runs that were in a store after a kill, and not after a later one."""
    different: int = 0
    """Runs that end with other bits than those of an undisturbed sweep."""
    orphans: int = 0
    longest: float = 0.0
    """The most seconds that a process lived after its driver."""
    left: list[str] = field(default_factory=list)
    """Files and states that were left behind."""
    refused: list[str] = field(default_factory=list)
    """What a sweep said that ended though nobody had killed it."""

    @property
    def faults(self) -> int:
        return self.lost + self.different + self.orphans + len(self.left) + len(self.refused)

    def add(self, other: "Tally") -> None:
        for name in ("kills", "sweeps", "starts", "continued", "lost", "different", "orphans"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.longest = max(self.longest, other.longest)
        self.left += other.left
        self.refused += other.refused

    def record(self) -> dict:
        return {**vars(self), "kills": dict(self.kills), "all": sum(self.kills.values())}


class Sweep:
    """A sweep in a folder of its own, which can be started and killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "results"
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        self.log = folder / "log"
        self.mark = ""

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start it, or let it go on where it was killed."""
        self.mark = uuid4().hex
        environment = os.environ | {MARK: self.mark, "TMPDIR": str(self.temporary)}
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "benchmarks.faults.victim", str(self.folder), *arguments],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
            )

    def contents(self) -> dict[int, bytes]:
        """Return the curves that are stored, by the number of their run."""
        return dict(self._read("SELECT id, data FROM runs JOIN curves ON run = id"))

    def _read(self, query: str) -> list[Any]:
        """Ask a copy of the store: the next start finds everything as it was left."""
        with tempfile.TemporaryDirectory() as copy:
            for file in self.folder.glob("results.sqlite*"):
                if not file.name.endswith("-shm"):
                    shutil.copy(file, copy)
            path = Path(copy) / "results.sqlite"
            if not path.exists():
                return []
            with closing(sqlite3.connect(path)) as database:
                return database.execute(query).fetchall()

    def leftovers(self) -> list[str]:
        """Return files and states of blocks that should not be there any more."""
        found = [*self.temporary.rglob("*"), *self.folder.rglob("*")]
        states = self._read("SELECT id FROM saved")
        files = [
            str(path)
            for path in found
            if path.name not in KEPT and not path.name.startswith(PYTORCH)
        ]
        return [*files, *(f"state {number} in {self.folder}" for (number,) in states)]


class Lane:
    """Disturbs one sweep after the other, all of them at one place."""

    def __init__(self, folder: Path, place: Place, whole: dict[int, bytes], seed: int) -> None:
        self.folder, self.place, self.whole = folder, place, whole
        self.random = random.Random(seed)
        self.tally = Tally()
        self.survivors: list[tuple[str, float]] = []
        """The marks of starts that were killed, and when."""
        self.length = 3.0
        """The seconds of the last whole sweep that nobody disturbed."""

    def run(self, wanted: Callable[[], bool]) -> Tally:
        """Disturb sweeps as long as that is wanted; the last of them comes to its end, too."""
        self._measure()
        while wanted():
            sweep = Sweep(self.folder / str(self.tally.sweeps))
            known: dict[int, bytes] = {}
            refused = 0
            while True:
                self.tally.continued += bool(known)
                before = len(self.tally.refused)
                finished = self._life(sweep, disturbed=wanted(), whole=not known)
                refused = refused + 1 if len(self.tally.refused) > before else 0
                now = sweep.contents()
                self.tally.lost += sum(now.get(key) != data for key, data in known.items())
                known = now
                if finished or refused == GIVEN_UP:
                    break
            self._judge(sweep, known)
        while self.survivors:
            self._look_for_orphans()
            time.sleep(0.2)
        self.tally.orphans += self.place.close()
        return self.tally

    def _measure(self) -> None:
        """Train a sweep without disturbance: it has the same runs here."""
        sweep = Sweep(self.folder / "undisturbed")
        arguments = self.place.ready()
        start = time.monotonic()
        if sweep.start(*arguments).wait():
            self.tally.refused.append(sweep.log.read_text(errors="replace")[-2000:])
        self.length = time.monotonic() - start
        self._judge(sweep, sweep.contents())

    def _life(self, sweep: Sweep, *, disturbed: bool, whole: bool) -> bool:
        """Start a sweep once, disturb it, and tell whether it came to its end."""
        process = sweep.start(*self.place.ready())
        start = time.monotonic()
        self.tally.starts += 1
        kinds, killed = self.place.kinds(self.random) if disturbed else [], set()
        for kind in kinds:
            try:
                process.wait(self.random.uniform(0.0, 1.1 * self.length) / len(kinds))
            except subprocess.TimeoutExpired:
                if self.place.kill(kind, process.pid, sweep.mark, self.random):
                    self.tally.kills[kind] += 1
                    killed.add(kind)
            self._look_for_orphans()
        code = process.wait()
        if whole and not killed:
            self.length = time.monotonic() - start
        self.survivors.append((sweep.mark, time.monotonic()))
        if code > 0 and not (code == TOLD and killed & self.place.ends_driver):
            self.tally.refused.append(sweep.log.read_text(errors="replace")[-2000:])
        return code == 0

    def _look_for_orphans(self) -> None:
        left = []
        for mark, since in self.survivors:
            lived = time.monotonic() - since
            if found := marked(mark):
                self.tally.longest = max(self.tally.longest, lived)
                if lived > ORPHAN:
                    self.tally.orphans += len(found)
                    kill(found)
                else:
                    left.append((mark, since))
        self.survivors = left

    def _judge(self, sweep: Sweep, stored: dict[int, bytes]) -> None:
        self.tally.sweeps += 1
        keys = self.whole.keys() | stored.keys()
        self.tally.different += sum(self.whole.get(key) != stored.get(key) for key in keys)
        self.tally.left += sweep.leftovers()
        if not self.tally.faults:
            shutil.rmtree(sweep.folder.parent)


def campaign(count: int, places: Sequence[str], seed: int, folder: Path) -> Tally:
    """Kill as often as asked, in several sweeps at the same time."""
    undisturbed = Sweep(folder / "whole")
    if undisturbed.start().wait():
        sys.exit(undisturbed.log.read_text())
    whole = undisturbed.contents()
    if not whole:
        sys.exit("The undisturbed sweep has stored nothing.")
    each = [
        Lane(folder / f"lane{i}", PLACES[name](folder / f"place{i}"), whole, seed + i)
        for i, name in enumerate(places)
    ]

    def wanted() -> bool:
        killed = sum(sum(lane.tally.kills.values()) for lane in each)
        print(f"\r{killed:,} of {count:,} kills", end="", file=sys.stderr, flush=True)
        return killed < count

    total = Tally()
    with ThreadPoolExecutor(len(each)) as pool:
        for tally in pool.map(lambda lane: lane.run(wanted), each):
            total.add(tally)
    print(file=sys.stderr)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many kills, at least")
    parser.add_argument(
        "--places", default="local,dask", help="where sweeps are trained, each with one at a time"
    )
    parser.add_argument("--train", choices=sorted(SWEEPS), default="numbers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help="a file for the figures, as JSON")
    asked = parser.parse_args()
    os.environ[TRAINED] = asked.train
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    start = time.monotonic()
    tally = campaign(asked.count, asked.places.split(","), asked.seed, folder)
    figures = tally.record() | {"minutes": round((time.monotonic() - start) / 60, 1)}
    text = json.dumps(figures, indent=2)
    print(text)
    if asked.record:
        asked.record.write_text(text + "\n")
    if tally.faults:
        sys.exit(f"{tally.faults} faults; what was found is in {folder}.")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
