"""Every unit as a `keras.layers.Layer`, under the name of its class: `nalm.keras.NMU(3, 2)`.

Keras 3 runs on JAX or PyTorch here: set `KERAS_BACKEND` to `jax` or `torch` before it is imported.
The classes are made from the registry, so that model files of Keras find them; all are `Layer`s.
"""

from collections.abc import Callable

from nalm._internal.extras import needs
from nalm.keras._backend import check_backend
from nalm.networks import layer as _layers_of_units
from nalm.networks.layer import CLASSES, registered_class
from nalm.units import Unit, unit

with needs("keras", "Keras", "nalm.keras"):
    check_backend()
    from nalm.keras._layer import Layer as Layer
    from nalm.keras._layer import in_model_files
    from nalm.keras._model import constrain_ as constrain_
    from nalm.keras._model import formula as formula
    from nalm.keras._model import formulas as formulas
    from nalm.keras._model import latex as latex
    from nalm.keras._model import layers as layers
    from nalm.keras._model import load as load
    from nalm.keras._model import module as module
    from nalm.keras._model import penalties as penalties
    from nalm.keras._model import save as save
    from nalm.keras._model import sparsity_error as sparsity_error

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
    registered_class(__name__, name)  # refuses what is no unit
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *CLASSES])


def layer_class(cls: type[Unit]) -> type[Layer]:
    """Return the layer class of a unit class: same name, same arguments."""
    arguments = {"scales": None, "seed": None, "dtype": None, "name": None, "trainable": True}

    def __init__(self, in_features, out_features, **options):
        own = {name: options.pop(name, default) for name, default in arguments.items()}
        Layer.__init__(self, unit(cls.name, in_features, out_features, **options), **own)

    made = _layers_of_units.layer_class(Layer, cls, __name__, __init__, arguments)
    in_model_files(made)
    return made


globals().update({name: layer_class(cls) for name, cls in CLASSES.items()})
