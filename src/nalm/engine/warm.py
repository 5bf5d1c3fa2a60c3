"""Starting weights from least squares on one batch."""

import numpy as np

from nalm.errors import InputError
from nalm.networks import Model
from nalm.operations import operation
from nalm.tasks import Task
from nalm.units import Unit


def warm_weights(model: Model, task: Task, x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the parameters of one run, flat and by name, that fit a batch `(inputs, batch)` best.

    A unit that adds is fitted to the numbers, one that multiplies to their logarithms; what the
    unit makes of such weights is its own exact representation, within its bounds.
    """
    if not isinstance(model, Unit) or model.out_features != 1:
        raise InputError("A warm start is for a single unit with one output.")
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
