"""Pairs of digits, their folds, and the pictures that show them."""

from typing import NamedTuple

import numpy as np

from nalm.errors import InputError
from nalm.vision.data import DigitData, Images

TRAIN, TEST, VALIDATION = 0, 1, 2
"""The streams of random numbers of a run."""


class Fold(NamedTuple):
    """The pairs of one fold."""

    train: np.ndarray
    """(pairs, 2): the digits of the pairs that are trained on."""
    test: np.ndarray
    """(pairs, 2): those that no training sample shows."""


class Samples(NamedTuple):
    """Pairs of pictures, by their numbers in the data."""

    pictures: np.ndarray
    """(samples, 2): which pictures."""
    digits: np.ndarray
    """(samples, 2): what they show."""


def all_pairs(first: int) -> np.ndarray:
    """Return all ordered pairs of the digits from `first` to 9, in order.

    Examples
    --------
    >>> all_pairs(0).shape, all_pairs(1)[:2].tolist()
    ((100, 2), [[1, 1], [1, 2]])
    """
    numbers = np.arange(first, 10)
    return np.stack(np.meshgrid(numbers, numbers, indexing="ij"), axis=-1).reshape(-1, 2)


def fold_of(first: int, folds: int, fold: int) -> Fold:
    """Return a fold of the pairs, shuffled once as published: the state of NumPy's RandomState(0).

    Parameters
    ----------
    first
        The smallest digit.
    folds
        How many folds there are.
    fold
        Which of them, from 0.

    Examples
    --------
    >>> fold = fold_of(1, 10, 0)
    >>> len(fold.train), len(fold.test)
    (72, 9)
    """
    pairs = all_pairs(first)
    if not 2 <= folds <= len(pairs):
        raise InputError(
            f"Pairs are divided into 2 to {len(pairs)} folds, one for the test and the others for "
            f"training; received {folds}."
        )
    if not 0 <= fold < folds:
        raise InputError(
            f"The seed of a run is its fold, so it is below {folds}; received {fold}. Ask for at "
            f"most {folds} seeds."
        )
    order = np.arange(len(pairs))
    np.random.RandomState(0).shuffle(order)
    tested = np.zeros(len(pairs), bool)
    tested[np.array_split(order, folds)[fold]] = True
    return Fold(pairs[~tested], pairs[tested])


def drawn(images: Images, pairs: np.ndarray, each: int, rng: np.random.Generator) -> Samples:
    """Return pictures for pairs, each pair so many times, drawn with replacement.

    Parameters
    ----------
    images
        The pictures.
    pairs
        (pairs, 2): the digits.
    each
        How many samples of each pair.
    rng
        The random numbers.
    """
    digits = np.repeat(pairs, each, axis=0)
    pictures = np.empty(digits.shape, np.int64)
    for digit in np.unique(digits):
        mine = digits == digit
        pictures[mine] = rng.choice(images.of_digit(int(digit)), int(mine.sum()))
    return Samples(pictures, digits)


class PairSamples(NamedTuple):
    """The samples of one run."""

    train: Samples
    test: Samples


def pair_samples(data: DigitData, first: int, folds: int, each: int, seed: int) -> PairSamples:
    """Return the samples of a run: its seed is its fold.

    Training pairs are shown by pictures for training, test pairs by pictures for the test.
    """
    fold = fold_of(first, folds, seed)
    return PairSamples(
        drawn(data.train, fold.train, each, np.random.default_rng([seed, TRAIN])),
        drawn(data.test, fold.test, each, np.random.default_rng([seed, TEST])),
    )
