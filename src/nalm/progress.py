"""How far a sweep is: a live line on a terminal, one plain line a minute elsewhere."""

import time
from types import TracebackType
from typing import Any, Self, TextIO

INTERVAL = 60.0
"""Seconds between plain lines."""


class Reporter:
    """Counts runs and steps, and says how many there are, how fast, and for how long still."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.runs = self.steps = self.all_runs = self.all_steps = self.fresh = 0
        self.start = self.last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def plan(self, runs: int, steps: int) -> None:
        """Say how many runs and run-steps there are."""
        self.all_runs, self.all_steps = runs, steps
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

    def report(self, runs: int, steps: int) -> None:
        """Add finished runs and done run-steps, and show them when it is time."""
        if runs and not self.fresh and not steps and not self.runs:
            # What the folder had already counts as done, but not towards the rate.
            self.steps += round(self.all_steps * runs / self.all_runs)
        self.runs += runs
        self.steps += steps
        self.fresh += steps
        if self._bar:
            self._bar.update(self._task, completed=self.steps, description=self.line())
        elif time.monotonic() - self.last >= INTERVAL:
            self.last = time.monotonic()
            print(self.line(), file=self.stream, flush=True)

    def line(self) -> str:
        """Return the state as one line."""
        rate = self.fresh / max(time.monotonic() - self.start, 1e-9)
        left = (self.all_steps - self.steps) / rate if rate else float("inf")
        return f"{self.runs} of {self.all_runs} runs, {rate:,.0f} run-steps/s, {left:,.0f} s left"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()
