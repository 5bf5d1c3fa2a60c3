"""How the scale of a penalty and the learning rate change with the step."""

from math import ceil, log

import jax.numpy as jnp

from nalm._types import Array, Namespace
from nalm.engine.recipe import Decay, Growth, Late, Ramp, Recipe, Schedule
from nalm.engine.state import Settings, State


def penalty_scales(
    recipe: Recipe, step: Array, state: State, settings: Settings
) -> dict[str, Array]:
    """Return the scale of each penalty of a compiled recipe at a step, for every run."""
    return {
        name: settings.penalty_scales[:, k] * scale_at(jnp, schedule, step, state.validation)
        for k, (name, schedule) in enumerate(recipe.penalties)
    }


def scale_at(xp: Namespace, schedule: Schedule, step: Array, validation: Array) -> Array:
    """Return the scale of a penalty at a step, after a validation error; both may be traced."""
    if isinstance(schedule, Ramp):
        return schedule.scale * ramp(xp, step, schedule.start, schedule.end)
    if isinstance(schedule, Late):
        ready = (step > schedule.after) & (validation < schedule.below)
        return xp.where(ready, schedule.scale, 0.0)
    return growth(xp, step, schedule)


def ramp(xp: Namespace, step: Array, start: int, end: int) -> Array:
    """Return 0 before `start`, 1 after `end`, a straight line between.

    >>> import numpy as np
    >>> ramp(np, np.array([19_999, 27_500, 35_000]), 20_000, 35_000).tolist()
    [0.0, 0.5, 1.0]
    """
    share = (step - start) / (end - start)
    return xp.where(share < 0, 0.0, xp.where(share > 1, 1.0, share))


def growth(xp: Namespace, step: Array, schedule: Growth) -> Array:
    """Return the scale after as many multiplications as the step and `last` allow.

    >>> import numpy as np
    >>> growth(np, np.array([0, 9_999, 10_000, 20_000, 90_000]), Growth(1e-9, 1e-7)).tolist()
    [1e-09, 1e-09, 1e-08, 1e-07, 1e-07]
    """
    most = max(0, ceil(log(schedule.last / schedule.first) / log(schedule.factor) - 1e-9))
    value = schedule.first + 0.0 * step
    for k in range(1, most + 1):
        reached = schedule.last if k == most else schedule.first * schedule.factor**k
        value = xp.where(step >= k * schedule.every, reached, value)
    return value


def decay(step: Array, schedule: Decay) -> Array:
    """Return the share of the learning rate that is left at a step.

    >>> import numpy as np
    >>> decay(np.array([0, 9_999, 10_000, 25_000]), Decay(10_000, 0.5)).tolist()
    [1.0, 1.0, 0.5, 0.25]
    """
    return schedule.factor ** (step // schedule.every)
