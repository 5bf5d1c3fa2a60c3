"""Whether rows that the search did not see confirm a formula: the verdict on it."""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

import numpy as np

from nalm.fitting.evidence.assess import (
    Candidate,
    even_residuals,
    explained,
    noise_rms,
    rounding_error,
)
from nalm.fitting.evidence.printed_digits import is_printing, printed_unit
from nalm.fitting.evidence.refit import is_determined
from nalm.fitting.evidence.residual_tests import chance_of_residuals
from nalm.fitting.rows import Rows, Split
from nalm.fitting.tree import (
    ONE,
    Applied,
    Column,
    Number,
    PowerProduct,
    Tree,
    VariablePower,
    WeightedSum,
    columns_of,
)
from nalm.fitting.tree.number import is_measured

SURE = 30.0
"""How many bits of evidence the rows must give beyond those it takes to write the formula."""
UNCERTAIN = 150
"""How many rounding errors of itself a measured number of an exact formula may be uncertain by.

What imitates a law has numbers that the rows hardly determine.
"""
DOUBT = 0.01
"""The probability of a test statistic below which chance is no explanation."""
LOUD = 0.03
"""The share of the spread of the results above which noise may hide functions."""
QUIET = 0.005
"""The share up to which noise does not hide that a function with a fitted number is wrong."""
NOISIEST = 0.5
"""The share of the spread of the results up to which noise leaves a formula verifiable."""
FREE = 3
"""How many numbers of a formula may be measured, besides one for each column."""
FREE_IN_FUNCTIONS = 2
"""How many numbers of a formula with functions may be measured where there is noise."""
MEASURED = 12.0
"""How many bits a measured number counts where there is noise."""
ROWS_PER_BIT, ROWS_PER_EXACT_BIT = 3, 1.5
"""How many rows with noise of one percent each bit of a formula needs; fewer if it is exact."""
ONE_PERCENT = float(np.log2(100))
"""The bits that a row gives with noise of one percent."""
FEWEST, FEWEST_ROUNDED = 30, 9
"""The fewest rows that confirm anything in spite of noise, or of rounded results."""
ROUNDED = 0.6
"""The share of the last printed unit that rounding leaves at most."""
SMALLEST = 5e-324
"""The smallest number above 0: squares of small errors may vanish."""
HIGHEST = 4
"""The highest power that is believed in noise."""
SERIES = 3
"""How many measured powers of one column in a sum are too many to be confirmed in noise."""


INTERRUPTED = "the search was interrupted"
"""Why nothing is verified after Ctrl-C."""


class LawOutcome(Enum):
    """What the rows say of a formula."""

    EXACT = "exact"
    """Every row agrees to the rounding of its numbers."""
    NOISE = "within noise"
    """Errors look random, and are no larger on held-out rows than on the others."""
    PLAUSIBLE = "plausible"
    """It fits, but the rows are too few, or another formula fits as well."""
    NONE = "not found"


@dataclass(frozen=True)
class Judgment:
    """What the rows say of a formula, and why."""

    outcome: LawOutcome
    reason: str
    noise: float
    """The standard deviation of its errors; 0 if rounding explains them."""
    rival: Tree | None = None
    """Another formula that fits as well."""

    @property
    def verified(self) -> bool:
        """Whether the formula was confirmed."""
        return self.outcome in {LawOutcome.EXACT, LawOutcome.NOISE}

    @property
    def fits(self) -> bool:
        """Whether the formula was confirmed, or fits rows that do not prove it."""
        return self.verified or self.outcome is LawOutcome.PLAUSIBLE


def verify(candidate: Candidate, split: Split) -> Judgment:
    """Return what the rows say of a formula."""
    noise = noise_of(candidate, split)
    if not np.ptp(np.concatenate([split.seen.y, split.held_out.y])):
        return _constant(candidate, split, noise)
    objection = _objection(candidate, split)
    if objection:
        return Judgment(LawOutcome.NONE, objection, noise)
    return _exactly(candidate, split) if candidate.exact else _within_noise(candidate, split, noise)


def _objection(candidate: Candidate, split: Split) -> str | None:
    """Return why rows cannot confirm a formula, whatever they say."""
    measured = len(candidate.tree.measured())
    if not columns_of(candidate.tree):
        return "no formula of the columns fits better than a constant"
    if measured > FREE + split.seen.x.shape[1]:
        return f"its {measured} fitted numbers are so many that it could follow any smooth curve"
    if len(split.held_out) < 1 or len(split.seen) < measured + 3:
        return "there are too few rows to hold some out for the check"
    return None


