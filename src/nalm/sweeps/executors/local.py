"""Train blocks on this machine: one worker process per core."""

import os
import queue
import threading
from collections.abc import Callable, Generator, Sequence

from nalm._internal.checks import check_whole, shown
from nalm.errors import InputError, WorkerError
from nalm.sweeps.executors._executor import Block, Finished, Order, Watch
from nalm.sweeps.executors._process import Care, request
from nalm.sweeps.executors._steady import SteadyWorker

MOST = 10_000
"""The most processes that can be asked for."""
HOPELESS = 3
"""How many blocks fail, while none is finished, before the others are not tried any more."""


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Local:
    """Worker processes on this machine, one per core.

    A process that dies is replaced. A block that ends its process every time is told after all
    others are trained.

    Parameters
    ----------
    workers
        How many processes; one per core if absent.
    care
        How the processes are looked after.

    Examples
    --------
    >>> import nalm
    >>> nalm.Local(3).workers
    3
    """

    def __init__(self, workers: int | None = None, care: Care | None = None) -> None:
        if workers is not None:
            check_whole("workers", workers, 1)
            if workers > MOST:
                raise InputError(f"workers is at most {MOST:,}; received {shown(workers)}.")
        self.workers = workers or cores()
        self.care = care or Care()
        self._early: list[SteadyWorker] = []

    def prepare(self, blocks: int) -> None:
        """Start workers before the blocks, at most so many, are known."""
        for _ in range(min(self.workers, blocks) - len(self._early)):
            worker = SteadyWorker(self.care)
            worker.start()
            self._early.append(worker)

    def release(self) -> None:
        """End the workers that no block was for."""
        while self._early:
            self._early.pop().close()

    def execute(self, orders: Sequence[Order], watch: Watch) -> Generator[Finished, None, None]:
        """Yield each block as it finishes; interrupting ends the workers."""
        todo: queue.SimpleQueue[Order] = queue.SimpleQueue()
        for order in orders:
            todo.put(order)
        news = News(watch)
        pool = [_Worker(todo, news, self._worker()) for _ in range(min(self.workers, len(orders)))]
        self.release()
        try:
            for worker in pool:
                worker.start()
            yield from news.finished(len(orders))
        finally:
            while not todo.empty():
                todo.get()
            for worker in pool:
                worker.stop()

    def _worker(self) -> SteadyWorker:
        return self._early.pop() if self._early else SteadyWorker(self.care)


class News:
    """What threads that train blocks have to tell the thread of the sweep."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self._queue: queue.SimpleQueue[Callable[[], Finished | None]] = queue.SimpleQueue()
        self._failed: list[WorkerError] = []

    def finished(self, count: int) -> Generator[Finished, None, None]:
        """Yield each of the blocks that finish; raise at the end if some failed."""
        done = 0
        while done + len(self._failed) < count:
            found = self._queue.get()()
            if found is not None:
                done += 1
                yield found
            elif not done and len(self._failed) == HOPELESS:
                break
        if self._failed:
            raise failure(self._failed)

    def steps(self, count: int) -> None:
        """Pass steps on to the watch of the sweep."""
        self._queue.put(lambda: self.watch.steps(count))

    def saved(self, block: Block, state: bytes) -> None:
        """Pass a saved state on to the watch of the sweep."""
        self._queue.put(lambda: self.watch.saved(block, state))

    def finish(self, block: Block, packed: list[bytes]) -> None:
        """Tell that a block is done."""
        self._queue.put(lambda: Finished(block, packed))

    def fail(self, error: WorkerError) -> None:
        """Tell that a block cannot be trained."""
        self._queue.put(lambda: self._failed.append(error))

    def end(self, error: BaseException) -> None:
        """Tell that nothing can be trained any more."""

        def raised() -> None:
            raise error

        self._queue.put(raised)


def failure(errors: Sequence[WorkerError]) -> WorkerError:
    """Return what is said of blocks that ended their worker at every attempt."""
    more = f"{len(errors)} blocks ended their workers at every attempt. The first of them: "
    return WorkerError(f"{more if len(errors) > 1 else ''}{errors[0]}")


class _Worker(threading.Thread):
    """A thread that feeds one worker process."""

    def __init__(self, todo: queue.SimpleQueue[Order], news: News, worker: SteadyWorker) -> None:
        super().__init__(daemon=True)
        self.todo, self.news, self.worker = todo, news, worker
        self.block: Block = ()

    def run(self) -> None:
        """Train blocks until there are none left."""
        try:
            while True:
                order = self.todo.get_nowait()
                self.block = order.block
                try:
                    self.news.finish(self.block, self.worker.train(request(order), self))
                except WorkerError as error:
                    if error.final:
                        raise
                    self.news.fail(error)
        except queue.Empty:
            self.worker.close()  # its memory is for the others
        except BaseException as error:
            self.news.end(error)

    def steps(self, count: int) -> None:
        """Pass on steps of the block that is trained."""
        self.news.steps(count)

    def saved(self, state: bytes) -> None:
        """Pass on the state of the block that is trained."""
        self.news.saved(self.block, state)

    def stop(self) -> None:
        """End the process and the thread; nothing is left open."""
        while self.is_alive():
            self.worker.kill()
            self.join(0.05)
        self.worker.close()
