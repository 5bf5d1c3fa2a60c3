"""Whether rows that the search did not see confirm a formula."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from nalm.fitting.refine import Fitted, residuals, rounding_error
from nalm.fitting.table import Split, Table
from nalm.fitting.tree import Tree, bits, evaluate, inputs_of, numbers

SURE = 30.0
"""How many bits more than the formula itself the rows must tell."""
DOUBT = 1e-3
"""The probability of a test statistic below which chance is no explanation."""
NOISIEST = 0.3
"""The share of the spread of the results up to which noise leaves a formula verifiable."""
FREE = 3
"""How many numbers of a formula may be measured ones besides one for each input."""


class Outcome(Enum):
    """What the held-out rows say."""

    EXACT = "exact"
    """Every row agrees to the rounding of its numbers."""
    NOISE = "within noise"
    """What is left has no structure, and held-out rows are missed by as much as seen ones."""
    NONE = "not found"


@dataclass(frozen=True)
class Verdict:
    """What the held-out rows say of a formula, and why."""

    outcome: Outcome
    reason: str
    noise: float
    """The standard deviation of what the formula leaves of the results; 0 if that is rounding."""

    @property
    def verified(self) -> bool:
        """Whether the formula was confirmed."""
        return self.outcome is not Outcome.NONE


def verify(fitted: Fitted, split: Split) -> Verdict:
    """Return what the rows say of a formula."""
    noise = _noise(fitted, split)
    if not np.ptp(split.seen.y) and not np.ptp(split.held.y):
        return _constant(fitted, split, noise)
    objection = _objection(fitted, split)
    if objection:
        return Verdict(Outcome.NONE, objection, noise)
    return _exactly(fitted, split) if fitted.exact else _within_noise(fitted, split, noise)


def _objection(fitted: Fitted, split: Split) -> str | None:
    """Return why rows cannot confirm a formula, whatever they say."""
    measured = sum(isinstance(n, float) for n in numbers(fitted.tree))
    if not inputs_of(fitted.tree):
        return "no formula of the inputs is better than a constant"
    if measured > FREE + split.seen.x.shape[1]:
        return f"it takes {measured} measured numbers"
    if len(split.held) < 1 or len(split.seen) < measured + 3:
        return "there are too few rows to hold any out"
    return None


def _exactly(fitted: Fitted, split: Split) -> Verdict:
    missed = _missed(fitted.tree, split.held, split.epsilon)
    if missed:
        reason = f"{missed} of {len(split.held)} held-out rows disagree"
        return Verdict(Outcome.NONE, reason, 0.0)
    if _told(fitted, split) < SURE:
        return Verdict(Outcome.NONE, "too few rows to tell it from other formulas", 0.0)
    return Verdict(Outcome.EXACT, f"all {len(split.held)} held-out rows agree", 0.0)


def _constant(fitted: Fitted, split: Split, noise: float) -> Verdict:
    if inputs_of(fitted.tree) or len(split.held) < 1:
        return Verdict(Outcome.NONE, "the result is constant", noise)
    return Verdict(Outcome.EXACT, "the result is constant", 0.0)


def _noise(fitted: Fitted, split: Split) -> float:
    if fitted.exact:
        return 0.0
    free = sum(isinstance(n, float) for n in numbers(fitted.tree))
    return fitted.rms * float(np.sqrt(len(split.seen) / max(len(split.seen) - free, 1)))


def _missed(tree: Tree, table: Table, epsilon: float) -> int:
    return int(np.sum(~(np.abs(residuals(tree, table)) <= rounding_error(tree, table, epsilon))))


def _told(fitted: Fitted, split: Split) -> float:
    """Return how many bits the rows tell beyond those of the formula."""
    table = split.seen
    allowed = rounding_error(fitted.tree, table, split.epsilon)
    spread = float(np.std(np.concatenate([table.y, split.held.y])))
    distinct = np.log2(len(np.unique(table.y)))
    with np.errstate(divide="ignore"):
        row = np.log2(np.maximum(spread / np.maximum(allowed, 1e-300), 1.0))
    precision = float(np.median(row)) + 4
    return float(np.sum(np.minimum(row, distinct))) - bits(fitted.tree, table.x.shape[1], precision)


def _within_noise(fitted: Fitted, split: Split, noise: float) -> Verdict:
    from scipy.special import fdtrc

    spread = float(np.std(split.seen.y))
    if noise > NOISIEST * spread:
        return Verdict(Outcome.NONE, f"it leaves {noise / spread:.0%} of the spread", noise)
    powers = [n for n in numbers(fitted.tree) if isinstance(n, float)]
    if len(split.seen) < 30 or len(split.seen) < 10 * len(powers):
        return Verdict(Outcome.NONE, "noisy rows are too few to confirm a formula", noise)
    held = residuals(fitted.tree, split.held)
    with np.errstate(over="ignore"):
        ratio = float(np.mean(held**2)) / noise**2 if noise else np.inf
    if not fdtrc(len(held), len(split.seen) - len(powers), ratio) > DOUBT:
        return Verdict(Outcome.NONE, "held-out rows are missed by more than seen ones", noise)
    left = structure_left(fitted.tree, split.seen)
    if left < DOUBT:
        return Verdict(Outcome.NONE, "what it leaves is not noise", noise)
    return Verdict(Outcome.NOISE, "held-out rows are missed by no more than the noise", noise)


def structure_left(tree: Tree, table: Table) -> float:
    """Return the probability that what a formula leaves is noise, by three kinds of test.

    Residuals and their squares must not depend on the inputs, nor neighbours along an input on
    each other.
    """
    from scipy.special import erfc, fdtrc

    off = residuals(tree, table)
    off = off - off.mean()
    value = evaluate(tree, table.x)
    rows = len(off)
    used = table.x[:, :8]
    scaled = (used - used.mean(axis=0)) / np.where(used.std(axis=0) > 0, used.std(axis=0), 1.0)
    features = [np.ones(rows), *scaled.T, *(scaled**2).T, *(scaled**3).T]
    pairs = [(i, j) for i in range(scaled.shape[1]) for j in range(i)]
    features += [scaled[:, i] * scaled[:, j] for i, j in pairs]
    basis, _ = np.linalg.qr(np.stack(features[: rows // 5], axis=1))
    explained = float(np.sum((basis.T @ off) ** 2))
    count = basis.shape[1] - 1
    rest = float(off @ off) - explained
    probabilities = [
        float(fdtrc(count, rows - count - 1, explained / count / (rest / (rows - count - 1))))
    ]
    for order in [value, *used.T]:
        sorted_off = off[np.argsort(order, kind="stable")]
        together = float(sorted_off[1:] @ sorted_off[:-1]) / float(off @ off) * np.sqrt(rows)
        probabilities.append(float(erfc(abs(together) / np.sqrt(2))))
    return min(1.0, min(probabilities) * len(probabilities))
