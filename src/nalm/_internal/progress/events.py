"""What a watcher receives: a frozen record of how far the work is."""

from dataclasses import dataclass
from typing import Protocol


def duration(seconds: float) -> str:
    """Return a number of seconds as a person says it.

    >>> duration(3), duration(95), duration(4000), duration(90_000), duration(1e6)
    ('3 s', '1.6 min', '1.1 h', '25 h', '12 days')
    """
    for unit, length, most in (("s", 1, 60), ("min", 60, 60), ("h", 3600, 48)):
        if seconds < most * length:
            return f"{max(seconds / length, 1):.2g} {unit}"
    return f"{seconds / 86_400:.2g} days"


class Event(Protocol):
    """What a display needs of an event."""

    @property
    def line(self) -> str:
        """The event as one line of text."""
        ...

    @property
    def share(self) -> float | None:
        """How much of the work is done, from 0 to 1; None if nobody knows."""
        ...

    @property
    def announcement(self) -> str | None:
        """What is worth a line even before anything is done."""
        ...


TRUSTED = 0.1
"""The share of the steps from which on the time left is as measured."""
LONG = 60.0
"""Seconds from which on a sweep says at its start how long it will take."""


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is: what `nalm.train` and `nalm.bench` give to a `progress` function.

    Runs that the results folder already has are not counted.

    Parameters
    ----------
    runs, all_runs
        How many runs are finished, and how many there are.
    solved
        How many of the finished runs are solved.
    steps, all_steps
        How many training steps are done, and how many there are, over all runs.
    seconds
        How long it has taken so far.
    expected
        About how long all of it takes, estimated before the start.
    waiting
        What nothing can be done without, such as workers of a cluster; empty if there is nothing.

    Examples
    --------
    >>> event = SweepProgress(25, 100, 24, 1_250_000, 5_000_000, seconds=2.0, expected=10.0)
    >>> event.line
    '25 of 100 runs, 24 solved, 625,000 steps/s, 6 s left'
    >>> SweepProgress(0, 9, 0, 0, 900, 1.0, waiting="waiting for workers at tcp://x:8786").line
    '0 of 9 runs, waiting for workers at tcp://x:8786'
    """

    runs: int
    all_runs: int
    solved: int
    steps: int
    all_steps: int
    seconds: float
    expected: float = 0.0
    waiting: str = ""

    @property
    def rate(self) -> float:
        """Training steps per second, over all runs."""
        return self.steps / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float:
        """About how many seconds are left: as estimated at first, then more and more as measured.

        The first steps say little: workers start and compile before them.
        """
        if not self.steps:
            return self.expected
        measured = (self.all_steps - self.steps) / self.rate
        trust = min(1.0, self.steps / (TRUSTED * self.all_steps)) if self.expected else 1.0
        estimated = self.expected * (1 - self.steps / self.all_steps)
        return trust * measured + (1 - trust) * estimated

    @property
    def share(self) -> float | None:
        """How much of the work is done, from 0 to 1; None where there is nothing to do."""
        return self.steps / self.all_steps if self.all_steps else None

    @property
    def announcement(self) -> str | None:
        """How long a long sweep will take, at its start; and what it waits for."""
        if self.waiting:
            return self.line
        if self.steps or self.expected <= LONG:
            return None
        return f"{self.line}. Ctrl-C keeps what is done."

    @property
    def line(self) -> str:
        """The event as one line of text."""
        if self.waiting:
            return f"{self.runs:,} of {self.all_runs:,} runs, {self.waiting}"
        if not self.steps:
            about = f", about {duration(self.expected)}" if self.expected else ""
            return f"{self.all_runs:,} runs to do{about}"
        return (
            f"{self.runs:,} of {self.all_runs:,} runs, {self.solved:,} solved, "
            f"{self.rate:,.0f} steps/s, {duration(self.seconds_left)} left"
        )


@dataclass(frozen=True)
class SearchProgress:
    """How far a search for a formula is: what `nalm.fit` gives to a `progress` function.

    Parameters
    ----------
    stage
        The kind of formula that was searched last.
    error
        The root mean squared error of the best formula so far.
    seconds
        How long it has taken so far.
    formula
        The best formula so far, as text.

    Examples
    --------
    >>> SearchProgress("sums of monomials", 0.25, seconds=3.0, formula="a*b").line
    '3 s: searched sums of monomials, best error 0.25'
    """

    stage: str
    error: float
    seconds: float
    formula: str

    @property
    def share(self) -> float | None:
        """None: nobody knows where in the search the formula is."""
        return None

    @property
    def announcement(self) -> str | None:
        """None: a search starts without a word."""
        return None

    @property
    def line(self) -> str:
        """The event as one line of text."""
        return f"{duration(self.seconds)}: searched {self.stage}, best error {self.error:.3g}"
