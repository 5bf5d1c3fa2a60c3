"""A whole fit: the search, and which rows it leaves out as wrong."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from nalm.fitting.evidence.assess import Candidate, residuals
from nalm.fitting.evidence.outliers import trimmed
from nalm.fitting.evidence.verify import INTERRUPTED, LawOutcome, doubted
from nalm.fitting.rows import Rows, split
from nalm.fitting.search.families import FEW, quick_families, slow_families
from nalm.fitting.search.families.starts import Starts
from nalm.fitting.search.family import Problem, anything
from nalm.fitting.search.relevant_columns import relevant_columns
from nalm.fitting.search.search import Search, Verified
from nalm.fitting.search.suspects import suspects
from nalm.fitting.tree import Tree

NEAR = 0.01
"""The median error, as a share of the spread, of a formula that may be exact without some rows."""
TRIED = 6
"""How many formulas are fitted again without the rows that are far from them."""


@dataclass
class Investigation:
    """What is known of a table while its law is looked for."""

    rows: Rows
    functions: frozenset[str]
    stop: Callable[[], bool]
    effort: int
    seed: int
    watch: Callable[[str, Candidate], None]
    allowed: Callable[[Tree], bool] = anything
    """Which formulas may be found."""
    starts: tuple[Tree, ...] = ()
    """Formulas that are tried before all others."""
    interrupted: bool = False
    """Whether the user ended the search."""
    search: Search | None = None
    """The search that is under way."""
    relevant: list[int] = field(default_factory=list)
    """Of many columns those that were searched like a small table."""
    wrong: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    """The rows that were left out."""

    def run(self) -> tuple[Search, Verified]:
        """Return the search and what it found; Ctrl-C ends it with the best formula so far."""
        try:
            return self._run()
        except KeyboardInterrupt:
            if self.search is None or self.search.best is None:
                raise
            return self.search, self._interrupted(self.search, self.search.best)

    def _interrupted(self, search: Search, best: Candidate) -> Verified:
        self.interrupted = True
        judgment = search.judged(best)
        if judgment.outcome is LawOutcome.EXACT:
            return best, judgment
        return best, replace(judgment, outcome=LawOutcome.NONE, reason=INTERRUPTED)

    def _run(self) -> tuple[Search, Verified]:
        columns = self.rows.x.shape[1]
        search = self._search(self.rows)
        found = search.explore((Starts(self.starts), *quick_families(columns)))
        if found is None and not search.over:
            found = self._without_far_rows(search, exactly=True)
            if found is not None:
                search = self._search(self.rows.without(self.wrong))
                found = search.explore(quick_families(columns)) or found
        if found is None and not search.over:
            few = self._few_columns()
            wrong = suspects(few, self.stop) if few is not None else self.wrong
            if len(wrong):
                self.wrong = wrong
                search = self._search(self.rows.without(wrong))
                found = search.explore(quick_families(columns))
        if found is None and not search.over:
            found = search.explore(slow_families(columns, self.functions, self.relevant))
        if found is None:
            found = search.end()
        if not found[1].verified and not self.stop():
            found = self._without_far_rows(search) or found
        candidate, judgment = found
        return search, (
            candidate,
            doubted(candidate.tree, judgment, float(np.std(search.split.seen.y))),
        )

    def _search(self, rows: Rows) -> Search:
        rng = np.random.default_rng(self.seed)
        divided = split(rows, rng)
        problem = Problem(divided.seen, divided.epsilon, rng, self.stop, divided.more, self.effort)
        self.search = Search(divided, problem, self.watch, self.allowed)
        return self.search

    def _few_columns(self) -> Rows | None:
        """Return the rows with the columns that matter, if these are few."""
        if self.rows.x.shape[1] <= FEW:
            return self.rows
        self.relevant = relevant_columns(self.rows, self.stop)
        return self.rows.of_columns(self.relevant) if self.relevant else None

    def _without_far_rows(self, search: Search, *, exactly: bool = False) -> Verified | None:
        """Return a formula that is verified, or exact, once the rows far from it are left out."""
        kept = self.rows.without(self.wrong)
        most = NEAR * float(np.std(kept.y)) if exactly else np.inf
        ranked = sorted((_median(c, kept), i) for i, c in enumerate(search.settled))
        for median, number in ranked[:TRIED]:
            if not median <= most or self.stop():
                return None
            candidate = search.settled[number]
            found = trimmed(candidate.tree, kept, search.split.epsilon)
            if found is None:
                continue
            tree, wrong = found
            again = self._search(kept.without(wrong))
            again.compared, again.settled = search.compared, list(search.settled)
            settled = again.settled_as(tree)
            judgment = again.judged(settled)
            if judgment.outcome is LawOutcome.EXACT or (judgment.verified and not exactly):
                indices = np.setdiff1d(np.arange(len(self.rows)), self.wrong)
                self.wrong = np.sort(np.concatenate([self.wrong, indices[wrong]]))
                return settled, judgment
        return None


def _median(candidate: Candidate, rows: Rows) -> float:
    return float(np.median(np.abs(residuals(candidate.tree, rows))))
