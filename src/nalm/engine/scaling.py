"""Feature scaling: statistics of one fixed set of samples, the same for every step."""

import numpy as np

from nalm.engine.recipe import Recipe
from nalm.operations import operation
from nalm.tasks import AnyTask, Composition, InputDistribution, sample

SAMPLES = 10_000


def scales_of(
    task: AnyTask, recipe: Recipe, seed: int, inputs: InputDistribution
) -> tuple[np.ndarray, ...]:
    """Return shift and scale of each of these inputs, then of the output.

    Inputs become (x - shift) / scale and outputs y · scale + shift: by mean and standard deviation
    (z-score), or by mean and half the spread, the output unshifted (min-max). All statistics are
    those of training samples, except that feyn is min-max with the spread of `inputs`.
    """
    x = _samples(task.train, task.inputs)
    y = _targets(task, seed, x)
    if recipe.scaling == "z-score":
        return x.mean(axis=0), x.std(axis=0, ddof=1), y.mean(), y.std(ddof=1)
    spread = np.ptp(_samples(inputs, task.inputs) if recipe.scaling == "feyn" else x, axis=0)
    return x.mean(axis=0), spread / 2, np.zeros(()), np.ptp(y) / 2


def _targets(task: AnyTask, seed: int, x: np.ndarray) -> np.ndarray:
    if isinstance(task, Composition):
        return task.perfect(x)
    return operation(task.op).apply(np, list(task.layout(seed) @ x.T))


def _samples(distribution: InputDistribution, inputs: int) -> np.ndarray:
    return sample(distribution, np.random.default_rng(0).random((SAMPLES, inputs)))
