"""What happens on a Dask worker: blocks are trained in processes of their own.

Each thread of a worker has one process, kept between blocks. It is killed when its block is not
wanted any more, which is so when the driver is interrupted or gone, and when the worker closes.
"""

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from distributed import WorkerPlugin, get_worker

from nalm.errors import InputError, WorkerError
from nalm.sweeps.environment import Versions, environment
from nalm.sweeps.executors._process import Care, Request, WorkerProcess

NAME = "nalm"
"""The name of the plugin of a worker, and the beginning of each key."""
EVERY = 1.0
"""Seconds between two reports of steps."""
IDLE = 30.0
"""Seconds after which a process without a block is ended."""


class Answer(NamedTuple):
    """What became of a block; it travels as bytes."""

    packed: list[bytes] | None = None
    """The curves of each run, if it was trained."""
    made_with: str = ""
    """The environment of the worker as JSON."""
    wrong: str = ""
    """Why it cannot be trained anywhere."""
    ended: str = ""
    """How its process ended too early."""
    misfit: str = ""
    """The worker that has other versions."""
    final: bool = False
    """Whether its process would end so everywhere."""

    def to_bytes(self) -> bytes:
        """Return a line of JSON, and the bytes of all runs."""
        parts = self.packed or []
        lengths = None if self.packed is None else [len(part) for part in parts]
        return b"".join([json.dumps(self._replace(packed=lengths)).encode(), b"\n", *parts])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Answer":
        """Return the answer that was written as bytes."""
        line, _, rest = data.partition(b"\n")
        lengths, *others = json.loads(line)
        if lengths is None:
            return cls(None, *others)
        ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
        return cls([rest[e - n : e] for e, n in zip(ends, lengths, strict=True)], *others)


class Report(NamedTuple):
    """What a worker tells about a block on the way."""

    key: str
    worker: str
    steps: int
    """Steps over all runs since the start of this attempt; 0 when it starts."""
    saved: bool
    """Whether a state can be fetched."""


class Call(NamedTuple):
    """How a block is trained; it travels as plain values."""

    key: str
    """The name of the task, which begins with that of the plugin."""
    topic: str
    """Where reports go."""
    needed: str
    """The versions of the driver as JSON."""
    care: tuple[float, float, int]
    """The fields of a `Care`."""


def train(call: Sequence[Any], request: Sequence[Any]) -> bytes:
    """Train a block on the worker that runs this, and return the answer as bytes.

    Parameters
    ----------
    call
        The fields of a `Call`.
    request
        The fields of a `Request`.
    """
    key, topic, needed, care = Call(*call)
    order = Request(*request)
    worker = get_worker()
    if Versions.here().text != needed:
        return Answer(misfit=worker.address).to_bytes()
    pool = _pool_of(worker)
    watch = _Reports(pool, key, topic)
    try:
        packed = pool.take(key, Care(*care)).train(order, watch)
        pool.give_back(key)
        return Answer(packed, environment().text).to_bytes()
    except InputError as error:
        pool.give_back(key)
        return Answer(wrong=str(error)).to_bytes()
    except WorkerError as error:
        return Answer(ended=str(error), final=error.final and order.custom).to_bytes()
    finally:
        pool.drop(key)


def versions() -> str:
    """Return the versions of the worker that runs this, as JSON."""
    return Versions.here().text


def fetch(key: str, dask_worker: Any = None) -> bytes | None:
    """Return the last saved state of a block that a worker trains, which Dask gives."""
    pool = dask_worker.plugins.get(NAME)
    return pool.states.get(key) if pool else None


def rest(dask_worker: Any = None) -> None:
    """End the processes of a worker that have nothing to do."""
    if pool := dask_worker.plugins.get(NAME):
        pool.end_idle(0.0)


_ADDING = threading.Lock()


def _pool_of(worker: Any) -> "Pool":
    """Return the processes of a worker; they belong to it alone, the scheduler keeps nothing."""
    with _ADDING:
        if NAME not in worker.plugins:
            loop = worker.loop.asyncio_loop
            asyncio.run_coroutine_threadsafe(worker.plugin_add(Pool(), NAME), loop).result()
        return worker.plugins[NAME]


class _Idle(NamedTuple):
    process: WorkerProcess
    care: Care
    since: float


class Pool(WorkerPlugin):
    """The processes of a Dask worker: at most as many as blocks are trained at once."""

    name = NAME

    def __init__(self) -> None:
        self.states: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._busy: dict[str, tuple[WorkerProcess, Care]] = {}
        self._idle: list[_Idle] = []
        self._unwanted: set[str] = set()
        self._closed = False
        self.worker: Any = None

    def setup(self, worker: Any) -> None:
        """Take note of the worker."""
        self.worker = worker

    def teardown(self, worker: Any) -> None:  # noqa: ARG002 (the contract of a plugin)
        """End all processes: the worker closes."""
        with self._lock:
            self._closed = True
            for process, _ in self._busy.values():
                process.kill()
        self.end_idle(0.0)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """End the process of a block that nobody waits for any more."""
        if not str(key).startswith(f"{NAME}-") or finish != "released":
            return
        if start not in ("executing", "long-running"):
            return
        with self._lock:
            if key in self._busy:
                self._busy[key][0].kill()
            else:
                self._unwanted.add(key)

    def take(self, key: str, care: Care) -> WorkerProcess:
        """Return a process for a block, the one that was used last if there is one."""
        with self._lock:
            if self._closed or key in self._unwanted:
                self._unwanted.discard(key)
                raise WorkerError("The block is not wanted any more.")
            found = [idle for idle in self._idle if idle.care == care][-1:]
            self._idle = [idle for idle in self._idle if idle not in found]
            process = found[0].process if found else WorkerProcess(care)
            self._busy[key] = process, care
        return process

    def give_back(self, key: str) -> None:
        """Keep the process of a block that is done for the next one."""
        with self._lock:
            self._idle.append(_Idle(*self._busy.pop(key), time.monotonic()))
        if self._closed:
            self.end_idle(0.0)
        else:
            self.worker.loop.add_callback(
                self.worker.loop.call_later, IDLE + 1, self.end_idle, IDLE
            )

    def drop(self, key: str) -> None:
        """End the process of a block, if it still has one."""
        with self._lock:
            busy = self._busy.pop(key, None)
            self.states.pop(key, None)
        if busy:
            busy[0].close()

    def end_idle(self, seconds: float) -> None:
        """End the processes that have had nothing to do for so long."""
        with self._lock:
            now = time.monotonic()
            old = [idle for idle in self._idle if now - idle.since >= seconds]
            self._idle = [idle for idle in self._idle if idle not in old]
        for idle in old:
            idle.process.close()


class _Reports:
    """Tells the driver how far a block is, through the scheduler."""

    def __init__(self, pool: Pool, key: str, topic: str) -> None:
        self.pool, self.key, self.topic = pool, key, topic
        self.done, self.last = 0, time.monotonic()
        self._send(saved=False)

    def steps(self, count: int) -> None:
        """Count steps, and tell their number once in a while."""
        self.done += count
        if time.monotonic() - self.last >= EVERY:
            self._send(saved=False)

    def saved(self, state: bytes) -> None:
        """Keep a state for the driver to fetch: the scheduler keeps what it passes on."""
        self.pool.states[self.key] = state
        self._send(saved=True)

    def _send(self, *, saved: bool) -> None:
        self.last = time.monotonic()
        worker = self.pool.worker
        worker.log_event(self.topic, [*Report(self.key, worker.address, self.done, saved)])
