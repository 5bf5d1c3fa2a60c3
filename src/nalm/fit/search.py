"""The search: from what needs no iteration to layers of units, until rows confirm a formula."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from nalm.fit.closed import closed_forms
from nalm.fit.layered import Layered, Structure, starts, structure
from nalm.fit.least_squares import minimise
from nalm.fit.library import sparse_sums
from nalm.fit.products import products_of_sums
from nalm.fit.rational import quotients
from nalm.fit.refine import Fitted, assess, settle
from nalm.fit.table import Split
from nalm.fit.tree import Tree, size
from nalm.fit.verify import Outcome, Verdict, verify

STRUCTURES = tuple(
    structure(text)
    for text in (
        "M1 A1", "A1 M1", "A2 M1", "M2 A1", "M1 A1 M1", "A1 M1 A1", "A2 M1 A1", "M2 A1 M1",
        "A1 M1 A1 M1", "M1 A1 M1 A1", "A2 M2 A1", "A3 M1", "M3 A1", "A2 M2 A1 M1", "A2 M1 A1 M1",
        "M2 A1 M1 A1", "A3 M3 A1 M1",
    )
)  # fmt: skip
"""Layers of additive (A) and multiplicative (M) units, by size."""
STARTS = 40
ROWS = 150
STEPS = 80
CLOSELY = 3
"""How many of the best ends of a structure are looked at closely."""
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


@dataclass
class Search:
    """The formulas found so far."""

    split: Split
    stop: Callable[[], bool]
    rng: np.random.Generator
    effort: int = 1
    tell: Callable[[str, Fitted], None] = lambda stage, best: None
    best: Fitted | None = None
    frontier: dict[int, Fitted] = field(default_factory=dict)
    verdict: Verdict | None = None

    def run(self) -> tuple[Fitted, Verdict]:
        """Return the shortest formula that rows confirm, or else the shortest description."""
        for name, stage in self._stages():
            for tree in stage:
                found = self._consider(tree)
                if found:
                    return found
                if self.stop():
                    return self._end()
            if self.best:
                self.tell(name, self.best)
        return self._end()

    def _stages(self) -> Iterator[tuple[str, Iterator[Tree]]]:
        seen, epsilon = self.split.seen, self.split.epsilon
        yield "one unit", iter(sorted(closed_forms(seen), key=self._roughly))
        yield "sums of monomials", sparse_sums(seen)
        if seen.x.shape[1] > INPUTS:
            yield "products of sums", products_of_sums(seen, epsilon, self.rng, self.stop)
        yield "quotients of polynomials", quotients(seen, epsilon)
        for round_ in range(self.effort):
            for shape in STRUCTURES:
                yield f"layers {shape}", self._layers(shape, round_)

    def _roughly(self, tree: Tree) -> float:
        return assess(tree, self.split.seen, self.split.epsilon).rms

    def _consider(self, tree: Tree) -> tuple[Fitted, Verdict] | None:
        """Settle a formula, remember it, and return it if every row confirms it."""
        fitted = settle(tree, self.split.seen, self.split.epsilon)
        if not np.isfinite(fitted.length):
            return None
        complexity = size(fitted.tree)
        known = self.frontier.get(complexity)
        if known is None or fitted.rms < known.rms:
            self.frontier[complexity] = fitted
        if self.best is None or fitted.length < self.best.length:
            self.best = fitted
        if fitted.exact:
            verdict = verify(fitted, self.split)
            if verdict.outcome is Outcome.EXACT:
                return fitted, verdict
        return None

    def _end(self) -> tuple[Fitted, Verdict]:
        assert self.best is not None  # a constant is always found
        return self.best, verify(self.best, self.split)

    def _layers(self, shape: Structure, round_: int) -> Iterator[Tree]:
        """Yield the best ends of many starts of a structure."""
        inputs = self.split.seen.x.shape[1]
        count = len(self.split.seen)
        if inputs > INPUTS or shape.parameters(inputs) > count // 2:
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
