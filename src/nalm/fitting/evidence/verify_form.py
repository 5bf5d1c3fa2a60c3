"""Whether rows confirm a form that the user gave: its numbers are fitted, its shape is not."""

from nalm.fitting.evidence.assess import Candidate
from nalm.fitting.evidence.verify import Judgment, LawOutcome, missed, noise_of, not_random
from nalm.fitting.rows import Split


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
        objection = not_random(candidate.tree, split, noise)
    if objection:
        return Judgment(LawOutcome.NONE, f"the form does not fit: {objection}", noise)
    if not determined:
        reason = "the form fits, but other values of its constants fit as well"
        return Judgment(LawOutcome.PLAUSIBLE, reason, noise)
    if candidate.exact:
        return Judgment(LawOutcome.EXACT, f"all {len(split.held_out)} held-out rows agree", 0.0)
    reason = "the errors of the form on held-out rows are no larger than the noise"
    return Judgment(LawOutcome.NOISE, reason, noise)
