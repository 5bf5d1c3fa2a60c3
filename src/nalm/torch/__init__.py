"""Every unit as a `torch.nn.Module`, under the name of its class: `nalm.torch.NMU(3, 2)`.

The classes are made from the registry on first use; all of them are `Layer`s.
"""

from collections.abc import Callable
from types import FunctionType

from nalm.networks import layer as layers_of_units
from nalm.networks.layer import CLASSES, registered_class
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
from nalm.units import Unit, unit

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


def __getattr__(name: str) -> Callable[..., Layer]:
    globals()[name] = layer_class(registered_class(__name__, name))
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *CLASSES])


def layer_class(cls: type[Unit]) -> type[Layer]:
    """Return the layer class of a unit class: same name, same arguments."""

    def __init__(self, in_features, out_features, *, device=None, dtype=None, **options):
        Layer.__init__(self, unit(cls.name, in_features, out_features, **options))
        self.to(device=device, dtype=dtype)

    # torch.compile counts recompilations per code object, so each class needs its own.
    forward = FunctionType(Layer.forward.__code__.replace(), Layer.forward.__globals__, "forward")
    arguments = {"device": None, "dtype": None}
    return layers_of_units.layer_class(Layer, cls, __name__, __init__, arguments, forward=forward)
