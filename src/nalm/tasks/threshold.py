"""When a task counts as learnt."""

from functools import lru_cache

import numpy as np

from nalm.errors import InputError
from nalm.tasks.composition import Composition
from nalm.tasks.distributions import sample
from nalm.tasks.task import Task

AnyTask = Task | Composition
EPSILON = 1e-5
"""How far the weights of a model may be from perfect for it to count as a success."""
SAMPLES = 1_000_000


@lru_cache
def threshold(task: AnyTask, epsilon: float = EPSILON) -> float:
    """Return the test error of a model whose weights are within epsilon of perfect, simulated.

    What such a model gives is said by `imperfect` of the task. Logic and comparisons are learnt
    when truth values are within `TRUTH` of their targets, root mean square.
    """
    if not 0 < epsilon < 1:
        raise InputError(f"epsilon must be a number between 0 and 1; received {epsilon!r}.")
    if task.tolerated is not None:
        return task.tolerated
    rng = np.random.default_rng(0)
    block = max(1, 10_000_000 // task.inputs)
    squares, count = 0.0, 0
    while count < SAMPLES:
        rows = min(block, SAMPLES - count)
        x = sample(task.test, rng.random((rows, task.inputs)))
        squares += float(np.sum((task.imperfect(x, epsilon) - task.perfect(x)) ** 2))
        count += rows
    return squares / SAMPLES