def _exactly(candidate: Candidate, split: Split) -> Judgment:
    wrong = missed(candidate.tree, split.held_out, split.epsilon)
    if wrong:
        reason = f"{wrong} of {len(split.held_out)} held-out rows disagree"
        return Judgment(LawOutcome.NONE, reason, 0.0)
    uncertain = candidate.uncertainty > UNCERTAIN * split.epsilon
    if uncertain or not is_determined(candidate.tree, split.seen):
        reason = "other values of its numbers fit as well, so it may only imitate the law"
        return Judgment(LawOutcome.NONE, reason, 0.0)
    if _bits_of_evidence(candidate, split) < SURE:
        reason = f"it fits every row, but {_too_few(split)}"
        return Judgment(LawOutcome.PLAUSIBLE, reason, 0.0)
    return Judgment(LawOutcome.EXACT, f"all {len(split.held_out)} held-out rows agree", 0.0)


def _imitation(tree: Tree) -> str | None:
    """Return why a formula is of a kind that noise confirms for any smooth curve."""
    if not all(isinstance(p, Fraction) and abs(p) <= HIGHEST for p in tree.powers()):
        return "with this noise other powers fit as well"
    functions = any(isinstance(node, Applied | VariablePower) for node in tree.walk())
    if functions and len(tree.measured()) > FREE_IN_FUNCTIONS:
        return "with this noise functions with so many fitted numbers can imitate other laws"
    if longest_series(tree) >= SERIES:
        return "a sum of several powers of one column can imitate any smooth curve"
    return None


def doubted(tree: Tree, judgment: Judgment, spread: float) -> Judgment:
    """Return the verdict on the formula that a search ended with.

    Noise hides the difference between a law and a sum that is fitted to it, as the first terms of a
    series are. So a sum with measured weights is only plausible, unless it is a sum of columns. So
    is a function with a measured number inside, but for little noise.
    """
    if judgment.outcome is not LawOutcome.NOISE:
        return judgment
    if _has_fitted_sum(tree):
        what = "a sum with fitted weights"
    elif judgment.noise > QUIET * spread and _has_fitted_function(tree):
        what = "a function with a fitted number inside"
    else:
        return judgment
    reason = f"with this noise {what} may only imitate another law"
    return replace(judgment, outcome=LawOutcome.PLAUSIBLE, reason=reason)


def _has_fitted_function(tree: Tree) -> bool:
    """Whether a number inside a function was measured."""
    functions = (node for node in tree.walk() if isinstance(node, Applied | VariablePower))
    return any(node.measured() for node in functions)


def _has_fitted_sum(tree: Tree) -> bool:
    """Whether rows chose the weights of a sum of more than columns."""
    if isinstance(tree, WeightedSum) and all(isinstance(term, Column) for _, term in tree.terms):
        return False
    sums = (node for node in tree.walk() if isinstance(node, WeightedSum))
    return any(
        len(node.terms) + (node.constant != 0) > 1
        and any(map(is_measured, node.own_coefficients()))
        for node in sums
    )


def longest_series(tree: Tree) -> int:
    """Return the most powers of one column that a sum has, each with a measured weight."""
    sums = (node for node in tree.walk() if isinstance(node, WeightedSum))
    return max((len(found) for node in sums for found in _series(node).values()), default=0)


def _series(total: WeightedSum) -> dict[int, set[Number]]:
    """Return the powers of each column in the terms of a sum that have a measured weight."""
    powers: dict[int, set[Number]] = {}
    for weight, term in total.terms:
        if is_measured(weight):
            factors = term.factors if isinstance(term, PowerProduct) else ((term, ONE),)
            for factor, power in factors:
                if isinstance(factor, Column):
                    powers.setdefault(factor.index, set()).add(power)
    return powers


def _too_few(split: Split) -> str:
    return f"{len(split.seen)} different rows are too few to tell it from other formulas"


def _constant(candidate: Candidate, split: Split, noise: float) -> Judgment:
    if columns_of(candidate.tree):
        return Judgment(LawOutcome.NONE, "the result is constant", noise)
    if len(split.held_out) < 1:
        reason = "the result is constant, in too few rows to hold some out for the check"
        return Judgment(LawOutcome.NONE, reason, noise)
    return Judgment(LawOutcome.EXACT, "the result is constant", 0.0)


