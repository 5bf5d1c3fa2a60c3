"""Whether a run learnt its target: read as a formula and compared by algebra, not by numbers."""

from typing import Any

import numpy as np

from nalm.errors import NalmError
from nalm.formula import same_function
from nalm.networks import Model
from nalm.networks.layers import flatten, unflatten
from nalm.tasks import Task
from nalm.training.run import Curves


class Verdicts:
    """Compares what runs learnt with their targets; runs with equal rounded weights share one."""

    def __init__(self) -> None:
        self.known: dict[Any, bool] = {}

    def of(self, model: Model, task: Task, curves: Curves) -> bool | None:
        """Tell whether the formula of the weights at the end of training is the target.

        None where the task has no target to compare with; False where the run has no formula.
        Penalties that make weights discrete are at full scale in the end, so that is when a
        network is read, wherever its validation error was smallest.
        """
        if not task.compared:
            return None
        try:
            weights = flatten(model, model.effective(unflatten(model, curves.final)))
        except (NalmError, KeyError):
            return None
        rounded = tuple((name, np.round(v, 1).tobytes()) for name, v in sorted(weights.items()))
        key = model, task.target, rounded
        if key not in self.known:
            self.known[key] = _is_target(model, task, curves.final)
        return self.known[key]


def _is_target(model: Model, task: Task, params: dict[str, np.ndarray]) -> bool:
    try:
        (expression,) = model.formula(unflatten(model, params))
    except NalmError:
        return False
    wanted = task.expression()
    return wanted is not None and same_function(expression, wanted)
