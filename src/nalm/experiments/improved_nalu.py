"""Tasks of the paper of the iNALU: one layer on seven distributions, two on scattered inputs."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from nalm.experiments.experiment import Cell, Experiment
from nalm.experiments.single_module import FIXED, OPS
from nalm.networks import Model, Stack
from nalm.tasks import Distribution, Exponential, Scattered, Task, TruncatedNormal, Uniform
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


Ranges = tuple[Distribution, Distribution]
DISTRIBUTIONS: tuple[Ranges, ...] = (
    (Uniform(-1, 1), Uniform(-10, -5)),
    (Uniform(-5, 5), Uniform(-10, -5)),
    (normal(-3, 3), normal(8, 10)),
    (normal(-2, 4), normal(8, 10)),
    (normal(-4, 2), normal(8, 10)),
    (Exponential(0.2), Exponential(0.5)),
    (Exponential(0.8), Exponential(0.5)),
)
"""Training and test of one layer."""
OF_SUMS: tuple[Ranges, ...] = (
    (Uniform(-3, 3), Uniform(-5, -3)),
    (normal(-3, 3), normal(3, 4)),
)
"""Training and test of two layers."""


def one_layer(inputs: int) -> Iterator[Cell]:
    """The iNALU with separate and with shared weights, on the four operations."""
    for name, model in models((inputs, 1)):
        for op in OPS:
            for train, test in DISTRIBUTIONS:
                yield Cell(name, model, Task(op, inputs, train, test), RECIPE, "", FIXED)


def two_layers() -> Iterator[Cell]:
    """Two layers of them on sums of 100 inputs: about half in the first, a quarter in the other."""
    for name, model in models((100, 2, 1)):
        for op in OPS:
            for train, test in OF_SUMS:
                yield Cell(name, model, Task(Scattered(op), 100, train, test), RECIPE, "", FIXED)


def models(sizes: Sequence[int]) -> Iterator[tuple[str, Model]]:
    """Name and give both kinds of iNALU, in layers of these sizes."""
    for weights in ("separate", "shared"):
        layers = tuple(
            INALU(*size, weights=weights, initial="recommended") for size in pairwise(sizes)
        )
        yield f"inalu {weights}", layers[0] if len(layers) == 1 else Stack(layers)


STEPS = (
    "The authors train weights in eight of ten batches and the gate in two, and the penalty in "
    "steps of its own; here a step trains all of it. They decide on new starts by training errors, "
    "here by validation errors. The published NALU is left out: it is trained with the penalty of "
    "the iNALU, which ours does not have."
)

EXPERIMENTS = (
    Experiment(
        "inalu-minimal", "iNALU on two inputs of seven distributions",
        "schloer2020, experiment 1; mistry2023, table 3.1", 10, partial(one_layer, 2), STEPS,
    ),
    Experiment(
        "inalu-simple", "iNALU on two of ten inputs of seven distributions",
        "schloer2020, experiment 3; mistry2023, appendix D.1", 10, partial(one_layer, 10),
        f"{STEPS} The published runs are those of folder exp2 of the authors' repository, whose "
        "program has two inputs; that they have ten is what the thesis says of the experiment.",
    ),
    Experiment(
        "inalu-two-layers", "iNALU in two layers on sums of scattered inputs",
        "schloer2020, experiment 5; mistry2023, table 3.1", 10, two_layers,
        f"{STEPS} Which inputs are summed is drawn by the seed. Experiments 2 and 4 of the paper "
        "are not here: of the magnitudes of inputs no results are public, and of the initial "
        "weights neither the program nor the loss (it is called rsme).",
    ),
)  # fmt: skip
