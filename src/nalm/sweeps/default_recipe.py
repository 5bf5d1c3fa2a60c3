"""The recipe of a model and a task that are given without one."""

import numpy as np

from nalm.networks import Model
from nalm.tasks import Task
from nalm.training import Decay, Ramp, Recipe, published_recipe
from nalm.training.published import UNPUBLISHED
from nalm.units import REGISTRY, Unit

STEPS = 50_000
LEARNING_RATE = 1e-2
START, END = 0.4, 0.7
"""The shares of the steps between which penalties grow."""
LATE, FINE = 0.8, 1e-3
"""From which share of the steps on the learning rate is multiplied by what."""
DISCRETE = ("discretise", "discretise_gate", "imaginary", "saturate")
"""The penalties that make weights and gates discrete."""
SCALE = 0.1
"""Their largest scale.

All of these were chosen by experiment. With them, a NAU of 2 or 4 outputs before an NMU solved
(a + b) c from four inputs in 25 of 25 runs. Without the decay, weights still moved by more than the
threshold allows: 6 and 13 runs were solved. A learning rate of 1e-3 found fewer formulas.
"""


def default_recipe(model: Model, task: Task) -> Recipe:
    """Return the published recipe of a unit for an operation; else one that suits most models.

    Parameters
    ----------
    model
        A unit or network.
    task
        What is to be learnt.

    Returns
    -------
    Recipe
        For a task with a trainer of its own, such as pictures of digits, that of the trainer. For
        a published unit on an operation, the published recipe. For a class with a `recipe` of
        its own, that one. For networks, custom units, functions and tables: Adam at a learning
        rate of 1e-2 for 50,000 steps; the penalties `discretise`, `discretise_gate`,
        `imaginary` and `saturate`, where the model has them, grow to 0.1 from 0.4 to 0.7 of the
        steps, and for the last fifth the learning rate is 1e-5.

    Examples
    --------
    >>> import nalm
    >>> from nalm.tasks import single_module
    >>> default_recipe(nalm.unit("nru", 2, 1), single_module("mul")).learning_rate
    1.0
    """
    if task.trainer and (recipe := task.trainer.recipe(model, task)):
        return recipe
    if isinstance(model, Unit):
        recipe = getattr(model, "recipe", None)
        if isinstance(recipe, Recipe):
            return recipe
        published = REGISTRY.get(model.name) is type(model) and model.name not in UNPUBLISHED
        operation = task.target.operation
        if published and operation is not None:
            return published_recipe(model.name, task.op, task.inputs)
    return general_recipe(model)


def general_recipe(model: Model, steps: int = STEPS) -> Recipe:
    """Return a recipe for a model that is not published."""
    params = model.init(np.random.default_rng(0))
    found = model.penalties(params)  # pyright: ignore[reportArgumentType]
    ramp = int(START * steps), int(END * steps)
    penalties = tuple((name, Ramp(SCALE, *ramp)) for name in DISCRETE if name in found)
    decay = Decay(int(LATE * steps), FINE)
    return Recipe(LEARNING_RATE, steps=steps, penalties=penalties, decay=decay)
