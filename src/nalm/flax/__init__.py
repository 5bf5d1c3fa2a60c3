"""Every unit as a `flax.nnx.Module`, under the name of its class: `nalm.flax.NMU(3, 2, rngs=rngs)`.

The classes are made from the registry on first use; all of them are `Layer`s.
"""

from collections.abc import Callable

from nalm._internal.extras import needs
from nalm.networks import layer as _layers_of_units
from nalm.networks.layer import CLASSES, registered_class
from nalm.units import Unit, unit

with needs("flax", "Flax", "nalm.flax"):
    from nalm.flax._layer import Layer as Layer
    from nalm.flax._model import constrain_ as constrain_
    from nalm.flax._model import formula as formula
    from nalm.flax._model import formulas as formulas
    from nalm.flax._model import latex as latex
    from nalm.flax._model import layers as layers
    from nalm.flax._model import load as load
    from nalm.flax._model import module as module
    from nalm.flax._model import penalties as penalties
    from nalm.flax._model import save as save
    from nalm.flax._model import sparsity_error as sparsity_error

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

    def __init__(self, in_features, out_features, *, rngs, dtype=None, **options):
        made = unit(cls.name, in_features, out_features, **options)
        Layer.__init__(self, made, rngs=rngs, dtype=dtype)

    arguments = {"rngs": _layers_of_units.REQUIRED, "dtype": None}
    return _layers_of_units.layer_class(Layer, cls, __name__, __init__, arguments)
