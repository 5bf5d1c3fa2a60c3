"""When a run is drawn anew, decided from its validation errors alone.

The list of the published rule holds the last validation error once per step, so it is a few values
with counts: its sums are straight lines between them, and the steps up to the next evaluation are
decided at once.
"""

from dataclasses import dataclass, field

import numpy as np

from nalm.training.rules import Reinitialize

ROUNDING = 1e-12
"""How far equal means may differ by rounding."""


@dataclass
class History:
    """The validation errors of one run since it was last drawn, each with its number of steps."""

    rule: Reinitialize | None
    errors: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    redrawn: list[int] = field(default_factory=list)
    """The steps after which the run was drawn anew."""

    def steps(self, error: float, span: range) -> list[int]:
        """Return the steps of a span, trained after this error, after which to draw anew."""
        found = []
        while self.rule and span:
            self.errors.append(error)
            self.counts.append(len(span))
            due = np.array([s for s in span if s > 0 and s % self.rule.every == 0], int)
            stored = sum(self.counts[:-1]) + due - span.start + 1
            stuck = due[(stored > self.rule.memory) & self._stuck(stored, self.rule.above)]
            if not stuck.size:
                break
            found.append(int(stuck[0]))
            self.errors, self.counts = [], []
            span = range(found[-1] + 1, span.stop)
        self.redrawn += found
        return found

    def _stuck(self, stored: np.ndarray, above: float) -> np.ndarray:
        """Tell for each length of the list whether its second half is no better than its first."""
        errors, ends = np.array(self.errors), np.cumsum([0, *self.counts])
        sums = np.cumsum([0, *errors * self.counts])
        squares = np.cumsum([0, *errors**2 * self.counts])
        half = stored // 2
        count = stored - half
        first = np.interp(half, ends, sums)
        second = np.interp(stored, ends, sums) - first
        mean = second / np.maximum(count, 1)
        spread = np.interp(stored, ends, squares) - np.interp(half, ends, squares) - count * mean**2
        sd = np.sqrt(np.maximum(spread, 0) / np.maximum(count - 1, 1))
        return (first / np.maximum(half, 1) <= (mean + sd) * (1 + ROUNDING)) & (mean > above)
