"""The search: family after family, until held-out rows confirm a formula."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from nalm.fitting.evidence.assess import Candidate, assess, unusable
from nalm.fitting.evidence.poles import has_hidden_pole
from nalm.fitting.evidence.rival_formulas import rival_of
from nalm.fitting.evidence.settle import settle
from nalm.fitting.evidence.verify import LOUD, Judgment, LawOutcome, doubted, verify
from nalm.fitting.rows import Split
from nalm.fitting.search.family import Family, Problem, Stage, anything
from nalm.fitting.tree import Tree
from nalm.fitting.tree.limits import excess

NEAR = 1e-4
"""The share of the spread of the results that a formula may leave to be settled at once."""
NOW, LAST, LATE = 10, 12, 2
"""How many formulas that cannot be exact are settled: after a stage, at the end, in a hurry."""
MORE = 1.2
"""How many times as many rows are worth a second look."""
PLAIN = 0
"""How many measured numbers a plain formula has at most."""
LONGEST = 1e9
"""The most seconds of a search: longer is as long as anybody waits."""
Watch = Callable[[str, Candidate], None]
"""Called after each stage with its name and the best formula so far."""
Verified = tuple[Candidate, Judgment]
BEYOND = (ArithmeticError, np.linalg.LinAlgError)
"""What arithmetic raises beyond the range of floating-point numbers."""


class Clock:
    """Says when the time is over."""

    def __init__(self, seconds: float | None) -> None:
        self.until = np.inf if seconds is None else monotonic() + min(seconds, LONGEST)

    def __call__(self) -> bool:
        """Whether the time is over."""
        return monotonic() >= self.until


@dataclass
class Search:
    """A search in some rows, with the formulas found so far."""

    split: Split
    problem: Problem
    watch: Watch
    allowed: Callable[[Tree], bool] = anything
    """Which formulas may be found: those whose units can be right."""
    best: Candidate | None = None
    """The formula with the shortest description."""
    frontier: dict[int, Candidate] = field(default_factory=dict)
    """The formula with the least error for each complexity."""
    settled: list[Candidate] = field(default_factory=list)
    compared: bool = False
    """Whether all small formulas were tried, so that noise may decide between them."""
    noisy: bool = False
    """Whether a formula was verified whose errors look random."""
    over: bool = False
    """Whether nothing more is to be searched."""
    postponed: list[tuple[float, int, Tree]] = field(default_factory=list)
    """Formulas too far from the rows to be exact, with the length of their description first."""

    def explore(self, families: Sequence[Family]) -> Verified | None:
        """Search families in order, and return the first formula that every row confirms."""
        problem = replace(self.problem, noisy=lambda: self.noisy)
        for family in families:
            for stage in family.stages(problem):
                for tree in _computable(stage.trees):
                    found = self._consider(tree)
                    if found:
                        return found
                    if self.problem.stop():
                        break
                if self.best:
                    self.watch(stage.name, self.best)
                if self.problem.stop() or self._enough(stage):
                    self.over = True
                    return None
        return None

    def end(self) -> Verified:
        """Return the formula with the shortest description, once all families were searched."""
        self.compared = self.compared or not self.over
        self._settle_postponed(LATE if self.problem.stop() else LAST)
        self._settle_on_all_rows()
        return self._end()

    def _enough(self, stage: Stage) -> bool:
        """Whether a formula is verified and noise hides what later stages would add."""
        if stage.settle:
            self._settle_postponed(NOW)
        if not stage.enough:
            return False
        assert self.best is not None  # a constant is always found
        self.compared = True
        judgment = self.judged(self.best)
        if stage.sure:
            judgment = doubted(self.best.tree, judgment, float(np.std(self.split.seen.y)))
        self.noisy = self.noisy or judgment.verified
        return judgment.verified and not (stage.plain and self._hides_functions(judgment))

    def _hides_functions(self, judgment: Judgment) -> bool:
        """Whether a formula of arithmetic may stand for a law with functions."""
        assert self.best is not None
        loud = judgment.noise > LOUD * float(np.std(self.split.seen.y))
        return loud or len(self.best.tree.measured()) > PLAIN

    def _consider(self, tree: Tree) -> Verified | None:
        """Settle a formula that may be exact, and return it if every row confirms it."""
        rough = _if_computable(assess, tree, self.split.seen, self.split.epsilon)
        if not np.isfinite(rough.length):
            return None
        if rough.rms > NEAR * float(np.std(self.split.seen.y)) and self.best is not None:
            self.postponed.append((rough.length, len(self.postponed), tree))
            return None
        candidate = self.settled_as(tree)
        if candidate.exact and self.allowed(candidate.tree):
            judgment = verify(candidate, self.split)
            if judgment.outcome is LawOutcome.EXACT:
                return candidate, judgment
        return None

    def settled_as(self, tree: Tree) -> Candidate:
        """Fit a formula, make its numbers exact where possible, and keep it."""
        candidate = _if_computable(
            settle, tree, self.split.seen, self.split.epsilon, self.problem.stop
        )
        if np.isfinite(candidate.length) and self._is_sound(candidate):
            self.settled.append(candidate)
            complexity = candidate.tree.size()
            known = self.frontier.get(complexity)
            if known is None or candidate.rms < known.rms:
                self.frontier[complexity] = candidate
            if self.best is None or candidate.length < self.best.length:
                self.best = candidate
        return candidate

    def _is_sound(self, candidate: Candidate) -> bool:
        """Whether a formula may be shown: of a size to write, without a pole that no row shows."""
        if excess(candidate.tree) is not None or not self.allowed(candidate.tree):
            return False
        return candidate.exact or not has_hidden_pole(candidate.tree, self.split.seen)

    def _settle_postponed(self, count: int) -> None:
        """Settle the shortest descriptions of those that were postponed."""
        self.postponed.sort(key=lambda entry: entry[:2])
        for _, _, tree in self.postponed[:count]:
            self.settled_as(tree)
        del self.postponed[:count]

    def _settle_on_all_rows(self) -> None:
        """Settle the shortest descriptions again, on the rows too that the search had no use for.

        Noise leaves several formulas and numbers possible; more rows decide between them.
        """
        more = self.split.more
        if self.best is None or self.best.exact or self.problem.stop():
            return
        if len(more) < MORE * len(self.split.seen):
            return
        shortest = sorted(self.settled, key=lambda candidate: candidate.length)
        trees = list(dict.fromkeys(candidate.tree for candidate in shortest))[:LAST]
        self.split = replace(self.split, seen=more)
        self.settled, self.best = [], None
        for tree in trees:
            self.settled_as(tree)

    def judged(self, candidate: Candidate) -> Judgment:
        """Return what rows say of a formula; within noise it must have no rival."""
        judgment = verify(candidate, self.split)
        if judgment.outcome is not LawOutcome.NOISE:
            return judgment
        rival = rival_of(candidate, self.settled, self.split.seen, judgment.noise)
        if rival is not None:
            reason = "with this noise other formulas fit as well, and they differ outside the rows"
            return replace(judgment, outcome=LawOutcome.PLAUSIBLE, reason=reason, rival=rival.tree)
        return judgment

    def _end(self) -> Verified:
        assert self.best is not None  # a constant is always found
        judgment = self.judged(self.best)
        if judgment.outcome is LawOutcome.NOISE and not self.compared:
            reason = "the time was over before other formulas were compared"
            return self.best, replace(judgment, outcome=LawOutcome.PLAUSIBLE, reason=reason)
        if not judgment.verified and self.problem.stop():
            reason = f"{judgment.reason}; the time was over before the end of the search"
            return self.best, replace(judgment, reason=reason)
        return self.best, judgment


def _computable(trees: Iterator[Tree]) -> Iterator[Tree]:
    """Yield formulas until a family leaves the range of floating-point numbers."""
    with suppress(*BEYOND):
        yield from trees


def _if_computable(judge: Callable[..., Candidate], tree: Tree, *how: object) -> Candidate:
    """Return a formula with its error, unusable if that is beyond floating-point numbers."""
    try:
        return judge(tree, *how)
    except BEYOND:
        return unusable(tree, 0.0)
