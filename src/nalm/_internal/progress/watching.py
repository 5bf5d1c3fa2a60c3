"""The argument `progress=`: nobody, a display, or a function of the user's."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from nalm._internal.progress.displays import display
from nalm._internal.progress.events import Event, SearchProgress, SweepProgress
from nalm.errors import InputError

Watcher = Callable[[Any], None]
"""Called with each event."""


@contextmanager
def watching(progress: bool | Watcher | None, stream: TextIO | None = None) -> Iterator[Watcher]:
    """Give what is called with each event, as the argument `progress=` asks.

    Parameters
    ----------
    progress
        None or False for silence, True for a display, or a function that takes each event.
    stream
        Where a display writes; a notebook's cell or stderr if absent.

    Examples
    --------
    >>> seen = []
    >>> with watching(seen.append) as watch:
    ...     watch(SearchProgress("one unit", 0.5, seconds=1.0, formula="a + b"))
    >>> seen[0].stage
    'one unit'
    """
    if progress is None or progress is False:
        yield _ignore
    elif progress is True:
        shown = display(stream)
        try:
            yield shown.show
        finally:
            shown.close()
    elif callable(progress):
        yield progress
    else:
        raise InputError(
            "progress is True, False, None or a function that takes an event; received "
            f"{progress!r}."
        )


def _ignore(_: Event) -> None:
    """Watch nothing."""


class SweepWatch:
    """Counts what a sweep has done and gives the count to a watcher."""

    def __init__(self, watch: Watcher, runs: int, steps: int, expected: float) -> None:
        self.watch = watch
        self.runs, self.steps, self.solved = 0, 0, 0
        self.waiting = ""
        self.all_runs, self.all_steps, self.expected = runs, steps, expected
        self.start = time.monotonic()
        self._tell()

    def add(self, *, runs: int = 0, steps: int = 0, solved: int = 0) -> None:
        """Add runs that finished, steps that were trained, and how many of the runs are solved."""
        self.runs += runs
        self.steps += steps
        self.solved += solved
        self._tell()

    def wait(self, reason: str) -> None:
        """Take what nothing can be done without; empty when it is there."""
        self.waiting = reason
        self._tell()

    def _tell(self) -> None:
        self.watch(
            SweepProgress(
                self.runs,
                self.all_runs,
                self.solved,
                self.steps,
                self.all_steps,
                time.monotonic() - self.start,
                self.expected,
                self.waiting,
            )
        )


class SearchWatch:
    """Times a search and gives its stages to a watcher."""

    def __init__(self, watch: Watcher) -> None:
        self.watch = watch
        self.start = time.monotonic()

    def add(self, stage: str, error: float, formula: str) -> None:
        """Take a stage that is done, and the best formula so far with its error."""
        self.watch(SearchProgress(stage, error, time.monotonic() - self.start, formula))
