"""Trains networks that see pictures: one run is one block, saved at every evaluation."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nalm.errors import InputError, unknown
from nalm.networks.layers import layers
from nalm.training import Recipe
from nalm.training.run import Curves, Run
from nalm.training.saving import Saving
from nalm.training.trainer import Progress

UNSUPPORTED = (
    "scaling", "gradient_noise", "reinitialize", "input_noise", "warm_start", "population", "snap",
)  # fmt: skip
"""Fields of a recipe that only the engine knows."""


class PictureTrainer:
    """Trains runs of tasks that are shown as pictures."""

    def check(self, run: Run) -> None:
        """Raise InputError unless it can train a run."""
        recipe = run.recipe
        for name in UNSUPPORTED:
            if getattr(recipe, name) != getattr(Recipe, name):
                raise InputError(
                    f"Networks that see pictures are trained without {name}; received "
                    f"{name}={getattr(recipe, name)!r}. Leave it out."
                )
        if recipe.optimizer != Recipe().optimizer:
            raise InputError(
                f"Networks that see pictures are trained by 'adam'; received {recipe.optimizer!r}."
            )
        known = penalty_names(run.model)
        for name, _ in recipe.penalties:
            if name not in known:
                raise unknown(f"penalty of {run.model!r}", name, known)
        run.task.check_run(run.model, run.seed)  # pyright: ignore[reportAttributeAccessIssue]

    def seconds(self, run: Run) -> float:
        """Return about how long a run takes on one core."""
        return run.recipe.steps * run.recipe.batch * run.task.cost()  # pyright: ignore[reportAttributeAccessIssue]

    def recipe(self, model: Any, task: Any) -> Recipe:
        """Return how a model is trained on a task if nobody says how."""
        return task.usual_recipe(model)

    def train(self, block: Sequence[Run], progress: Progress, saving: Saving) -> list[Curves]:
        """Train a block, and return the curves of each run."""
        return [_trained(run, progress, saving) for run in block]


TRAINER = PictureTrainer()


def penalty_names(model: Any) -> set[str]:
    """Return the names of the penalties that a layer of the model has."""
    rng = np.random.default_rng(0)
    names: set[str] = set()
    for layer in layers(model).values():
        names |= layer.penalties(layer.init(rng), np.ones((1, layer.in_features))).keys()
    return names


def _trained(run: Run, progress: Progress, saving: Saving) -> Curves:
    """Train one run from its beginning, or from where it was saved."""
    try:
        import torch
    except ModuleNotFoundError:
        raise InputError("Pictures are read with PyTorch: pip install 'nalm[vision]'.") from None
    from nalm.vision import checkpoint
    from nalm.vision.course import Course
    from nalm.vision.devices import check_device

    task: Any = run.task
    check_device(task.device)
    with torch.random.fork_rng():
        torch.manual_seed(run.seed)
        course = Course(run, task.lesson(run.model, run.recipe, run.seed))
        found = checkpoint.read(run, saving.found) if saving.found else None
        if found is None:
            course.judge()
        else:
            course.restore(found.done, found.arrays)
        progress(course.done, None)
        while course.done < run.recipe.steps:
            if course.diverged_at < 0:
                course.advance(run.recipe.log_every)
            else:
                course.done += run.recipe.log_every
            course.judge()
            progress(course.done, None)
            if course.done < run.recipe.steps:
                saving.take(
                    checkpoint.written(run, checkpoint.Checkpoint(course.done, course.arrays()))
                )
        return course.curves()
