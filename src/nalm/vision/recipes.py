"""How networks that see pictures are trained: as published, or in a size for small digits."""

from typing import Any, NamedTuple

from nalm.training import Ramp, Recipe, Schedule
from nalm.vision.sequences import DigitSequences
from nalm.vision.task import DigitPairs
from nalm.vision.trainer import penalty_names


class Size(NamedTuple):
    """How long pairs are trained."""

    each: int
    """Samples of each pair."""
    batch: int
    epochs: int
    ramp: tuple[int, int]
    """The epochs between which penalties grow."""
    evaluation: int = 10_000
    """How many training samples are judged, and of digits in one picture how many test samples."""


PAIRS = {"mnist": Size(1000, 128, 1000, (30, 40)), "digits": Size(100, 32, 140, (14, 21))}
"""The published size, and the one in which the small digits are learnt on two cores."""
CHANNELS = {
    "mnist": Size(1100, 256, 1000, (30, 40), 40_000),
    "digits": Size(110, 64, 140, (14, 21), 500),
}
"""The same for two digits in one picture."""
DISCRETISE = {"mul": 100.0, "div": 2.0}
"""The published scale of the penalties that make weights discrete, by operation."""
DISCRETE = ("discretise", "discretise_gate")
DECAY = 1e-3
"""The published weight decay of a perceptron in the place of a unit."""


class SequenceSize(NamedTuple):
    """How long sequences are trained."""

    batch: int
    epochs: int
    every: int
    """After how many epochs a run is evaluated."""
    ramp: tuple[float, float]
    """The shares of training between which penalties grow."""
    discretise: float = 10.0
    """The scale of the penalty that makes weights discrete."""
    evaluation: int = 60_000
    """How many training pictures are judged."""


SEQUENCES = {
    "mul": {
        "mnist": SequenceSize(64, 1000, 5, (10_000 / 386_000, 100_000 / 386_000)),
        "digits": SequenceSize(32, 400, 10, (0.1, 0.4)),
    },
    "add": {
        "mnist": SequenceSize(64, 1000, 5, (10_000 / 85_000, 100_000 / 85_000)),
        "digits": SequenceSize(16, 800, 20, (0.1, 0.4)),
    },
}
"""The published size by operation, and one for the small digits."""


def pair_recipe(task: DigitPairs, model: Any, *, clip_norm: float | None = None) -> Recipe:
    """Return the recipe of a unit for pairs of digits.

    Parameters
    ----------
    task
        The pairs.
    model
        The unit.
    clip_norm
        The largest norm of the gradient of the whole network.

    Examples
    --------
    >>> import nalm
    >>> from nalm.vision import DigitPairs
    >>> recipe = pair_recipe(DigitPairs("mul"), nalm.unit("nmu", 2, 1))
    >>> recipe.steps, recipe.log_every, recipe.penalties
    (703000, 703, (('discretise', Ramp(scale=100.0, start=21090, end=28120)),))
    """
    size = task.size
    epoch = task.epoch(size.batch)
    start, end = (epoch * e for e in size.ramp)
    scale = DISCRETISE.get(task.op, DISCRETISE["mul"])
    known = set() if task.given else penalty_names(model)
    penalties: list[tuple[str, Schedule]] = [
        (name, Ramp(scale, start, end)) for name in DISCRETE if name in known
    ]
    if "weight_decay" in known:
        penalties.append(("weight_decay", Ramp(DECAY, 0, 1)))
    return Recipe(
        1e-3,
        steps=size.epochs * epoch,
        batch=size.batch,
        log_every=epoch,
        evaluation=size.evaluation,
        penalties=tuple(penalties),
        clip_norm=clip_norm,
    )


def sequence_recipe(
    task: DigitSequences,
    model: Any,
    *,
    z: float = 1.0,
    loss: str = "mse",
    mse_from: float | None = None,
) -> Recipe:
    """Return the recipe of a unit in the cell of a sequence.

    Parameters
    ----------
    task
        The sequences.
    model
        The unit.
    z
        The scale of the penalty on weights that ignore what they see; 0 leaves it out.
    loss
        What is minimized.
    mse_from
        From which share of training on the loss is the mean squared error.

    Examples
    --------
    >>> import nalm
    >>> from nalm.tasks import Grid
    >>> from nalm.vision import DigitSequences
    >>> task = DigitSequences("mul", train=Grid(1, 9))
    >>> recipe = sequence_recipe(task, nalm.unit("nmu", 2, 1))
    >>> recipe.steps, recipe.log_every, [name for name, _ in recipe.penalties]
    (386000, 1930, ['discretise', 'z'])
    """
    size = SEQUENCES[task.op][task.data]
    epoch = task.epoch(size.batch)
    steps = size.epochs * epoch
    start, end = (round(share * steps) for share in size.ramp)
    known = penalty_names(model) if task.learns_unit else set()
    scales: list[tuple[str, Schedule]] = [
        ("discretise", Ramp(size.discretise, start, end)),
        ("z", Ramp(z, 0, 1)),
    ]
    return Recipe(
        1e-3,
        steps=steps,
        batch=size.batch,
        log_every=size.every * epoch,
        evaluation=size.evaluation,
        penalties=tuple((n, s) for n, s in scales if n in known and (n != "z" or z)),
        loss=loss,
        mse_from=None if mse_from is None else round(mse_from * steps),
    )
