"""The law of a table whose form is known: constants fitted, the form checked on rows held out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from time import monotonic

import numpy as np

from nalm.fitting.constants import constant
from nalm.fitting.evidence.assess import even_residuals, rounding_error
from nalm.fitting.evidence.outliers import DEVIATION, FAR, counted, far_rows, outliers_of
from nalm.fitting.evidence.outliers import MOST as MOST_OUTLIERS
from nalm.fitting.evidence.verify import Judgment, LawOutcome
from nalm.fitting.evidence.verify_form import verify_form
from nalm.fitting.form.fitted_form import FittedForm, fit_again, fit_form
from nalm.fitting.form.form import Form
from nalm.fitting.law import Alternative, Law
from nalm.fitting.rows import MOST, Rows, Split, canonical, sampled, split
from nalm.fitting.tree import Tree

ROUNDS = 4
"""How often the constants are fitted again without the rows that are far from the form."""


def form_law(
    form: Form, rows: Rows, names: Sequence[str], random_state: int, stop: Callable[[], bool]
) -> Law:
    """Return the law that a form is with its constants fitted to rows."""
    began = monotonic()
    rng = np.random.default_rng(random_state)
    found, divided = _robust(form, canonical(sampled(rows, MOST, rng)), random_state, stop)
    tree = found.candidate.tree
    determined = all(map(isfinite, found.errors))
    judgment = verify_form(found.candidate, divided, determined=determined)
    judgment, far = _on_all(judgment, tree, rows, divided.epsilon)
    kept, count = rows.without(far), len(divided.seen)
    if judgment.fits and not found.candidate.exact and determined and not stop():
        used = canonical(kept)
        found, count = fit_again(form, found, used, divided.epsilon), len(used)
        tree = found.candidate.tree
    outliers = outliers_of(tree, rows, far)
    free = count - len(form.constants)
    constants = zip(form.constants, found.values, found.errors, strict=True)
    return Law(
        tree=tree,
        names=tuple(names),
        outcome=judgment.outcome.value,
        reason=judgment.reason + counted(outliers),
        noise=judgment.noise,
        error=_rms(tree.evaluate(kept.x) - kept.y, kept.sample_weight),
        alternatives=(Alternative(tree, tuple(names), found.candidate.rms),),
        rows=len(rows),
        held_out=len(divided.held_out),
        seconds=monotonic() - began,
        outliers=outliers,
        constants=tuple(constant(name, value, error, free) for name, value, error in constants),
    )


@dataclass(frozen=True)
class _Fit:
    found: FittedForm
    split: Split

    def far(self, rows: Rows) -> np.ndarray:
        """Return the rows that are far from the form, by the median of all errors."""
        tree = self.found.candidate.tree
        off = np.abs(even_residuals(tree, rows))
        allowed = rounding_error(tree, rows, self.split.epsilon)
        return np.flatnonzero(~(off <= np.maximum(FAR * DEVIATION * np.median(off), allowed)))


def _robust(
    form: Form, rows: Rows, seed: int, stop: Callable[[], bool]
) -> tuple[FittedForm, Split]:
    """Return the form fitted to the rows near it; to all if those far from it are many."""
    first = current = _fitted(form, rows, seed, stop)
    wrong = np.empty(0, int)
    for _ in range(ROUNDS):
        now = current.far(rows)
        if len(now) > MOST_OUTLIERS * len(rows):
            return first.found, first.split
        if np.array_equal(now, wrong) or stop():
            break
        wrong = now
        current = _fitted(form, rows.without(wrong), seed, stop)
    return current.found, current.split


def _fitted(form: Form, rows: Rows, seed: int, stop: Callable[[], bool]) -> _Fit:
    rng = np.random.default_rng(seed)
    divided = split(rows, rng)
    return _Fit(fit_form(form, divided.seen, divided.epsilon, rng, stop), divided)


def _on_all(
    judgment: Judgment, tree: Tree, rows: Rows, epsilon: float
) -> tuple[Judgment, np.ndarray]:
    """Return the judgment after a look at every row, and the rows that disagree."""
    none = np.empty(0, int)
    if not judgment.fits:
        return judgment, none
    far = far_rows(tree, rows, judgment.noise, epsilon)
    if len(far) > MOST_OUTLIERS * len(rows):
        reason = f"{len(far)} of {len(rows)} rows disagree"
        return replace(judgment, outcome=LawOutcome.NONE, reason=reason), none
    return judgment, far


def _rms(residual: np.ndarray, weight: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        found = float(np.sqrt(np.average(residual**2, weights=weight)))
    return found if isfinite(found) else np.inf
