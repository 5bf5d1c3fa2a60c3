"""Fit a formula, and replace its measured numbers by exact ones where the rows allow it."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from nalm.fitting.evidence.assess import Candidate, assess, unusable
from nalm.fitting.evidence.exact_numbers import simplest
from nalm.fitting.evidence.refit import never, refit
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Number, Tree
from nalm.fitting.tree.common_factors import with_common_factors
from nalm.fitting.tree.number import is_measured

AGAIN, LAST = 8, 3
"""Steps with which the other numbers are fitted again after a replacement, and at the end."""


def settle(tree: Tree, rows: Rows, epsilon: float, stop: Callable[[], bool] = never) -> Candidate:
    """Fit a formula and replace measured numbers by exact ones while its description shortens.

    All that look exact are tried at once, then fewer and fewer, the surest first; each time the
    others are fitted again. So are the ratios of the measured weights of a sum. Once the time is
    over the formula stays as it is.
    """
    tree, errors = refit(tree, rows, epsilon, stop=stop)
    best = _simplest(assess(tree, rows, epsilon), errors, rows, epsilon, stop)
    shared = with_common_factors(best.tree)
    if shared != best.tree and not stop():
        tree, errors = refit(shared, rows, epsilon, LAST, stop=stop)
        ratios = _simplest(assess(tree, rows, epsilon), errors, rows, epsilon, stop)
        best = min(best, ratios, key=lambda candidate: candidate.length)
    tree, errors = refit(best.tree.tidy(), rows, epsilon, LAST, stop=stop)
    sizes = [abs(number) for number in tree.measured()]
    shares = [e / n if n else np.inf for e, n in zip(errors, sizes, strict=True)]
    best = replace(assess(tree, rows, epsilon), uncertainty=max(shares, default=0.0))
    return best if best.tree.is_finite() else unusable(best.tree, best.floor)


def _simplest(
    best: Candidate, errors: np.ndarray, rows: Rows, epsilon: float, stop: Callable[[], bool]
) -> Candidate:
    """Return the formula with as many exact numbers as shorten its description."""
    while not stop():
        better = _simpler(best, errors, rows, epsilon, stop)
        if better is None:
            break
        best, errors = better
    return best


def _simpler(
    best: Candidate, errors: np.ndarray, rows: Rows, epsilon: float, stop: Callable[[], bool]
) -> tuple[Candidate, np.ndarray] | None:
    """Return the formula with more exact numbers, if its description is shorter."""
    values = best.tree.numbers()
    free = [i for i, v in enumerate(values) if is_measured(v)]
    proposals = _proposals([float(values[i]) for i in free], errors, epsilon)
    order = sorted(proposals, key=lambda k: proposals[k][1])
    count = len(order)
    while count and not stop():
        changed: list[Number] = list(values)
        for k in order[:count]:
            changed[free[k]] = proposals[k][0]
        trial, trial_errors = refit(
            best.tree.with_numbers(changed), rows, epsilon, AGAIN, stop=stop
        )
        candidate = assess(trial, rows, epsilon)
        as_good = candidate.exact or _as_good(candidate, best, count, len(free), len(rows))
        if candidate.length < best.length and as_good:
            return candidate, trial_errors
        count //= 2
    return None


def _as_good(trial: Candidate, best: Candidate, fixed: int, free: int, rows: int) -> bool:
    """Whether fixing numbers worsened the residual no more than chance would."""
    variance = max(best.rms, best.floor) ** 2 * rows / max(rows - free, 1)
    if variance == 0:
        return trial.rms == 0
    excess = rows * (max(trial.rms, trial.floor) ** 2 - max(best.rms, best.floor) ** 2) / variance
    return excess <= fixed + 5 * np.sqrt(2 * fixed)


def _proposals(
    values: list[float], errors: np.ndarray, epsilon: float
) -> dict[int, tuple[Fraction, float]]:
    """Return for each value the exact number it may be, and how unsure that is."""
    found = {}
    for k, value in enumerate(values):
        doubt = 4 * float(errors[k]) + max(1e-12, 4 * epsilon) * abs(value)
        spread = min(doubt, 0.1)
        number = simplest(value, spread, doubt)
        if number is not None:
            found[k] = (number, abs(float(number) - value) + spread)
    return found
