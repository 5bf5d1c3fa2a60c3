"""A run: one model, one task, one recipe, one seed. And what came of it."""

from dataclasses import dataclass, field

import numpy as np

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.networks import Model
from nalm.tasks import Task
from nalm.training.recipe import Recipe
from nalm.training.trainer import ENGINE, Trainer


@dataclass(frozen=True)
class Run:
    """What is trained. Its identity is the SHA-256 of its canonical JSON."""

    model: Model
    task: Task
    recipe: Recipe
    seed: int

    def __post_init__(self) -> None:
        if self.model.in_features != self.task.inputs:
            raise InputError(
                f"The model takes {self.model.in_features} inputs, the task has {self.task.inputs}."
            )
        if self.model.out_features != 1:
            raise InputError(f"A task has one target; received {shown(self.model)}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"A seed is a whole number from 0; received {shown(self.seed)}.")
        self.trainer.check(self)

    @property
    def trainer(self) -> Trainer:
        """Who trains it: the engine, unless its task has a trainer of its own."""
        return self.task.trainer or ENGINE


@dataclass(frozen=True)
class Curves:
    """What was measured of one run, one element per evaluation, and where it ended."""

    steps: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    sparsity: np.ndarray
    loss: np.ndarray
    """The loss of the batch before each evaluation, without penalties; NaN before training."""
    penalties: dict[str, np.ndarray]
    """The penalties of the recipe, unscaled; NaN for those that see inputs."""
    final: dict[str, np.ndarray]
    """The parameters at the last evaluation."""
    best: dict[str, np.ndarray]
    """The parameters at the evaluation with the smallest validation error."""
    diverged_at: int
    """The step at which a number stopped being finite, or -1."""
    reinitialised: np.ndarray
    """The steps after which the parameters were drawn anew."""
    series: dict[str, np.ndarray] = field(default_factory=dict)
    """What else was measured, by name; the first axis is that of the evaluations."""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    """What else was found at the end, by name."""
