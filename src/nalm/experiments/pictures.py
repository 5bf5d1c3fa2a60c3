"""What can be chosen of an experiment with pictures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pictures:
    """Which pictures, and how they are computed with.

    Parameters
    ----------
    data
        "mnist", "digits" for the small ones of scikit-learn, or a folder with the files of MNIST.
    device
        Where PyTorch computes.
    precision
        In what the layers that see pictures are computed, all but the last: "float32" or
        "bfloat16".
    epochs
        How often training goes through all samples, instead of the published number.
    folds
        How many of the folds are run; all if absent.
    """

    data: str = "mnist"
    device: str = "cpu"
    precision: str = "float32"
    epochs: int | None = None
    folds: int | None = None
