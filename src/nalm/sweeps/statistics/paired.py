"""Which of two models is better: an exact test on paired runs, and Holm's correction."""

from collections.abc import Sequence

import numpy as np

from nalm.errors import InputError

LEVEL = 0.05
"""A difference whose corrected p-value is below this is more than chance."""


def sign_flip(differences: Sequence[int]) -> float:
    """Return the two-sided p-value of the exact sign-flip test.

    Each difference belongs to one seed: in how many more tasks the first of two models was solved
    than the second. If the two are equally good, either could have had the place of the other, so
    every difference could as well have the other sign. The p-value is the share of all choices of
    signs whose sum is at least as far from zero. With one task it is McNemar's exact test.

    Parameters
    ----------
    differences
        One whole number for each seed.

    Returns
    -------
    float
        The p-value; 1 if there is no difference at all.

    Examples
    --------
    >>> sign_flip([1, 1, 1, 1, 1])  # solved by the first only, five times: 2 / 2**5
    0.0625
    >>> sign_flip([1, -1, 0, 0])
    1.0
    """
    if any(difference != int(difference) for difference in differences):
        raise InputError(f"Differences are whole numbers; received {list(differences)}.")
    sizes = [abs(int(difference)) for difference in differences if difference]
    total = sum(sizes)
    shares = np.zeros(2 * total + 1)
    shares[total] = 1.0
    for size in sizes:
        shares = (np.roll(shares, size) + np.roll(shares, -size)) / 2
    far = np.abs(np.arange(-total, total + 1)) >= abs(sum(map(int, differences)))
    return float(min(1.0, shares[far].sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, as Holm does.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = [1.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected


def fewest_seeds(pairs: int) -> int:
    """Return how many seeds are needed before any of so many differences can be more than chance.

    Examples
    --------
    >>> fewest_seeds(1), fewest_seeds(45)
    (6, 11)
    """
    seeds = 1
    while pairs * 2.0 ** (1 - seeds) >= LEVEL:
        seeds += 1
    return seeds
