"""Whether noise leaves other formulas that say something else outside the rows."""

from collections.abc import Iterable

import numpy as np

from nalm.fitting.refine import Fitted
from nalm.fitting.table import Table
from nalm.fitting.tree import evaluate

MARGIN = 20.0
"""The bits by which a rival may be longer, rows included: what is longer is told apart."""
BEYOND = 1.5
"""How many times as far from the middle as the rows the formulas are compared."""
APART = 3.0
"""How many standard deviations of the noise two formulas differ by that are not the same law."""
SHARE = 0.1
"""The share of the places beyond the rows at which they differ so."""


def has_rival(best: Fitted, others: Iterable[Fitted], table: Table, noise: float) -> bool:
    """Whether rows cannot tell a formula from another that differs beyond them."""
    beyond = further(table.x)
    with np.errstate(all="ignore"):
        expected = evaluate(best.tree, beyond)
        for other in others:
            if other is not best and other.length <= best.length + MARGIN:
                apart = ~(np.abs(evaluate(other.tree, beyond) - expected) <= APART * noise)
                if np.mean(apart) > SHARE:
                    return True
    return False


def further(x: np.ndarray) -> np.ndarray:
    """Return rows farther from the middle; in columns of one sign by factors, so that it stays.

    >>> further(np.array([[1.0, -1.0], [4.0, 1.0]])).round(2).tolist()
    [[0.71, -1.5], [5.66, 1.5]]
    """
    signed = np.all(x > 0, axis=0) | np.all(x < 0, axis=0)
    with np.errstate(all="ignore"):
        logs = np.log(np.abs(x))
        factors = np.sign(x) * np.exp(BEYOND * logs + (1 - BEYOND) * logs.mean(axis=0))
    return np.where(signed, factors, BEYOND * x + (1 - BEYOND) * x.mean(axis=0))
