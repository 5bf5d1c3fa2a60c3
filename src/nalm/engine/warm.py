"""Starting weights from least squares on one batch."""

import numpy as np

from nalm.errors import InputError
from nalm.networks import Model
from nalm.operations import operation
from nalm.tasks import AnyTask, Composition
from nalm.units import Unit


def warmed(model: Model, task: AnyTask) -> Unit:
    """Return the unit that can begin at least-squares weights for a task; raise InputError else."""
    if not isinstance(model, Unit):
        raise InputError(f"A warm start is for a single unit; received {model!r}.")
    if isinstance(task, Composition):
        raise InputError(f"A warm start is for one operation; received {task.op}.")
    if operation(task.op).kind not in ("sum", "power") or task.op not in model.ops:
        can = ", ".join(model.ops) or "no operation exactly"
        raise InputError(
            f"A warm start needs weights that compute {task.op} exactly; {model!r} has them for "
            f"{can}. Train this without a warm start."
        )
    return model


def warm_weights(model: Model, task: AnyTask, x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the parameters of one run, flat and by name, that fit a batch `(inputs, batch)` best.

    A unit that adds is fitted to the numbers, one that multiplies to their logarithms; what the
    unit makes of such weights is its own exact representation, within its bounds.
    """
    model = warmed(model, task)
    wanted = operation(task.op)
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
