"""Every unit as a `torch.nn.Module`, under the name of its class: `nalm.torch.NMU(3, 2)`.

The classes are made from the registry on first use; all of them are `Layer`s.
"""

import functools
import inspect
from collections.abc import Callable
from types import FunctionType

from nalm.torch._layer import Layer as Layer
from nalm.torch._model import constrain_ as constrain_
from nalm.torch._model import formula as formula
from nalm.torch._model import layers as layers
from nalm.torch._model import load as load
from nalm.torch._model import module as module
from nalm.torch._model import penalties as penalties
from nalm.torch._model import save as save
from nalm.torch._model import sparsity_error as sparsity_error
from nalm.units import REGISTRY, Unit, unit

__all__ = [
    "Layer",
    "constrain_",
    "formula",
    "layers",
    "load",
    "module",
    "penalties",
    "save",
    "sparsity_error",
]

_UNITS = {cls.__name__: cls for cls in REGISTRY.values()}


def __getattr__(name: str) -> Callable[..., Layer]:
    if name not in _UNITS:
        raise AttributeError(f"module 'nalm.torch' has no attribute {name!r}")
    globals()[name] = layer_class(_UNITS[name])
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *_UNITS])


def layer_class(cls: type[Unit]) -> type[Layer]:
    """Return the layer class of a unit class: same name, same arguments."""

    @functools.wraps(cls.__init__)
    def __init__(self, in_features, out_features, **options):
        Layer.__init__(self, unit(cls.name, in_features, out_features, **options))

    # torch.compile counts recompilations per code object, so each class needs its own.
    forward = FunctionType(Layer.forward.__code__.replace(), Layer.forward.__globals__, "forward")
    doc = f"{inspect.getdoc(cls)}\n\nThe PyTorch layer of `{cls.__module__}`."
    members = {"__init__": __init__, "forward": forward, "__doc__": doc, "__module__": __name__}
    return type(cls.__name__, (Layer,), members)
