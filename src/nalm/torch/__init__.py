"""Every unit as a `torch.nn.Module`, under the name of its class: `nalm.torch.NMU(3, 2)`.

The classes are made from the registry on first use; all of them are `Layer`s.
"""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from types import FunctionType

from nalm.torch._layer import Layer as Layer
from nalm.torch._model import constrain_ as constrain_
from nalm.torch._model import formula as formula
from nalm.torch._model import formulas as formulas
from nalm.torch._model import latex as latex
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
    "formulas",
    "latex",
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
        near = get_close_matches(name, _UNITS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'nalm.torch' has no attribute {name!r}.{hint}")
    globals()[name] = layer_class(_UNITS[name])
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *_UNITS])


def layer_class(cls: type[Unit]) -> type[Layer]:
    """Return the layer class of a unit class: same name, same arguments."""

    def __init__(self, in_features, out_features, *, device=None, dtype=None, **options):
        Layer.__init__(self, unit(cls.name, in_features, out_features, **options))
        self.to(device=device, dtype=dtype)

    # torch.compile counts recompilations per code object, so each class needs its own.
    forward = FunctionType(Layer.forward.__code__.replace(), Layer.forward.__globals__, "forward")
    doc = f"{inspect.getdoc(cls)}\n\nThe PyTorch layer of `{cls.__module__}`."
    keyword = inspect.Parameter.KEYWORD_ONLY
    declared = list(inspect.signature(cls).parameters.values())
    arguments = [
        *declared[:2],
        *(option.replace(kind=keyword) for option in declared[2:]),
        *(inspect.Parameter(name, keyword, default=None) for name in ("device", "dtype")),
    ]
    members = {
        "__init__": __init__,
        "forward": forward,
        "__doc__": doc,
        "__module__": __name__,
        "__signature__": inspect.Signature(arguments),
    }
    return type(cls.__name__, (Layer,), members)
