"""Whether rows that the search did not see confirm a formula."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from nalm.fitting.leftover import structure_left
from nalm.fitting.refine import Fitted, residuals, rounding_error
from nalm.fitting.table import Split, Table
from nalm.fitting.tree import (
    ONE,
    Input,
    Number,
    Product,
    Tree,
    bits,
    inputs_of,
    numbers,
    powers_of,
)  # fmt: skip

SURE = 30.0
"""How many bits more than the formula itself the rows must tell."""
UNCERTAIN = 150
"""How many rounding errors of itself a measured number of an exact formula may be uncertain by.

What imitates a law has numbers that the rows hardly determine.
"""
DOUBT = 0.01
"""The probability of a test statistic below which chance is no explanation."""
NOISIEST = 0.3
"""The share of the spread of the results up to which noise leaves a formula verifiable."""
FREE = 3
"""How many numbers of a formula may be measured ones besides one for each input."""
MEASURED = 12.0
"""How many bits a measured number counts where there is noise."""
ROWS_PER_BIT, ROWS_PER_EXACT_BIT = 3, 1.5
"""How many rows with noise of one percent each bit of a formula needs; fewer if it is exact."""
ONE_PERCENT = float(np.log2(100))
"""The bits that a row tells with noise of one percent."""
FEWEST, FEWEST_ROUNDED = 30, 9
"""The fewest rows that confirm anything in spite of noise, or of rounded results."""
ROUNDED, PLACES = 0.6, 9
"""The share of the last printed unit that rounding leaves at most, and the most decimals."""
HIGHEST = 4
"""The highest power that noise leaves believable."""
SERIES = 3
"""How many measured powers of one input in a sum are a series, of which noise confirms none."""


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
        return f"it takes {measured} measured numbers, and with so many any smooth curve is met"
    if len(split.held) < 1 or len(split.seen) < measured + 3:
        return "there are too few rows to hold any out"
    return None


def _exactly(fitted: Fitted, split: Split) -> Verdict:
    wrong = missed(fitted.tree, split.held, split.epsilon)
    if wrong:
        reason = f"{wrong} of {len(split.held)} held-out rows disagree"
        return Verdict(Outcome.NONE, reason, 0.0)
    if fitted.uncertainty > UNCERTAIN * split.epsilon:
        reason = "other numbers would do as well, so it may only imitate the law"
        return Verdict(Outcome.NONE, reason, 0.0)
    if _told(fitted, split) < SURE:
        return Verdict(Outcome.NONE, _too_few(split), 0.0)
    return Verdict(Outcome.EXACT, f"all {len(split.held)} held-out rows agree", 0.0)


def _imitation(tree: Tree) -> str | None:
    """Return why a formula is of a kind that noise confirms for any smooth curve."""
    if not all(isinstance(p, Fraction) and abs(p) <= HIGHEST for p in powers_of(tree)):
        return "noise does not tell its powers from others"
    if longest_series(tree) >= SERIES:
        return "a series of powers imitates any smooth curve"
    return None


def longest_series(tree: Tree) -> int:
    """Return the most powers of one input that a sum has, each with a measured weight."""
    if isinstance(tree, Input):
        return 0
    if isinstance(tree, Product):
        return max((longest_series(factor) for factor, _ in tree.factors), default=0)
    powers: dict[int, set[Number]] = {}
    for weight, term in tree.terms:
        if isinstance(weight, float):
            for factor, power in term.factors if isinstance(term, Product) else ((term, ONE),):
                if isinstance(factor, Input):
                    powers.setdefault(factor.index, set()).add(power)
    inner = (longest_series(term) for _, term in tree.terms)
    return max((*(len(found) for found in powers.values()), *inner), default=0)


def _too_few(split: Split) -> str:
    return f"{len(split.seen)} different rows are too few to tell it from other formulas"


def _constant(fitted: Fitted, split: Split, noise: float) -> Verdict:
    if inputs_of(fitted.tree) or len(split.held) < 1:
        return Verdict(Outcome.NONE, "the result is constant", noise)
    return Verdict(Outcome.EXACT, "the result is constant", 0.0)


def _noise(fitted: Fitted, split: Split) -> float:
    if fitted.exact:
        return 0.0
    free = sum(isinstance(n, float) for n in numbers(fitted.tree))
    return fitted.rms * float(np.sqrt(len(split.seen) / max(len(split.seen) - free, 1)))


def missed(tree: Tree, table: Table, epsilon: float, slack: float = 1.0) -> int:
    """Return how many rows a formula misses by more than the rounding of their numbers."""
    allowed = slack * rounding_error(tree, table, epsilon)
    return int(np.sum(~(np.abs(residuals(tree, table)) <= allowed)))


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

    low, high = np.quantile(split.seen.y, [0.25, 0.75])
    spread = min(float(np.std(split.seen.y)), float(high - low) or np.inf)
    if noise > NOISIEST * spread:
        return Verdict(Outcome.NONE, f"it leaves {noise / spread:.0%} of the spread", noise)
    measured = sum(isinstance(n, float) for n in numbers(fitted.tree))
    described = bits(fitted.tree, split.seen.x.shape[1], MEASURED)
    needed = (ROWS_PER_BIT if measured else ROWS_PER_EXACT_BIT) * described
    rounded = noise <= ROUNDED * printed_unit(np.concatenate([split.seen.y, split.held.y]))
    needed *= ONE_PERCENT / float(np.log2(spread / noise))
    needed = max(needed, FEWEST_ROUNDED if rounded else FEWEST)
    if len(split.seen) < needed:
        reason = f"{_too_few(split)} in this noise, {needed:.0f} would do"
        return Verdict(Outcome.NONE, reason, noise)
    imitation = _imitation(fitted.tree)
    if imitation:
        return Verdict(Outcome.NONE, imitation, noise)
    held = residuals(fitted.tree, split.held)
    with np.errstate(over="ignore"):
        ratio = float(np.mean(held**2)) / noise**2 if noise else np.inf
    if not fdtrc(len(held), len(split.seen) - measured, ratio) > DOUBT:
        return Verdict(Outcome.NONE, "held-out rows are missed by more than seen ones", noise)
    left = structure_left(fitted.tree, split.seen)
    if left < DOUBT:
        return Verdict(Outcome.NONE, "what it leaves is not noise", noise)
    what = "the rounding of the results" if rounded else "the noise"
    return Verdict(Outcome.NOISE, f"held-out rows are missed by no more than {what}", noise)


def printed_unit(y: np.ndarray) -> float:
    """Return the unit of the last decimal that results are given with; 0 if they have all digits.

    >>> float(printed_unit(np.array([1.25, 3.5, 7.0])))
    0.01
    """
    for places in range(PLACES):
        scaled = y * 10.0**places
        if np.all(np.abs(scaled - np.round(scaled)) <= 1e-12 * np.maximum(1e3, np.abs(scaled))):
            return 10.0**-places
    return 0.0
