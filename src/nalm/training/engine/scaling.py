"""Feature scaling: statistics of one fixed set of samples, the same for every step."""

import numpy as np

from nalm.tasks import Distribution, Task
from nalm.training.recipe import Recipe

SAMPLES = 10_000
FEYN = {"feyn", "feyn-batch"}


def scales_of(
    task: Task, recipe: Recipe, seed: int, inputs: Distribution
) -> tuple[np.ndarray, ...]:
    """Return shift and scale of each of these inputs, then of the output.

    Inputs become (x - shift) / scale and outputs y · scale + shift: by mean and standard deviation
    (z-score), or by mean and half the spread, the output unshifted (min-max). All statistics are
    those of training samples, except that feyn is min-max with the spread of `inputs`. So is
    feyn-batch when it is evaluated; in training it has the spread of each batch.
    """
    x = _samples(task.train, task.inputs)
    y = task.target.values(x, task.layout(seed))
    x = x[:, : task.inputs]
    if recipe.scaling == "z-score":
        return x.mean(axis=0), x.std(axis=0, ddof=1), y.mean(), y.std(ddof=1)
    seen = _samples(inputs, task.inputs)[:, : task.inputs] if recipe.scaling in FEYN else x
    spread = np.ptp(seen, axis=0)
    return x.mean(axis=0), spread / 2, np.zeros(()), np.ptp(y) / 2


def _samples(distribution: Distribution, inputs: int) -> np.ndarray:
    return distribution.sample(np.random.default_rng(0).random((SAMPLES, inputs)))
