"""The driver's side of a Dask cluster: blocks out, answers in, nothing waits for one worker."""

import asyncio
import concurrent.futures
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any
from uuid import uuid4

from distributed import KilledWorker

from nalm.errors import InputError, WorkerError
from nalm.sweeps.environment import Versions
from nalm.sweeps.executors import _dask_worker as remote
from nalm.sweeps.executors._dask_worker import Answer, Call, Report
from nalm.sweeps.executors._executor import Finished, Order, Watch
from nalm.sweeps.executors._process import Care, request
from nalm.sweeps.executors.dask import gone
from nalm.sweeps.executors.local import HOPELESS, failure

AHEAD, LEAST = 2, 4
"""Blocks that are submitted for each thread of the cluster, and the least of them."""
LOOK = 3.0
"""Seconds after which the driver looks which workers there are."""
PATIENCE = 5.0
"""Seconds that a cluster has to clean up."""
CANCELLED = (concurrent.futures.CancelledError, asyncio.CancelledError)


@dataclass
class Task:
    """A block on its way."""

    order: Order
    key: str = ""
    future: Any = None
    worker: str = ""
    """Who trains it."""
    steps: int = 0
    """The steps that were counted."""
    starts: int = 0
    """How many workers have started it since it was last saved."""
    attempts: int = 0
    """How often it failed."""


class DaskSweep:
    """Blocks that a cluster trains.

    Parameters
    ----------
    client
        The connection to the cluster, a `distributed.Client`.
    orders
        The blocks, the first of which are started first.
    watch
        Who is told about steps and states, in the thread of the driver.
    care
        How processes are looked after on the workers.
    """

    def __init__(self, client: Any, orders: Sequence[Order], watch: Watch, care: Care) -> None:
        self.client, self.watch, self.care = client, watch, care
        self.address = client.scheduler.address
        self.todo = deque(Task(order) for order in orders)
        self.going: dict[str, Task] = {}
        self.done = 0
        self.failed: list[WorkerError] = []
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.states = _States(client, self.inbox)
        self.topic = f"{remote.NAME}-{uuid4().hex}"
        self.needed = Versions.here().text
        self.threads: dict[str, int] = {}
        self.misfits: set[str] = set()
        self.looked = 0.0
        self.waiting = ""

    def finished(self) -> Generator[Finished, None, None]:
        """Yield each block as it finishes; those that cannot be trained are told at the end."""
        self._subscribe()
        while self.todo or self.going:
            self._look()
            while self.todo and len(self.going) < self._limit():
                self._submit(self.todo.popleft())
            for message in self._messages():
                report = isinstance(message, tuple)  # of a worker, with the time
                yield from self._told(message[1]) if report else message()
            if not self.done and len(self.failed) >= HOPELESS:
                break
        if self.failed:
            raise failure(self.failed)

    def stop(self) -> None:
        """Leave nothing on the cluster: no task, no process."""
        self.states.stop()
        futures = [task.future for task in self.going.values()]
        self.going.clear()
        _within(PATIENCE, partial(self._clean, futures))

    def _clean(self, futures: Sequence[Any]) -> None:
        self.client.unsubscribe_topic(self.topic)
        if futures:
            self.client.cancel(futures)
        self.client.run(remote.rest, on_error="ignore")

    # --- workers -------------------------------------------------------------------------------

    def _look(self) -> None:
        """See which workers there are, once in a while."""
        if time.monotonic() - self.looked < LOOK:
            return
        try:
            threads = self.client.nthreads()
            joined = threads.keys() - self.threads.keys()
            self.misfits &= threads.keys()
            self.misfits |= misfits(self.client, joined).keys()
        except (OSError, *CANCELLED):
            self._reconnect()
            return
        self.threads = threads
        self.looked = time.monotonic()
        missing = f"waiting for workers at {self.address}"
        if self.misfits:
            missing += " with the versions of this machine"
        self._wait_for("" if self._fitting() else missing)

    def _fitting(self) -> list[str]:
        return [address for address in self.threads if address not in self.misfits]

    def _limit(self) -> int:
        fitting = self._fitting()
        if self.misfits and not fitting:
            return 0
        return max(LEAST, AHEAD * sum(self.threads[address] for address in fitting))

    def _wait_for(self, reason: str) -> None:
        if reason != self.waiting:
            self.waiting = reason
            self.watch.waiting(reason)

    def _reconnect(self) -> None:
        """Wait until the client has found the scheduler again, or has given up."""
        self._wait_for(f"waiting for the scheduler at {self.address}")
        while self.client.status == "connecting":
            time.sleep(0.1)
        if self.client.status != "running":
            raise gone(self.address)
        self._subscribe()
        self.threads = {}
        self.looked = 0.0

    # --- blocks --------------------------------------------------------------------------------

    def _submit(self, task: Task) -> None:
        task.key = f"{remote.NAME}-{uuid4().hex}"
        self.going[task.key] = task
        task.worker = ""
        task.future = self.client.submit(
            remote.train,
            tuple(Call(task.key, self.topic, self.needed, astuple(self.care))),
            tuple(request(task.order)),
            key=task.key,
            pure=False,
            workers=self._fitting() if self.misfits else None,
        )
        loop: Any = self.client.loop
        asyncio.run_coroutine_threadsafe(self._collect(task.key, task.future), loop.asyncio_loop)

    async def _collect(self, key: str, future: Any) -> None:
        try:
            data = await self.client.gather(future, asynchronous=True)
        except BaseException as error:
            self.inbox.put(partial(self._lost, key, error))
        else:
            self.inbox.put(partial(self._answered, key, data))

    def _answered(self, key: str, data: bytes) -> Iterable[Finished]:
        task = self.going.pop(key, None)
        if task is None:
            return
        answer = Answer.from_bytes(data)
        if answer.wrong:
            raise InputError(answer.wrong)
        if answer.packed is not None:
            block = task.order.block
            self.done += 1
            self._count(task, sum(run.recipe.steps for run in block))
            yield Finished(block, answer.packed, answer.made_with)
        elif answer.misfit:
            self.misfits.add(answer.misfit)
            self.looked = 0.0
            self.todo.appendleft(task)
        elif answer.final:
            raise WorkerError(answer.ended, final=True)
        else:
            self._again(task, WorkerError(answer.ended))

    def _lost(self, key: str, error: BaseException) -> Iterable[Finished]:
        task = self.going.pop(key, None)
        if task is None:
            return ()
        if isinstance(error, CANCELLED):
            self._reconnect()
            self.todo.appendleft(task)
        elif isinstance(error, KilledWorker):
            # Dask also counts the deaths of workers on which the block only waited.
            task.attempts = max(task.attempts, task.starts - 1)
            self._again(task, died(task.order, error.allowed_failures + 1))
        else:
            self.threads, self.looked = {}, 0.0  # a worker may not have the package
            self._again(task, unusable(task.order, error))
        return ()

    def _again(self, task: Task, error: WorkerError) -> None:
        """Try a block again, or keep what is wrong with it until the others are done."""
        task.attempts += 1
        if task.attempts < self.care.attempts:
            self.todo.appendleft(task)
        else:
            self.failed.append(error)

    # --- on the way ----------------------------------------------------------------------------

    def _subscribe(self) -> None:
        self.client.subscribe_topic(self.topic, self.inbox.put)

    def _messages(self) -> Iterable[Any]:
        """Yield what came in, after the first of it or a while."""
        with suppress(queue.Empty):
            message = self.inbox.get(timeout=LOOK)
            while True:
                yield message
                message = self.inbox.get_nowait()

    def _told(self, event: Sequence[Any]) -> Iterable[Finished]:
        report = Report(*event)
        if report.key not in self.going:
            return ()
        task = self.going[report.key]
        if task.worker != report.worker and task.worker and task.order.saved is not None:
            self._continue(task)
            return ()
        if task.worker != report.worker:
            task.worker = report.worker
            task.starts += 1
        self._count(task, report.steps)
        if report.saved:
            self.states.fetch(report, partial(self._saved, report.key))
        return ()

    def _continue(self, task: Task) -> None:
        """Start a block anew that another worker starts from a state older than the last."""
        del self.going[task.key]
        self.client.cancel([task.future])
        self.todo.appendleft(task)

    def _saved(self, key: str, state: bytes) -> Iterable[Finished]:
        if task := self.going.get(key):
            task.order = task.order._replace(saved=state)
            task.starts = 1
            self.watch.saved(task.order.block, state)
        return ()

    def _count(self, task: Task, steps: int) -> None:
        if steps > task.steps:
            self.watch.steps(steps - task.steps)
            task.steps = steps


