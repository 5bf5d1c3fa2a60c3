"""When a task counts as learnt."""

from functools import lru_cache

import numpy as np

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.tasks.task import Task

EPSILON = 1e-5
"""How far the weights of a model may be from perfect for it to count as a success."""
SAMPLES = 1_000_000


@lru_cache
def threshold(task: Task, epsilon: float = EPSILON) -> float:
    """Return the test error, a mean of squares, below which a run is a success.

    It is the error of a model whose weights are within epsilon of perfect, simulated on samples of
    the test; what such a model gives is `imperfect` of the target. Logic and comparisons are learnt
    when truth values are within `nalm.tasks.TRUTH` of their targets, root mean square. A task with
    a `threshold` of its own has that one.

    Parameters
    ----------
    task
        The task.
    epsilon
        How far each weight is from perfect.

    Returns
    -------
    float
        The threshold.

    Examples
    --------
    >>> from nalm.tasks import Task, Uniform, threshold
    >>> threshold(Task("and", 2, Uniform(0, 1), Uniform(0, 1)))
    2.5e-05
    >>> threshold(Task("mul", threshold=1e-6))
    1e-06
    """
    if not 0 < epsilon < 1:
        raise InputError(f"epsilon must be a number between 0 and 1; received {shown(epsilon)}.")
    if task.threshold is not None:
        return task.threshold
    tolerated = task.target.tolerated(task.test)
    return _simulated(task, epsilon) if tolerated is None else tolerated


def _simulated(task: Task, epsilon: float) -> float:
    rng = np.random.default_rng(0)
    block = max(1, 10_000_000 // task.inputs)
    squares, count = 0.0, 0
    while count < SAMPLES:
        rows = min(block, SAMPLES - count)
        x = task.test.sample(rng.random((rows, task.inputs)))
        squares += float(np.sum((task.target.imperfect(x, epsilon) - task.target.perfect(x)) ** 2))
        count += rows
    return squares / SAMPLES
