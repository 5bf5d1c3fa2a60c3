"""What may come of an input: a value, or an error in one line, soon, in little memory."""

import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nalm.errors import NalmError

LONGEST = 2000
"""The most letters of an error."""
READ, REFUSED = "read", "refused"


class TooLongError(BaseException):
    """An input took longer than it may."""


TIMERS = ((signal.ITIMER_PROF, signal.SIGPROF, 1), (signal.ITIMER_REAL, signal.SIGALRM, 20))
"""Timers of CPU time and of the clock, their signals, and how many times the limit each allows."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLongError after so many seconds of CPU time, or many times as long."""

    def over(*_: object) -> None:
        raise TooLongError(f"more than {seconds:g} s")

    before = {number: signal.signal(number, over) for _, number, _ in TIMERS}
    for timer, _, times in TIMERS:
        signal.setitimer(timer, times * seconds)
    try:
        yield
    finally:
        for timer, number, _ in TIMERS:
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def outcome(read: Callable[[Any], object], value: Any, seconds: float) -> tuple[str, str | None]:
    """Return whether an input was read or refused, and what is wrong with that, if anything."""
    try:
        with limited(seconds), warnings.catch_warnings():
            warnings.simplefilter("error")
            read(value)
    except (NalmError, FileNotFoundError) as error:
        text = str(error)
        if "\n" in text or not text.strip() or len(text) > LONGEST:
            return REFUSED, f"an error of {len(text)} letters: {text[:200]!r}"
        return REFUSED, None
    except (Exception, TooLongError) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{where.filename.rpartition('/')[2]}:{where.lineno}"
        return "failed", f"{type(error).__name__} in {place}: {str(error)[:200]}"
    return READ, None


def memory() -> float:
    """Return the most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
