"""How far a sweep is: a live line on a terminal, one plain line a minute elsewhere."""

import time
from typing import Any, Self, TextIO

INTERVAL = 60.0
"""Seconds between plain lines."""


class Reporter:
    """Counts runs and steps, and says how many there are, how fast, and for how long still."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.runs = self.steps = self.solved = self.all_runs = self.all_steps = 0
        self.start = self.last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def plan(self, runs: int, steps: int) -> None:
        """Take how many runs and run-steps are to be done."""
        self.all_runs, self.all_steps = runs, steps
        self.start = time.monotonic()
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
        left = f"{(self.all_steps - self.steps) / rate:,.0f} s" if rate else "unknown time"
        return (
            f"{self.runs} of {self.all_runs} runs, {self.solved} solved, "
            f"{rate:,.0f} run-steps/s, {left} left"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
