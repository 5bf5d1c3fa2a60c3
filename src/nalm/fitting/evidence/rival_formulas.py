"""Whether, in noise, another formula fits as well and differs outside the range of the rows."""

from collections.abc import Iterable

import numpy as np

from nalm.fitting.evidence.assess import Candidate
from nalm.fitting.evidence.refit import prediction_spread
from nalm.fitting.rows import Rows

MARGIN = 20.0
"""By how many bits, those of the residuals included, the description of a rival may be longer."""
BEYOND = 1.5
"""How many times as far from the middle as the rows the formulas are compared."""
APART, SURE = 0.5, 3.0
"""By how many standard deviations of the noise two different laws differ, and by how many of its
own uncertainty, which its numbers bring, a rival does."""
SHARE = 0.1
"""At which share of these points they differ by so much."""


def rival_of(
    best: Candidate, others: Iterable[Candidate], rows: Rows, noise: float
) -> Candidate | None:
    """Return another formula that fits the rows as well and differs outside them, if any."""
    beyond = farther(rows.x)
    there = Rows(beyond, rows.y, np.ones(len(rows)))
    with np.errstate(all="ignore"):
        expected = best.tree.evaluate(beyond)
        for other in others:
            if other is not best and other.length <= best.length + MARGIN:
                unsure = np.sqrt(prediction_spread(other.tree, rows, there) ** 2 - 1)
                least = (APART + SURE * np.nan_to_num(unsure)) * noise
                apart = ~(np.abs(other.tree.evaluate(beyond) - expected) <= least)
                if np.mean(apart) > SHARE:
                    return other
    return None


def farther(x: np.ndarray) -> np.ndarray:
    """Return rows farther from the middle; in columns of one sign by factors, so that it stays.

    >>> farther(np.array([[1.0, -1.0], [4.0, 1.0]])).round(2).tolist()
    [[0.71, -1.5], [5.66, 1.5]]
    """
    signed = np.all(x > 0, axis=0) | np.all(x < 0, axis=0)
    with np.errstate(all="ignore"):
        logs = np.log(np.abs(x))
        factors = np.sign(x) * np.exp(BEYOND * logs + (1 - BEYOND) * logs.mean(axis=0))
    return np.where(signed, factors, BEYOND * x + (1 - BEYOND) * x.mean(axis=0))
