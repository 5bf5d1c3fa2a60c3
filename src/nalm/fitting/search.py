"""The search: from what needs no iteration to layers of units, until rows confirm a formula."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from nalm.fitting.closed import closed_forms
from nalm.fitting.layered import Layered, Structure, starts, structure
from nalm.fitting.least_squares import minimise
from nalm.fitting.library import sparse_sums
from nalm.fitting.products import products_of_sums
from nalm.fitting.rational import quotients
from nalm.fitting.refine import Fitted, assess, settle
from nalm.fitting.rivals import has_rival
from nalm.fitting.table import Split
from nalm.fitting.tree import Tree, size
from nalm.fitting.verify import Outcome, Verdict, verify

STRUCTURES = tuple(
    structure(text)
    for text in (
        "M1 A1", "A1 M1", "A2 M1", "M2 A1", "M1 A1 M1", "A1 M1 A1", "A2 M1 A1", "M2 A1 M1",
        "A1 M1 A1 M1", "M1 A1 M1 A1", "A2 M2 A1", "A3 M1", "M3 A1", "A2 M2 A1 M1", "A2 M1 A1 M1",
        "M2 A1 M1 A1", "A3 M3 A1 M1",
    )
)  # fmt: skip
"""Layers of additive (A) and multiplicative (M) units, by size."""
STARTS, STEPS = 40, 80
"""How many starts a structure has and how many steps each takes at most."""
ROWS = 150
"""The most rows that layers are fitted to."""
CLOSELY = 3
"""How many of the best ends of a structure are looked at closely."""
NEAR = 1e-4
"""The share of the spread of the results that a formula may leave to be looked at at once."""
NOW, LAST, LATE = 6, 8, 2
"""How many formulas that cannot be exact are settled after a stage, at the end, when it is late."""
SMALL, ENOUGH = structure("M2 A1"), structure("A1 M1 A1")
"""After these, inexact formulas are settled; after the second, one within noise is taken."""
INPUTS = 12
"""The most inputs for which layers are searched."""


class Clock:
    """Says when to stop: at a time, or when asked to."""

    def __init__(self, seconds: float | None) -> None:
        self.began = monotonic()
        self.until = np.inf if seconds is None else self.began + seconds

    def __call__(self) -> bool:
        """Whether the time is over."""
        return monotonic() >= self.until


@dataclass(frozen=True)
class Stage:
    """A family of formulas, smaller ones first, and what follows once all were considered."""

    name: str
    trees: Iterator[Tree]
    settle: bool = False
    """Whether the best formulas that cannot be exact are settled."""
    enough: bool = False
    """Whether noise hides what later stages would add, so that a formula within it is taken."""


@dataclass
class Search:
    """The formulas found so far."""

    split: Split
    stop: Callable[[], bool]
    rng: np.random.Generator
    effort: int = 1
    tell: Callable[[str, Fitted], None] | None = None
    best: Fitted | None = None
    frontier: dict[int, Fitted] = field(default_factory=dict)

    settled: list[Fitted] = field(default_factory=list)
    compared: bool = False
    """Whether every small structure was tried, so that noise may decide between them."""
    later: list[tuple[float, int, Tree]] = field(default_factory=list)
    """Formulas that are too far from the rows to be exact, by the length of their description."""

    def run(self) -> tuple[Fitted, Verdict]:
        """Return the shortest formula that rows confirm, or else the shortest description."""
        for stage in self._stages():
            for tree in stage.trees:
                found = self._consider(tree)
                if found:
                    return found
                if self.stop():
                    break
            if self.tell and self.best:
                self.tell(stage.name, self.best)
            if self.stop() or self._enough(stage):
                break
        else:
            self.compared = True
        self._settle_later(LATE if self.stop() else LAST)
        return self._end()

    def _enough(self, stage: Stage) -> bool:
        """Whether a formula is confirmed and noise hides what later stages would add."""
        if stage.settle:
            self._settle_later(NOW)
        if not stage.enough:
            return False
        assert self.best is not None  # a constant is always found
        self.compared = True
        return self._judged(self.best).verified

    def _stages(self) -> Iterator[Stage]:
        seen, epsilon = self.split.seen, self.split.epsilon
        few = seen.x.shape[1] <= INPUTS
        yield Stage("one unit", closed_forms(seen))
        monomials = Stage("sums of monomials", sparse_sums(seen))
        fractions = Stage("quotients of polynomials", quotients(seen, epsilon), settle=few)
        if not few:
            sums = products_of_sums(seen, epsilon, self.rng, self.stop)
            yield from (fractions, monomials, Stage("products of sums", sums))
            return
        yield from (monomials, fractions)
        for _ in range(self.effort):
            for shape in STRUCTURES:
                last = shape == ENOUGH
                trees = self._layers(shape)
                yield Stage(f"layers {shape}", trees, settle=last or shape == SMALL, enough=last)

    def _consider(self, tree: Tree) -> tuple[Fitted, Verdict] | None:
        """Settle a formula that may be exact and return it if every row confirms it."""
        rough = assess(tree, self.split.seen, self.split.epsilon)
        if not np.isfinite(rough.length):
            return None
        if rough.rms > NEAR * float(np.std(self.split.seen.y)) and self.best is not None:
            self.later.append((rough.length, len(self.later), tree))
            return None
        fitted = self._settled(tree)
        if fitted.exact:
            verdict = verify(fitted, self.split)
            if verdict.outcome is Outcome.EXACT:
                return fitted, verdict
        return None

    def _settled(self, tree: Tree) -> Fitted:
        fitted = settle(tree, self.split.seen, self.split.epsilon)
        if np.isfinite(fitted.length):
            self.settled.append(fitted)
            known = self.frontier.get(size(fitted.tree))
            if known is None or fitted.rms < known.rms:
                self.frontier[size(fitted.tree)] = fitted
            if self.best is None or fitted.length < self.best.length:
                self.best = fitted
        return fitted

    def _settle_later(self, count: int) -> None:
        """Settle the shortest descriptions of those that were put off."""
        self.later.sort()
        for _, _, tree in self.later[:count]:
            self._settled(tree)
        del self.later[:count]

    def _judged(self, fitted: Fitted) -> Verdict:
        """Return what rows say of a formula, and within noise also what its rivals do."""
        verdict = verify(fitted, self.split)
        within_noise = verdict.outcome is Outcome.NOISE
        if within_noise and has_rival(fitted, self.settled, self.split.seen, verdict.noise):
            reason = "in this noise other formulas do as well that differ beyond the rows"
            return replace(verdict, outcome=Outcome.NONE, reason=reason)
        return verdict

    def _end(self) -> tuple[Fitted, Verdict]:
        assert self.best is not None  # a constant is always found
        verdict = self._judged(self.best)
        if verdict.outcome is Outcome.NOISE and not self.compared:
            reason = "the time was over before other formulas were compared"
            return self.best, replace(verdict, outcome=Outcome.NONE, reason=reason)
        if not verdict.verified and self.stop():
            reason = f"{verdict.reason}; the time was over before the search was"
            return self.best, replace(verdict, reason=reason)
        return self.best, verdict

    def _layers(self, shape: Structure) -> Iterator[Tree]:
        """Yield the best ends of many starts of a structure."""
        inputs = self.split.seen.x.shape[1]
        count = len(self.split.seen)
        if shape.parameters(inputs) > count // 2:
            return
        which = np.linspace(0, count - 1, min(count, ROWS)).astype(int)
        part = self.split.seen.rows(which)
        scale = float(np.std(part.y)) or 1.0
        layers = Layered(shape, part.x)
        root = np.sqrt(part.weight / np.mean(part.weight)) / scale

        def model(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value, slopes = layers(theta)
            return (value - part.y) * root, slopes * root[:, None]

        start = starts(shape, inputs, STARTS, self.rng)
        small = (self.split.epsilon * 4) ** 2
        theta, loss = minimise(model, start, STEPS, small, self.stop)
        for k in range(min(CLOSELY, int(np.sum(np.isfinite(loss))))):
            yield layers.tree(theta[k])
