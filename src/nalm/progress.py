"""How far a sweep or a search is: a live line on a terminal, one plain line a minute elsewhere."""

import time
from typing import Any, Self, TextIO

INTERVAL = 60.0
"""Seconds between plain lines."""
LONG = 60.0
"""Seconds from which a sweep says at its start how long it will take."""
WIDTH = 79
"""The most letters of a live line."""


def duration(value: float) -> str:
    """Return seconds as a person says them.

    >>> duration(3), duration(95), duration(4000), duration(90_000), duration(1e6)
    ('3 s', '1.6 min', '1.1 h', '25 h', '12 days')
    """
    for unit, length, most in (("s", 1, 60), ("min", 60, 60), ("h", 3600, 48)):
        if value < most * length:
            return f"{max(value / length, 1):.2g} {unit}"
    return f"{value / 86_400:.2g} days"


class Reporter:
    """Counts runs and steps, and says how many there are, how fast, and for how long still."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.runs = self.steps = self.solved = self.all_runs = self.all_steps = 0
        self.start = self.last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def plan(self, runs: int, steps: int, seconds: float) -> None:
        """Take how many runs and run-steps are to be done, and about how long that takes."""
        self.all_runs, self.all_steps = runs, steps
        self.start = time.monotonic()
        if seconds > LONG:
            print(
                f"{runs:,} runs to do: about {duration(seconds)}. Ctrl-C keeps what is done.",
                file=self.stream,
                flush=True,
            )
        if self.stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TimeRemainingColumn(),
                console=Console(file=self.stream),
            )
            self._task = self._bar.add_task("", total=steps)
            self._bar.start()

    def report(self, runs: int, steps: int, solved: int) -> None:
        """Add finished runs, done run-steps and solved runs, and show them when it is time."""
        self.runs += runs
        self.solved += solved
        self.steps += steps
        if self._bar:
            self._bar.update(self._task, completed=self.steps, description=self.line())
        elif time.monotonic() - self.last >= INTERVAL:
            self.last = time.monotonic()
            print(self.line(), file=self.stream, flush=True)

    def line(self) -> str:
        """Return the state as one line."""
        rate = self.steps / max(time.monotonic() - self.start, 1e-9)
        left = duration((self.all_steps - self.steps) / rate) if rate else "unknown time"
        return (
            f"{self.runs} of {self.all_runs} runs, {self.solved} solved, "
            f"{rate:,.0f} run-steps/s, {left} left"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()


class SearchReporter:
    """Says which stage of a search is done and how near its best formula is."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.start = self.last = time.monotonic()
        self.shown = False

    def report(self, stage: str, error: float) -> None:
        """Take a stage that is done and the error of the best formula, and show them in time."""
        now = time.monotonic()
        line = f"{duration(now - self.start)}: searched {stage}, best error {error:.3g}"
        if self.stream.isatty():
            self.shown = True
            print(f"\r\x1b[K{line[:WIDTH]}", end="", file=self.stream, flush=True)
        elif now - self.last >= INTERVAL:
            self.last = now
            print(line, file=self.stream, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=self.stream, flush=True)
