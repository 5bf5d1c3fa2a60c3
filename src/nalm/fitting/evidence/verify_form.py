"""Whether rows confirm a form that the user gave: its numbers are fitted, its shape is not."""

import numpy as np

from nalm.fitting.evidence.assess import Candidate, residuals
from nalm.fitting.evidence.refit import prediction_spread
from nalm.fitting.evidence.verify import (
    DOUBT,
    FEWEST,
    FEWEST_ROUNDED,
    SMALLEST,
    Judgment,
    LawOutcome,
    is_rounding,
    missed,
    noise_of,
    not_random,
)
from nalm.fitting.rows import Rows, Split
from nalm.fitting.tree import Tree


def verify_form(candidate: Candidate, split: Split, *, determined: bool) -> Judgment:
    """Return what the rows say of a form with its constants; no other form is compared."""
    noise = noise_of(candidate, split)
    measured = len(candidate.tree.measured())
    if len(split.held_out) < 1 or len(split.seen) < measured + 3:
        reason = "there are too few rows to hold some out for the check of the form"
        return Judgment(LawOutcome.PLAUSIBLE, reason, noise)
    if candidate.exact:
        wrong = missed(candidate.tree, split.held_out, split.epsilon)
        objection = f"{wrong} of {len(split.held_out)} held-out rows disagree" if wrong else None
    else:
        spread = prediction_spread(candidate.tree, split.seen, split.held_out)
        objection = not_random(candidate.tree, split, noise, spread)
    if objection:
        return Judgment(LawOutcome.NONE, f"the form does not fit: {objection}", noise)
    if not determined:
        reason = "the form fits, but other values of its constants fit as well"
        return Judgment(LawOutcome.PLAUSIBLE, reason, noise)
    if candidate.exact:
        return Judgment(LawOutcome.EXACT, f"all {len(split.held_out)} held-out rows agree", 0.0)
    return _within_noise(candidate.tree, split, noise)


def _within_noise(tree: Tree, split: Split, noise: float) -> Judgment:
    if chance_of_gain(tree, split.seen) > DOUBT:
        reason = "the form fits no better than a constant"
        return Judgment(LawOutcome.NONE, reason, noise)
    needed = FEWEST_ROUNDED if is_rounding(noise, split) else FEWEST
    if len(split.seen) < needed:
        reason = f"the form fits, but with this noise {len(split.seen)} different rows are too few"
        return Judgment(LawOutcome.PLAUSIBLE, f"{reason}; it takes {needed}", noise)
    reason = "the errors of the form on held-out rows are no larger than the noise"
    return Judgment(LawOutcome.NOISE, reason, noise)


def chance_of_gain(tree: Tree, rows: Rows) -> float:
    """Return how probable it is that a formula explains so much more than a constant by chance."""
    from scipy.special import fdtrc

    measured = len(tree.measured())
    free, more = len(rows) - measured, max(measured - 1, 1)
    left = float(rows.weight @ residuals(tree, rows) ** 2)
    mean = np.average(rows.y, weights=rows.weight)
    gain = float(rows.weight @ (rows.y - mean) ** 2) - left
    ratio = gain * free / (more * max(left, SMALLEST))
    return float(fdtrc(more, free, ratio)) if gain > 0 else 1.0
