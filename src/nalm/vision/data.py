"""Pictures of digits: MNIST, and the small ones that scikit-learn ships."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nalm.errors import InputError, unknown
from nalm.vision.idx import read_idx
from nalm.vision.mnist_files import FILES, mnist_files

CLASSES = 10
TEST_SHARE = 450
"""How many of the 1,797 small digits are kept for the test."""


@dataclass(frozen=True, eq=False)
class Images:
    """Pictures and what they show.

    Parameters
    ----------
    pixels
        Of shape (pictures, side, side) and kind uint8.
    labels
        The digit of each picture.
    """

    pixels: np.ndarray
    labels: np.ndarray

    def __post_init__(self) -> None:
        pixels, labels = self.pixels, self.labels
        if pixels.ndim != 3 or pixels.shape[1] != pixels.shape[2] or pixels.dtype != np.uint8:
            raise InputError(
                "Pictures are square and of unsigned bytes, an array (pictures, side, side); "
                f"received shape {pixels.shape} of {pixels.dtype}."
            )
        if labels.shape != pixels.shape[:1]:
            raise InputError(
                f"Every picture has one label; received {len(pixels):,} pictures and labels of "
                f"shape {labels.shape}."
            )
        if len(labels) and int(labels.max()) >= CLASSES:
            raise InputError(f"A label is a digit from 0 to 9; received {int(labels.max())}.")

    @property
    def side(self) -> int:
        """The length of a side in pixels."""
        return self.pixels.shape[1]

    def of_digit(self, digit: int) -> np.ndarray:
        """Return the numbers of the pictures that show a digit."""
        return np.flatnonzero(self.labels == digit)


@dataclass(frozen=True, eq=False)
class DigitData:
    """Pictures for training and for the test, and how their pixels are normalized.

    Parameters
    ----------
    name
        What the data are called.
    train, test
        The pictures.
    mean, std
        What is subtracted from pixels between 0 and 1, and what they are then divided by.
    """

    name: str
    train: Images
    test: Images
    mean: float
    std: float


@lru_cache(maxsize=1)
def mnist() -> DigitData:
    """Return MNIST: 60,000 pictures for training and 10,000 for the test, 28 pixels wide.

    The files are looked for in the folder that the variable NALM_DATA names, then in the cache;
    what is in neither is downloaded.

    Returns
    -------
    DigitData
    """
    found = mnist_files()
    arrays = {name: read_idx(found[name], name) for name in FILES}
    return DigitData(
        "mnist",
        Images(arrays["train-images-idx3-ubyte"], arrays["train-labels-idx1-ubyte"]),
        Images(arrays["t10k-images-idx3-ubyte"], arrays["t10k-labels-idx1-ubyte"]),
        mean=0.1307,
        std=0.3081,
    )


@lru_cache(maxsize=1)
def digits() -> DigitData:
    """Return scikit-learn's digits: 1,347 pictures for training, 450 for the test, 8 pixels wide.

    They come with scikit-learn, so nothing is downloaded. Their 17 shades are spread over 0 to 240.

    Returns
    -------
    DigitData

    Examples
    --------
    >>> digits().train.pixels.shape, digits().test.pixels.shape
    ((1347, 8, 8), (450, 8, 8))
    """
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError:
        raise InputError(
            "The small digits come with scikit-learn: pip install 'nalm[vision]'."
        ) from None
    loaded = load_digits()
    pixels = (loaded.images * 15).astype(np.uint8)  # pyright: ignore[reportAttributeAccessIssue]
    labels = loaded.target.astype(np.uint8)  # pyright: ignore[reportAttributeAccessIssue]
    order = np.random.RandomState(0).permutation(len(pixels))
    test, train = order[:TEST_SHARE], order[TEST_SHARE:]
    seen = pixels[train] / 255
    return DigitData(
        "digits",
        Images(pixels[train], labels[train]),
        Images(pixels[test], labels[test]),
        mean=float(seen.mean()),
        std=float(seen.std()),
    )


DATA: dict[str, Callable[[], DigitData]] = {"mnist": mnist, "digits": digits}
"""The data by name."""
TITLES = {"mnist": "MNIST", "digits": "8×8 digits"}
"""What they are called in tables."""
SIDES = {"mnist": 28, "digits": 8}
"""The sides of their pictures, known before they are loaded."""


def prepare(name: str, *, shown: bool = False) -> None:
    """Have data on this machine, downloaded if they are nowhere; `shown` says how far that is.

    Examples
    --------
    >>> prepare("digits")
    """
    if name == "mnist":
        mnist_files(_told if shown else None)
    else:
        load(name)


def _told(name: str, done: int, total: int) -> None:
    """Say on standard error how much of a file is there."""
    of = f" of {total / 1e6:.1f}" if total else ""
    end = "\n" if done == total else "\r"
    sys.stderr.write(f"Downloading {name}: {done / 1e6:.1f}{of} MB{end}")
    sys.stderr.flush()


def check_name(name: object) -> None:
    """Raise unless there are data of this name."""
    if name not in DATA:
        raise unknown("data set", name, DATA)


def load(name: str) -> DigitData:
    """Return data by name: "mnist" or "digits".

    Parameters
    ----------
    name
        The name.

    Returns
    -------
    DigitData

    Examples
    --------
    >>> load("digits").train.side
    8
    """
    check_name(name)
    return DATA[name]()
