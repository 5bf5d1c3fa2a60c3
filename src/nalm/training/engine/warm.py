"""Starting weights from least squares on one batch."""

import numpy as np

from nalm.errors import InputError
from nalm.formula.operations import Operation
from nalm.networks import Model
from nalm.tasks import Task
from nalm.units import Unit


def warmed(model: Model, task: Task) -> tuple[Unit, Operation]:
    """Return the unit that can begin at least-squares weights, and the operation of the task.

    Raise InputError if there is no such weight for this task.
    """
    if not isinstance(model, Unit):
        raise InputError(f"A warm start is for a single unit; received {model!r}.")
    wanted = task.target.operation
    if wanted is None:
        raise InputError(f"A warm start is for one operation; received {task.op}.")
    if wanted.kind not in ("sum", "power") or wanted.name not in model.ops:
        can = ", ".join(model.ops) or "no operation exactly"
        raise InputError(
            f"A warm start needs weights that compute {task.op} exactly; {model!r} has them for "
            f"{can}. Train this without a warm start."
        )
    return model, wanted


def warm_weights(model: Model, task: Task, x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the parameters of one run, flat and by name, that fit a batch `(inputs, batch)` best.

    A unit that adds is fitted to the numbers, one that multiplies to their logarithms; what the
    unit makes of such weights is its own exact representation, within its bounds.
    """
    model, wanted = warmed(model, task)
    rows, result = x.T.astype(np.float64), target.astype(np.float64)
    if wanted.kind == "power":
        rows, result = np.log(np.abs(rows)), np.log(np.abs(result))
    weight = np.linalg.lstsq(rows, result, rcond=None)[0]
    params = model.represent(wanted, weight[None])
    flat = []
    for name in sorted(model.parameters):
        low, high = model.parameters[name].bounds or (-np.inf, np.inf)
        flat.append(np.clip(np.asarray(params[name], np.float64), low, high).ravel())
    return np.concatenate(flat).astype(np.float32)
