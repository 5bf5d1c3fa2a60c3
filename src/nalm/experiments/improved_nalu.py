"""The minimal task of the paper of the iNALU: one layer, two inputs, seven distributions."""

from collections.abc import Iterator

from nalm.experiments.experiment import Cell, Experiment
from nalm.experiments.single_module import FIXED, OPS
from nalm.tasks import Distribution, Exponential, Task, TruncatedNormal, Uniform
from nalm.training import Optimizer, Recipe, Reinitialize
from nalm.training.schedules import Late
from nalm.units import INALU

EPOCH = 1000
"""Steps in which all 64,000 samples are seen once, in batches of 64."""
RMSPROP = Optimizer("rmsprop", eps_in_sqrt=True, eps=1e-10, initial_scale=1.0)
"""As in TensorFlow."""
RECIPE = Recipe(
    1e-2,
    steps=100 * EPOCH,
    batch=64,
    optimizer=RMSPROP,
    clip_value=0.1,
    penalties=(("saturate", Late(1.0, after=11 * EPOCH, below=1.0)),),
    reinitialize=Reinitialize(every=10 * EPOCH, memory=10 * EPOCH - 1),
)


def normal(low: float, high: float) -> TruncatedNormal:
    """Return the normal distribution whose bounds are three standard deviations away."""
    return TruncatedNormal((low + high) / 2, (high - low) / 6, low, high)


DISTRIBUTIONS: tuple[tuple[Distribution, Distribution], ...] = (
    (Uniform(-1, 1), Uniform(-10, -5)),
    (Uniform(-5, 5), Uniform(-10, -5)),
    (normal(-3, 3), normal(8, 10)),
    (normal(-2, 4), normal(8, 10)),
    (normal(-4, 2), normal(8, 10)),
    (Exponential(0.2), Exponential(0.5)),
    (Exponential(0.8), Exponential(0.5)),
)
"""Training and test."""


def minimal() -> Iterator[Cell]:
    """The iNALU with separate and with shared weights, on the four operations."""
    for weights in ("separate", "shared"):
        model = INALU(2, 1, weights=weights, initial="recommended")
        for op in OPS:
            for train, test in DISTRIBUTIONS:
                yield Cell(f"inalu {weights}", model, Task(op, 2, train, test), RECIPE, "", FIXED)


EXPERIMENTS = (
    Experiment(
        "inalu-minimal", "iNALU on two inputs of seven distributions",
        "schloer2020, experiment 1; mistry2023, table 3.1", 10, minimal,
        "The authors train weights in eight of ten batches and the gate in two, and the penalty "
        "in steps of its own; here a step trains all of it. They decide on new starts by training "
        "errors, here by validation errors. The published NALU is left out: it is trained with the "
        "penalty of the iNALU, which ours does not have.",
    ),
)  # fmt: skip
