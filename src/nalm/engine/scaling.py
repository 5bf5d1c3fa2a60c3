"""Feature scaling: statistics of one fixed set of training samples, the same for every step."""

import numpy as np

from nalm.engine.recipe import Recipe
from nalm.operations import operation
from nalm.tasks import Task, sample

SAMPLES = 10_000


def scales_of(task: Task, recipe: Recipe, seed: int) -> tuple[np.ndarray, ...]:
    """Return shift and scale of each input, then of the output.

    Inputs become (x - shift) / scale and outputs y · scale + shift: by mean and standard deviation
    (z-score), or by mean and half the spread, the output unshifted (min-max).
    """
    x = sample(task.train, np.random.default_rng(0).random((SAMPLES, task.inputs)))
    operands = list(task.subsets(task.position(seed)) @ x.T)
    y = operation(task.op).apply(np, operands)
    if recipe.scaling == "z-score":
        return x.mean(axis=0), x.std(axis=0, ddof=1), y.mean(), y.std(ddof=1)
    return x.mean(axis=0), np.ptp(x, axis=0) / 2, np.zeros(()), np.ptp(y) / 2
