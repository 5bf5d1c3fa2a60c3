"""Notices a worker that gives no sign of life: stopped, or waiting for ever."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TICK = 1.0
"""Seconds from one look to the next."""
BUSY = 0.01
"""The least processor time, in seconds, that a worker at work uses from one sign to the next."""


class Silence:
    """Counts how long a worker has been silent, and ends it when that is too long.

    It counts looks, not the time between them: where this process was stopped or the machine
    slept, that is one look, however long it was.

    Parameters
    ----------
    limit
        The most seconds of silence.
    end
        Ends the worker.
    """

    def __init__(self, limit: float, end: Callable[[], None]) -> None:
        self.limit, self.end = limit, end
        self.broken = False
        """Whether the worker was ended because of its silence."""
        self._silent, self._used = 0.0, 0.0
        self._waiting, self._closed = threading.Event(), threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Watch the worker meanwhile."""
        self._silent = 0.0
        self._waiting.set()
        try:
            yield
        finally:
            self._waiting.clear()

    def heard(self, used: float | None) -> None:
        """Take a message; one that only tells the processor time counts if that has grown."""
        if used is None:
            self._silent = 0.0
        elif used - self._used >= BUSY:
            self._silent, self._used = 0.0, used

    def close(self) -> None:
        """Watch no longer."""
        self._closed.set()

    def _look(self) -> None:
        tick = min(TICK, self.limit / 4)
        while not self._closed.wait(tick):
            if self._waiting.is_set():
                self._silent += tick
                if self._silent > self.limit:
                    self.broken = True
                    self.end()
                    return
