"""A run: one model, one task, one recipe, one seed. And what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nalm.distributions import Uniform
from nalm.engine.recipe import Recipe
from nalm.errors import InputError
from nalm.networks import Model
from nalm.networks.layers import layers
from nalm.tasks import Task, Union
from nalm.units import Stochastic


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
        for layer in layers(self.model).values():
            if isinstance(layer, Stochastic) and layer.noise_sees_batch:
                raise InputError(
                    "The engine trains sample by sample and has no noise from batch statistics "
                    f"yet; received {layer!r}. Use a fixed noise_range."
                )
        if self.model.out_features != 1:
            raise InputError(f"A task has one target; received {self.model!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"A seed is a whole number from 0; received {self.seed!r}.")


@dataclass(frozen=True)
class Curves:
    """What was measured of one run, one element per evaluation, and where it ended."""

    steps: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    sparsity: np.ndarray
    final: dict[str, np.ndarray]
    """The parameters at the last evaluation."""
    best: dict[str, np.ndarray]
    """The parameters at the evaluation with the smallest validation error."""
    diverged_at: int
    """The step at which a number stopped being finite, or -1."""


def signature(run: Run) -> tuple[Model, Task, Recipe]:
    """Return what a run's program depends on; runs with equal signatures share one program.

    What may differ within a program (bounds of ranges, positions, learning rate) is left out.
    """
    kind = replace(
        run.task,
        train=_without_bounds(run.task.train),
        test=_without_bounds(common_test(run.task.test)),
    )
    return run.model, kind, replace(run.recipe, learning_rate=1.0)


def common_test(distribution: object) -> object:
    """Return a range as a union of its halves, so that ranges and unions share a program."""
    if not isinstance(distribution, Uniform):
        return distribution
    middle = (distribution.low + distribution.high) / 2
    return Union(Uniform(distribution.low, middle), Uniform(middle, distribution.high))


def _without_bounds(distribution: object) -> object:
    if isinstance(distribution, Uniform):
        return Uniform(0.0, 1.0)
    if isinstance(distribution, Union):
        return Union(Uniform(0.0, 1.0), Uniform(1.0, 2.0))
    return distribution


def blocks(runs: Sequence[Run], size: int) -> list[list[Run]]:
    """Return the runs in blocks of at most `size` that share a program, in order."""
    groups: dict[object, list[Run]] = {}
    for run in runs:
        groups.setdefault(signature(run), []).append(run)
    return [group[i : i + size] for group in groups.values() for i in range(0, len(group), size)]