def noise_of(candidate: Candidate, split: Split) -> float:
    """Return the standard deviation of the errors of a formula; 0 if rounding explains them."""
    if candidate.exact:
        return 0.0
    free = len(candidate.tree.measured())
    rms = noise_rms(candidate.tree, split.seen, split.epsilon)
    return rms * float(np.sqrt(len(split.seen) / max(len(split.seen) - free, 1)))


def missed(tree: Tree, rows: Rows, epsilon: float) -> int:
    """Return how many rows a formula misses by more than the rounding of their numbers."""
    return int(np.sum(~explained(tree, rows, epsilon)))


def _bits_of_evidence(candidate: Candidate, split: Split) -> float:
    """Return how many bits the rows give beyond those it takes to write the formula."""
    rows = split.seen
    allowed = rounding_error(candidate.tree, rows, split.epsilon)
    spread = float(np.std(np.concatenate([rows.y, split.held_out.y])))
    distinct = np.log2(len(np.unique(rows.y)))
    with np.errstate(divide="ignore"):
        row = np.log2(np.maximum(spread / np.maximum(allowed, 1e-300), 1.0))
    precision = float(np.median(row)) + 4
    return float(np.sum(np.minimum(row, distinct))) - candidate.tree.bits(
        rows.x.shape[1], precision
    )


def _within_noise(candidate: Candidate, split: Split, noise: float) -> Judgment:
    """Return whether noise explains the errors of a formula."""
    low, high = np.quantile(split.seen.y, [0.25, 0.75])
    spread = min(float(np.std(split.seen.y)), float(high - low) or np.inf)
    if spread == 0:
        return Judgment(
            LawOutcome.NONE, "the results differ by less than their squares can show", noise
        )
    if noise > NOISIEST * spread:
        reason = f"it leaves {noise / spread:.0%} of the spread of the results unexplained"
        return Judgment(LawOutcome.NONE, reason, noise)
    rounded = is_rounding(noise, split)
    needed = _rows_needed(candidate.tree, split, spread / max(noise, SMALLEST))
    needed = max(needed, FEWEST_ROUNDED if rounded else FEWEST)
    objection = _imitation(candidate.tree) or not_random(candidate.tree, split, noise)
    if len(split.seen) < needed:
        reason = f"{_too_few(split)}; with this noise it takes about {needed:.0f}"
        outcome = LawOutcome.NONE if objection else LawOutcome.PLAUSIBLE
        return Judgment(outcome, reason, noise)
    if objection:
        return Judgment(LawOutcome.NONE, objection, noise)
    what = "the rounding of the results" if rounded else "the noise"
    reason = f"its errors on held-out rows are no larger than {what}"
    return Judgment(LawOutcome.NOISE, reason, noise)


def is_rounding(noise: float, split: Split) -> bool:
    """Whether the rounding of the printed results explains the noise."""
    return noise <= ROUNDED * printed_unit(np.concatenate([split.seen.y, split.held_out.y]))


def _rows_needed(tree: Tree, split: Split, ratio: float) -> float:
    """Return how many rows confirm a formula; the ratio is that of the spread to the noise."""
    described = tree.bits(split.seen.x.shape[1], MEASURED)
    needed = (ROWS_PER_BIT if tree.measured() else ROWS_PER_EXACT_BIT) * described
    return needed * (ONE_PERCENT / float(np.log2(ratio)))


def not_random(
    tree: Tree, split: Split, noise: float, spread: np.ndarray | float = 1.0
) -> str | None:
    """Return why the errors of a formula are not noise.

    The spread is how many times the noise an error of each held-out row usually is.
    """
    from scipy.special import fdtrc

    held_out = even_residuals(tree, split.held_out) / spread
    with np.errstate(over="ignore"):
        ratio = float(np.mean(held_out**2)) / noise**2 if noise else np.inf
    objection = None
    if not fdtrc(len(held_out), len(split.seen) - len(tree.measured()), ratio) > DOUBT:
        objection = "its errors are larger on held-out rows than on the rows it was fitted to"
    elif chance_of_residuals(tree, split.seen) < DOUBT:
        objection = "its errors depend on the columns, so they are not noise"
    return None if objection and is_printing(tree, split) else objection
