"""Which processors trained the runs of a sweep."""

from collections import Counter

from nalm.sweeps.environment import Environment, environment
from nalm.sweeps.types import Note, NoteKind


class Machines:
    """Counts runs by the processor that trained them."""

    def __init__(self) -> None:
        self._runs: Counter[str] = Counter()
        self._all = 0

    def count(self, made_with: str | None, runs: int) -> None:
        """Count runs with the environment of their worker; None is this machine."""
        self._all += runs
        if made_with is not None:
            self._runs[Environment.read(made_with).processor] += runs

    def notes(self) -> tuple[Note, ...]:
        """Return a note for each kind of processor that this machine does not have."""
        here = environment().processor
        return tuple(
            Note(
                NoteKind.MACHINE,
                f"{runs:,} of {self._all:,} runs were trained on {name}; this machine is {here}. "
                "The last bits of their numbers can differ from those of runs trained here.",
            )
            for name, runs in sorted(self._runs.items())
            if name != here
        )