class _States:
    """Fetches saved states from workers, in a thread of its own: one of them may not answer."""

    def __init__(self, client: Any, inbox: queue.SimpleQueue[Any]) -> None:
        self.client, self.inbox = client, inbox
        self.wanted: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None

    def fetch(self, report: Report, take: Callable[[bytes], object]) -> None:
        """Fetch the state that a report speaks of."""
        if self.thread is None:
            self.thread = threading.Thread(target=self._run, daemon=True)
            self.thread.start()
        self.wanted.put((report, take))

    def stop(self) -> None:
        """Fetch nothing more."""
        self.wanted.put(None)

    def _run(self) -> None:
        while wanted := self.wanted.get():
            report, take = wanted
            with suppress(Exception):  # a worker that is gone has no state; the next one will
                found = self.client.run(remote.fetch, report.key, workers=[report.worker])
                if state := found.get(report.worker):
                    self.inbox.put(partial(take, state))


def misfits(client: Any, workers: Iterable[str]) -> dict[str, str]:
    """Return the workers that cannot be used, and what is wrong with each."""
    asked = list(workers)
    if not asked:
        return {}
    here = Versions.here()
    wrong: dict[str, str] = {}
    for address, found in client.run(remote.versions, workers=asked, on_error="return").items():
        if isinstance(found, OSError):
            continue  # it went away meanwhile
        if isinstance(found, BaseException):
            wrong[address] = f"no usable nalm ({found})"
        elif found != here.text:
            wrong[address] = Versions.read(found).beside(here)
    return wrong


def died(order: Order, count: int) -> WorkerError:
    """Return the error of a block whose workers died."""
    return WorkerError(
        f"{count} Dask workers died while they trained {describe(order)}; perhaps they had too "
        "little memory. Everything else is finished and kept; run the same command to go on."
    )


def unusable(order: Order, error: BaseException) -> WorkerError:
    """Return the error of a block that no worker could start."""
    return WorkerError(
        f"The Dask workers could not train {describe(order)}: {error}. Everything else is "
        "finished and kept; run the same command to go on."
    )


def describe(order: Order) -> str:
    """Return a block in words."""
    first, count = order.block[0], len(order.block)
    return f"{count} run{'s' if count > 1 else ''} of {first.model!r} from seed {first.seed} on"


def _within(seconds: float, work: Callable[[], object]) -> None:
    """Do something that may take for ever, for a while."""

    def quietly() -> None:
        with suppress(Exception, *CANCELLED):
            work()

    thread = threading.Thread(target=quietly, daemon=True)
    thread.start()
    thread.join(seconds)
