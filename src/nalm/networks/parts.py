"""The arithmetic parts of a framework's model: layers of nalm that follow each other directly."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from array_api_compat import array_namespace

from nalm._internal.types import Array, Params
from nalm.errors import InputError
from nalm.networks import saving
from nalm.networks.layer import UnitLayer, checked_unit
from nalm.networks.stack import Stack, composed_formula
from nalm.units import Unit
from nalm.units import _checks as checks
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy

Step = tuple[str, UnitLayer] | None
"""A layer with its path in the model; None where something else is between layers."""


@dataclass(frozen=True)
class Part:
    """Layers that follow each other directly, with their paths in the model."""

    paths: tuple[str, ...]
    layers: tuple[UnitLayer, ...]
    is_whole: bool
    """Whether the model consists of nothing else."""

    @property
    def path(self) -> str:
        """The path of the first layer; none if the part is the model."""
        return "" if self.is_whole else self.paths[0]

    @property
    def stack(self) -> Stack:
        """The units of the layers."""
        return Stack(tuple(layer.unit for layer in self.layers))

    @property
    def params(self) -> tuple[dict[str, Any], ...]:
        """The parameters of the layers as NumPy arrays."""
        return tuple(layer.numbers() for layer in self.layers)

    @property
    def names(self) -> list[str] | None:
        """The names of its inputs unless others are given: h1, h2, … inside a larger model."""
        if self.is_whole:
            return None
        return [f"h{i + 1}" for i in range(self.layers[0].in_features)]

    def formula(
        self, names: Sequence[Any] | None = None, *, tolerance: float, x: Array | None = None
    ) -> tuple["sympy.Basic", ...]:
        """Read its formula; messages name the path of a layer."""
        titles = [f"Module {path!r}" if path else "The model" for path in self.paths]
        given = self.names if names is None else names
        return composed_formula(self.stack, self.params, titles, given, tolerance=tolerance, x=x)

    def save(self, path: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write it to a file that `nalm.load` reads; return the paths of its layers."""
        if len(self.layers) == 1:
            saving.save(self.layers[0].unit, path, self.params[0])
        else:
            saving.save(self.stack, path, self.params)
        return self.paths

    def __str__(self) -> str:
        units = ", ".join(type(layer.unit).__name__ for layer in self.layers)
        return f"{self.paths[0]!r} ({units})"


def units_of(model: Unit | Stack, params: Any) -> list[tuple[Unit, Params | None]]:
    """Return the units of a model, each with its parameters if these are given; they must fit."""
    stacked = isinstance(model, Stack)
    units = [checked_unit(unit) for unit in (model.layers if stacked else (model,))]
    if params is None:
        return [(unit, None) for unit in units]
    if stacked:
        model.check(params)
    given = params if stacked else [params]
    return [(unit, checks.parameters(unit, p)) for unit, p in zip(units, given, strict=True)]


def parts_of(steps: Iterable[Step]) -> list[Part]:
    """Return the arithmetic parts, in the order of the model's modules."""
    runs: list[list[tuple[str, UnitLayer]]] = [[]]
    mixed = False
    for step in steps:
        if step is None:
            mixed = True
            runs.append([])
        else:
            runs[-1].append(step)
    return [
        Part(tuple(path for path, _ in run), tuple(layer for _, layer in run), not mixed)
        for run in runs
        if run
    ]


def the_part(
    steps: Iterable[Step], framework: str, access: Callable[[str], str] = "model.{}".format
) -> Part:
    """Return the only arithmetic part; `access` says how a layer of a path is reached."""
    parts = parts_of(steps)
    if not parts:
        raise InputError("The model has no arithmetic layer.")
    if len(parts) > 1:
        listed = ", ".join(map(str, parts))
        first = access(parts[0].paths[0])
        raise InputError(
            f"The model has {len(parts)} arithmetic parts, and nothing says that the output of one "
            f"is the input of the next: {listed}. Pass one of them, such as {first}; "
            f"{framework}.formulas(model) reads all of them."
        )
    return parts[0]


def penalties_of(layers: Iterable[UnitLayer], zero: Array) -> Penalties:
    """Return the penalties, each summed over the layers that have it; `zero` if there are none."""
    terms: dict[str, Array] = {}
    for layer in layers:
        found = layer.penalties()
        zero = found.zero
        for name, value in found.items():
            terms[name] = terms[name] + value if name in terms else value
    return Penalties(terms, zero)


def sparsity_error_of(layers: Iterable[UnitLayer]) -> Array:
    """Return the largest sparsity error of a layer that has one."""
    found = list(layers)
    if not found:
        raise InputError("The model has no arithmetic layer, so no sparsity error.")
    judged = [layer for layer in found if layer.unit.has_sparsity_error] or found
    errors = [layer.sparsity_error() for layer in judged]
    xp = array_namespace(*errors)
    return xp.max(xp.stack(errors))
