"""How networks that see pictures are trained: as published, or in a size for small digits."""

from typing import Any, NamedTuple

from nalm.training import Ramp, Recipe, Schedule
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
