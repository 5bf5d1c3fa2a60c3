"""What a block of runs is made of: settings that differ between runs, state, and measurements."""

from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from nalm.networks import Model
from nalm.networks.layers import parameters
from nalm.units.initial import Uniform

jax.tree_util.register_dataclass(Uniform, ["low", "high"], [])


class Scales(NamedTuple):
    """How inputs and outputs are scaled: `(x - x_shift) / x_scale`, `y · y_scale + y_shift`."""

    x_shift: Array
    """(runs, inputs)."""
    x_scale: Array
    y_shift: Array
    """(runs,)."""
    y_scale: Array


class Settings(NamedTuple):
    """What may differ between the runs of a block: arrays with one element (or row) per run."""

    key: Array
    """The seed of the run, two words."""
    train: tuple[Array, ...]
    """The numbers of the training distribution, each a column."""
    test: tuple[Array, ...]
    layout: Array
    """(runs, ...): what targets are made of: subsets of inputs, or codes of operations."""
    learning_rate: Array
    penalty_scales: Array
    """(runs, penalties of the recipe)."""
    member: Array
    """(runs,): which member of its population it is."""
    scales: Scales | None
    """None where the recipe scales nothing."""
    test_scales: Scales | None
    """How the test is scaled."""


class State(NamedTuple):
    """What training carries from step to step, per run."""

    weights: Array
    """(parameters, runs)."""
    optimizer: Any
    """The state of the optimizer: arrays whose last axis is that of the runs, or scalars."""
    loss: Array
    """The loss of the last batch, without penalties; NaN before the first."""
    validation: Array
    """The validation error of the last evaluation."""
    diverged_at: Array
    """The step at which a number stopped being finite, or -1."""
    fixed: Array | None = None
    """(parameters, runs): which weights are set for good; None where the recipe sets none."""


class Move(NamedTuple):
    """What a step of an optimizer gives, per run."""

    loss: Array
    """The loss of the batch, without penalties."""
    weights: Array
    """(parameters, runs): where the step leads, before parameters are clamped."""
    optimizer: Any
    """The next state of the optimizer."""
    finite: Array
    """Whether all that the step was made of is finite."""


class Record(NamedTuple):
    """What is measured at one evaluation, per run."""

    validation: Array
    test: Array
    sparsity: Array
    loss: Array
    penalties: Array
    """(penalties of the recipe, runs): their values, unscaled."""


def by_parameter(model: Model, weights: Array) -> dict[str, Array]:
    """Return `(parameters, runs)` weights as flat parameters by name, runs last.

    They are split, not sliced: the gradient of slices is a sum of padded arrays, which is slow.
    """
    declared = parameters(model)
    shapes = {name: declared[name].shape for name in sorted(declared)}
    parts = jnp.split(weights, np.cumsum([prod(shape) for shape in shapes.values()])[:-1])
    return {
        name: part.reshape(*shape, -1)
        for (name, shape), part in zip(shapes.items(), parts, strict=True)
    }


def by_name(model: Model, weights: Array) -> dict[str, Array]:
    """Return the same with the runs first."""
    return by_row(model, weights.T)


def by_row(model: Model, rows: Array) -> dict[str, Array]:
    """Return `(runs, parameters)` weights as flat parameters by name, runs first."""
    declared = parameters(model)
    shapes = {name: declared[name].shape for name in sorted(declared)}
    ends = np.cumsum([prod(shape) for shape in shapes.values()])[:-1]
    parts = jnp.split(rows, ends, axis=1)
    return {
        name: part.reshape(-1, *shape)
        for (name, shape), part in zip(shapes.items(), parts, strict=True)
    }
