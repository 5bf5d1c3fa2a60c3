"""The arithmetic parts of a PyTorch model: layers of nalm that follow each other directly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from nalm.errors import InputError
from nalm.networks import Stack
from nalm.networks.stack import composed_formula
from nalm.torch._layer import Layer

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Part:
    """Layers that follow each other directly, with their module paths."""

    paths: tuple[str, ...]
    layers: tuple[Layer, ...]
    is_whole: bool
    """Whether the model consists of nothing else."""

    @property
    def path(self) -> str:
        """The module path of the first layer; none if the part is the model."""
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
        self, names: Sequence[Any] | None = None, *, tolerance: float, x: Tensor | None = None
    ) -> tuple["sympy.Basic", ...]:
        """Read its formula; messages name the module path of a layer."""
        titles = [f"Module {path!r}" if path else "The model" for path in self.paths]
        given = self.names if names is None else names
        return composed_formula(self.stack, self.params, titles, given, tolerance=tolerance, x=x)

    def __str__(self) -> str:
        units = ", ".join(type(layer.unit).__name__ for layer in self.layers)
        return f"{self.paths[0]!r} ({units})"


def parts_of(model: nn.Module) -> list[Part]:
    """Return the arithmetic parts of a model, in the order of its modules."""
    if not isinstance(model, nn.Module):
        raise InputError(f"A PyTorch model is a torch.nn.Module; received {type(model).__name__}.")
    runs: list[list[tuple[str, Layer]]] = [[]]
    mixed = False
    for step in _walk(model, ""):
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


def the_part(model: nn.Module) -> Part:
    """Return the only arithmetic part of a model."""
    parts = parts_of(model)
    if not parts:
        raise InputError("The model has no arithmetic layer.")
    if len(parts) > 1:
        listed = ", ".join(map(str, parts))
        raise InputError(
            f"The model has {len(parts)} arithmetic parts with other modules between them: "
            f"{listed}. Pass one of them, such as model.get_submodule({parts[0].paths[0]!r}); "
            "nalm.torch.formulas(model) reads all of them."
        )
    return parts[0]


def _walk(model: nn.Module, path: str) -> Iterator[tuple[str, Layer] | None]:
    """Yield the layers with their paths; None where something else is between them."""
    model = getattr(model, "_orig_mod", model)  # what torch.compile wraps
    if isinstance(model, Layer):
        yield path, model
    elif isinstance(model, nn.Sequential):
        for name, child in model.named_children():
            yield from _walk(child, f"{path}.{name}".lstrip("."))
    elif not isinstance(model, nn.Identity):
        yield None
        for name, child in model.named_children():
            yield from _walk(child, f"{path}.{name}".lstrip("."))
            yield None
