"""A plane of two weights: which they are, where the others stay, and what the loss is there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm.errors import InputError
from nalm.networks import Model, Stack
from nalm.networks.layers import flatten, parameters, title, unflatten
from nalm.sweeps.models import made
from nalm.tasks import Task
from nalm.units import Unit

SAMPLES = 128
"""How many samples of a task a loss is the mean of."""


@dataclass(frozen=True)
class Samples:
    """What a model is trained on here: inputs `(samples, inputs)` and targets `(samples,)`.

    Parameters
    ----------
    x
        The inputs.
    y
        The targets.

    Examples
    --------
    >>> samples = Samples.of((-2.0, -1.8), 3.6)
    >>> samples.x.shape, samples.y
    ((1, 2), array([3.6]))
    """

    x: np.ndarray
    y: np.ndarray

    @classmethod
    def of(cls, x: Sequence[float], y: float) -> "Samples":
        """Return one sample."""
        return cls(np.array([x], float), np.array([y], float))

    @classmethod
    def drawn(cls, task: Task, count: int = SAMPLES, seed: int = 0) -> "Samples":
        """Draw samples of the training distribution of a task."""
        u = np.random.default_rng(seed).random((count, task.inputs))
        x = np.asarray(task.train.sample(u), float)
        return cls(x, np.asarray(task.target.perfect(x), float))


Data = Task | Samples | tuple[Sequence[float], float]


def samples_of(data: Data, seed: int = 0) -> Samples:
    """Return the samples that an argument means: a task, samples, or one sample `(x, y)`."""
    if isinstance(data, Task):
        return Samples.drawn(data, seed=seed)
    if isinstance(data, Samples):
        return data
    if isinstance(data, tuple) and len(data) == 2:
        return Samples.of(*data)
    raise InputError(
        "A picture is of a nalm.tasks.Task, or of one sample ((x1, x2), y); received "
        f"{type(data).__name__}."
    )


@dataclass(frozen=True)
class Plane:
    """Two numbers among the parameters of a model, by name; the others stay where they are."""

    model: Model
    flat: Mapping[str, np.ndarray]
    names: tuple[str, str]
    places: tuple[tuple[str, tuple[int, ...]], ...]

    def params(self, weights: Any, xp: Any) -> Any:
        """Return the parameters with these two weights, which may be traced by JAX."""
        found = {name: xp.asarray(value) for name, value in self.flat.items()}
        for (name, index), weight in zip(self.places, weights, strict=True):
            here = np.zeros(self.flat[name].shape, bool)
            here[index] = True
            found[name] = xp.where(xp.asarray(here), weight, found[name])
        return unflatten(self.model, found)

    @property
    def unit(self) -> Unit:
        """The model, if it is a single unit."""
        if isinstance(self.model, Stack):
            raise InputError("Training is drawn of a single unit; received a stack.")
        return self.model

    @property
    def ops(self) -> tuple[str, ...]:
        """The operations that the model computes exactly: none for a stack."""
        return () if isinstance(self.model, Stack) else tuple(self.model.ops)

    @property
    def origin(self) -> tuple[float, float]:
        """The two weights of the given parameters."""
        first, second = (float(self.flat[name][index]) for name, index in self.places)
        return first, second


def plane(
    model: Any, inputs: int, op: str | None, weights: Sequence[str] | None, params: Any
) -> Plane:
    """Return the plane of two weights of a model.

    Parameters
    ----------
    model
        What `nalm.train` takes as a model.
    inputs
        How many inputs it has.
    op
        The operation whose exact parameters it has, unless `params` says more.
    weights
        The two weights, such as `weight[0,0]`; needed if there are more than two.
    params
        Its parameters.
    """
    unit = made(model, inputs)
    every = {
        f"{name}[{','.join(map(str, index))}]": (name, index)
        for name, declared in parameters(unit).items()
        for index in np.ndindex(declared.shape)
    }
    if weights is None:
        if len(every) != 2:
            raise InputError(
                f"A picture has two weights as its axes; {title(unit)} has {len(every)}: "
                f"{_listed(every)}. Choose two of them: weights=(...), or --weights A,B."
            )
        weights = tuple(every)
    chosen = tuple(dict.fromkeys(text.replace(" ", "") for text in weights))
    wrong = [name for name in chosen if name not in every]
    if wrong or len(chosen) != 2:
        raise InputError(f"weights are two of {_listed(every)}; received {', '.join(weights)}.")
    flat = _flat(unit, op, params, alone=len(every) == 2)
    return Plane(unit, flat, (chosen[0], chosen[1]), tuple(every[name] for name in chosen))


def _flat(unit: Model, op: str | None, params: Any, *, alone: bool) -> dict[str, np.ndarray]:
    if params is None:
        ops = () if isinstance(unit, Stack) else unit.ops
        if op is not None and op in ops and not isinstance(unit, Stack):
            params = unit.exact(op)
        elif alone:
            shapes = {name: declared.shape for name, declared in parameters(unit).items()}
            return {name: np.zeros(shape) for name, shape in shapes.items()}
        else:
            can = ", ".join(ops) or "no operation exactly"
            raise InputError(
                f"The weights that are no axes stay at those that compute the task exactly; "
                f"{title(unit)} cannot compute {op or 'it'} (it can: {can}). Pass params=..., or "
                "another unit or task."
            )
    return {name: np.asarray(value, float) for name, value in flatten(unit, params).items()}


def _listed(names: Mapping[str, Any]) -> str:
    shown = list(names)
    return ", ".join(shown if len(shown) <= 12 else [*shown[:10], "…", shown[-1]])


def forward(model: Model, params: Any, x: Any, xp: Any) -> Any:
    """Return the first output of a model, zeros divided by as the equations stand."""
    layers = model.layers if isinstance(model, Stack) else (model,)
    per_layer = params if isinstance(model, Stack) else (params,)
    for layer, p in zip(layers, per_layer, strict=True):
        x = layer.forward(xp, p, x, False, None)
    return x[:, 0]


def loss_on(plane: Plane, samples: Samples) -> Callable[[Any], Any]:
    """Return the mean squared error as a function of the two weights, for JAX."""
    import jax.numpy as jnp

    x, y = jnp.asarray(samples.x, float), jnp.asarray(samples.y, float)

    def loss(weights: Any) -> Any:
        return jnp.mean((forward(plane.model, plane.params(weights, jnp), x, jnp) - y) ** 2)

    return loss
