"""A worker that is replaced when it dies, so that one dead process costs a minute of training."""

from nalm.errors import WorkerError
from nalm.sweeps.executors._process import BlockWatch, Care, Request, WorkerProcess


class SteadyWorker:
    """Trains blocks in a process; if it dies, in another one, from the last state of the block."""

    def __init__(self, care: Care | None = None) -> None:
        self.care = care or Care()
        self._process: WorkerProcess | None = None
        self._ended = False

    def train(self, order: Request, watch: BlockWatch) -> list[bytes]:
        """Train a block, and return the curves of each run.

        Raises
        ------
        WorkerError
            If every attempt ended with the death of the process.
        """
        way = _Way(order, watch)
        for left in reversed(range(self.care.attempts)):
            try:
                return self._running(last=not left).train(way.order(), way)
            except WorkerError as error:
                self._close_process()
                if error.final or self._ended or not left:
                    raise
        raise AssertionError("The last attempt returns or raises.")

    def start(self) -> None:
        """Start the process before there is a block for it."""
        if self._process is None:
            self._process = WorkerProcess(self.care, early=True)

    def _running(self, *, last: bool) -> WorkerProcess:
        """Return the process; one for a last attempt after others failed is fresh."""
        if self._process is None:
            self._process = WorkerProcess(self.care, fresh=last and self.care.attempts > 1)
        return self._process

    def kill(self) -> None:
        """End the process at once, from any thread; no other is started."""
        self._ended = True
        if (process := self._process) is not None:
            process.kill()

    def close(self) -> None:
        """End the process, and close what it had open."""
        self._ended = True
        self._close_process()

    def _close_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()


class _Way:
    """What is known of a block on the way, over all attempts."""

    def __init__(self, order: Request, watch: BlockWatch) -> None:
        self.first, self.state = order, order.saved
        self.watch = watch
        self.now = self.told = 0

    def order(self) -> Request:
        """Return what is left to do, for a new attempt."""
        self.now = 0
        return self.first._replace(saved=self.state)

    def steps(self, count: int) -> None:
        """Pass on steps that no attempt did before."""
        self.now += count
        if self.now > self.told:
            self.watch.steps(self.now - self.told)
            self.told = self.now

    def saved(self, state: bytes) -> None:
        """Keep a state for the next attempt, and pass it on."""
        self.state = state
        self.watch.saved(state)
