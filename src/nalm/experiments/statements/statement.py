"""A printed statement, and what our runs say about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan

from nalm.experiments.statements.claims import Claim, MissingCells
from nalm.experiments.statements.samples import Samples
from nalm.sweeps.statistics import Verdict
from nalm.sweeps.types import CellKey, CellSummary

UNLIKELY = 0.05
"""Below this probability of being true in a repetition, a statement differs from our runs."""


@dataclass(frozen=True)
class Statement:
    """What a paper states about an experiment, in our words.

    Parameters
    ----------
    source
        The paper, by its key, and the section or figure.
    text
        What it states.
    experiment
        The experiment that tells.
    claim
        The same as relations between cells.
    """

    source: str
    text: str
    experiment: str
    claim: Claim

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.source.partition(",")[0]

    def judged(self, samples: Samples) -> "Finding":
        """Return whether it holds of our runs, and with what probability of a repetition."""
        try:
            holds = self.claim.holds(samples)
        except MissingCells as error:
            return Finding(self, None, nan, 0, error.keys)
        keys = {key for s in self.claim.series() for key in s.keys}
        fewest = min(samples.runs(key) for key in keys)
        return Finding(self, bool(holds[0]), float(holds[1:].mean()), fewest)


@dataclass(frozen=True)
class Finding:
    """What our runs say about a statement."""

    statement: Statement
    holds: bool | None
    """Whether it is true of the runs as measured; None where it cannot be told."""
    probability: float
    """How often it is true in random repetitions with as many runs."""
    fewest: int
    """The fewest runs of a cell that it is about."""
    missing: tuple[CellKey, ...] = ()
    """The cells that were not run, or of which too little was kept."""

    @property
    def verdict(self) -> Verdict:
        """A statement differs if it is false and a repetition is unlikely to make it true."""
        if self.holds is None:
            return Verdict.INCOMPARABLE
        likely = self.holds or self.probability >= UNLIKELY
        return Verdict.AGREES if likely else Verdict.DIFFERS


def findings(
    statements: Iterable[Statement], record: Mapping[str, Iterable[CellSummary]]
) -> list[Finding]:
    """Judge statements by the cells of their experiments.

    Parameters
    ----------
    statements
        What is to be judged.
    record
        The cells of each experiment, compared with their published sizes.
    """
    samples: dict[str, Samples] = {}
    found = []
    for statement in statements:
        name = statement.experiment
        if name not in samples:
            samples[name] = Samples(record.get(name, ()))
        found.append(statement.judged(samples[name]))
    return found
