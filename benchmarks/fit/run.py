"""Fits, each in a process of its own with a hard limit; every one is kept as a line of JSON."""

import json
import math
import multiprocessing
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.fit.methods import METHODS, Found, Table, installed
from benchmarks.fit.problem import Data, Problem, data
from benchmarks.fit.score import score

Record = dict[str, Any]
LEAST = 1.0
"""Seconds of CPU time that a tool is given at least."""
GRACE = 30.0
"""Seconds of the wall clock beyond three times its budget, after which a process is ended."""
MEMORY = 6 * 2**30
"""Bytes of memory that a process may ask for."""
TEXT = 3000


@dataclass(frozen=True)
class Fit:
    """A method on the rows of a problem of one seed."""

    problem: Problem
    seed: int
    method: str
    seconds: float

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What tells it from other fits."""
        return self.problem.family, self.problem.name, self.seed, self.method


def key_of(record: Record) -> tuple[str, str, int, str]:
    """Return the key of the fit that a record is of."""
    return record["family"], record["problem"], record["seed"], record["method"]


# --- in the process of a fit ---------------------------------------------------------------------


def records(fit: Fit) -> list[Record]:
    """Run a fit and judge what it gives."""
    rows = data(fit.problem, fit.seed)
    method = METHODS[fit.method]
    table = Table(rows.x, rows.y, fit.problem.names, fit.seconds, fit.problem.functions, fit.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method.warm()
        cpu, wall = time.process_time(), time.perf_counter()
        found = method.fit(table)
        spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        return [judged(fit, name, each, rows) | spent for name, each in found.items()]


def judged(fit: Fit, name: str, found: Found, rows: Data) -> Record:
    """Return the record of a formula."""
    result = asdict(score(fit.problem, rows, found.predict, found.expression))
    if found.complexity is not None:
        result["complexity"] = found.complexity
    claims = {
        "claim": found.claim,
        "expression": found.expression[:TEXT],
        "false_claim": found.claim in {"exact", "within noise"} and not result["solved"],
    }
    if fit.problem.wrong:
        named, wrong = set(found.outliers), {int(row) for row in rows.wrong}
        claims |= {"wrong_rows_named": len(named & wrong), "right_rows_named": len(named - wrong)}
    return empty(fit, name, "done") | result | claims


def empty(fit: Fit, chosen: str, status: str) -> Record:
    """Return a record without a result."""
    of = fit.problem
    return {
        "family": of.family, "group": of.group, "problem": of.name, "seed": fit.seed,
        "method": fit.method, "chosen": chosen, "status": status, "budget": fit.seconds,
        "rows": of.rows, "dtype": of.dtype, "noise": of.noise, "findable": of.findable,
        "formula": of.formula[:TEXT],
    }  # fmt: skip


def bounded(seconds: float) -> None:
    """End this process when its parent ends, and let it take no more than its share."""
    import resource

    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
    cpu = math.ceil(3 * seconds + GRACE)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def work(fit: Fit, pipe: Connection) -> None:
    """Send the records of a fit, or what went wrong."""
    bounded(fit.seconds)
    try:
        result = records(fit)
    except Exception as error:
        failed = f"failed: {type(error).__name__}: {error}"[:500]
        result = [empty(fit, name, failed) for name in METHODS[fit.method].chosen]
    pipe.send(result)
    pipe.close()


# --- around the processes ------------------------------------------------------------------------


@dataclass
class Running:
    """A process with its deadline."""

    fit: Fit
    process: Any
    pipe: Connection
    until: float

    def result(self) -> list[Record] | None:
        """Return the records if there are some or the time is over."""
        status = ""
        if self.pipe.poll():
            try:
                return self.pipe.recv()
            except EOFError:
                status = "crashed"
        elif time.monotonic() > self.until:
            self.process.kill()
            status = "time limit"
        if not status:
            return None
        return [empty(self.fit, name, status) for name in METHODS[self.fit.method].chosen]


def run(fits: Iterable[Fit], jobs: int) -> Iterator[list[Record]]:
    """Run fits, several at once, and yield their records as they come."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.fit.warm"])
    left, running = iter(fits), []
    more = True
    while more or running:
        while more and len(running) < jobs:
            fit = next(left, None)
            more = fit is not None
            if fit is not None:
                running.append(_started(context, fit))
        if running:
            wait([each.pipe for each in running], timeout=1.0)
        for each in list(running):
            result = each.result()
            if result is not None:
                each.process.join()
                each.pipe.close()
                running.remove(each)
                yield result


def _started(context: Any, fit: Fit) -> Running:
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(fit, theirs), daemon=True)
    process.start()
    theirs.close()
    return Running(fit, process, ours, time.monotonic() + 3 * fit.seconds + GRACE)


class Store:
    """The records of a folder: a file of lines for each family."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records: list[Record] = []
        for path in sorted(folder.glob("*.jsonl")):
            lines = path.read_text(encoding="utf-8").splitlines()
            self.records += [json.loads(line) for line in lines if line.endswith("}")]

    def add(self, result: list[Record]) -> None:
        """Keep the records of a fit."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{result[0]['family'].replace(' ', '-')}.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in result)
        self.records += result

    def done(self) -> set[tuple[str, str, int, str]]:
        """Return the keys of the fits that need not be run again."""
        return {key_of(r) for r in self.records if r["status"] != "not installed"}

    def cpu(self) -> dict[tuple[str, str, int], float]:
        """Return the CPU time of nalm by problem and seed."""
        return {
            key_of(r)[:3]: r["cpu"] for r in self.records if r["method"] == "nalm" and "cpu" in r
        }


def benchmark(
    problems: list[tuple[Problem, int]],
    methods: list[str],
    store: Store,
    *,
    limit: float,
    jobs: int,
    tell: Callable[[list[Record]], None],
) -> None:
    """Run every method on every problem that is not in the store; nalm comes first."""
    for method in sorted(methods, key=list(METHODS).index):
        done, cpu = store.done(), store.cpu()
        fits = []
        for problem, seed in problems:
            spent = cpu.get((problem.family, problem.name, seed), limit)
            equal = METHODS[method].equal_time
            seconds = max(LEAST, math.ceil(spent * 10) / 10) if equal else limit
            fits.append(Fit(problem, seed, method, seconds))
        fits = [fit for fit in fits if fit.key not in done]
        if not installed(method):
            for fit in fits:
                store.add([empty(fit, c, "not installed") for c in METHODS[method].chosen])
            continue
        for result in run(fits, jobs):
            store.add(result)
            tell(result)
