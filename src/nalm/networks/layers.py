"""A unit or a stack as layers, and their parameters as one flat dictionary."""

from collections.abc import Mapping
from typing import Any

from nalm.networks.stack import Stack
from nalm.units import Parameter, Unit

Model = Unit | Stack


def layers(model: Model) -> dict[str, Unit]:
    """Return the units of a model by the prefix of their parameters: none for a single unit."""
    if isinstance(model, Unit):
        return {"": model}
    return {f"{i}.": layer for i, layer in enumerate(model.layers)}


def parameters(model: Model) -> dict[str, Parameter]:
    """Return the parameters of all layers under their prefixed names.

    >>> import nalm
    >>> list(parameters(nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))))
    ['0.weight', '1.weight']
    """
    return {
        prefix + name: parameter
        for prefix, layer in layers(model).items()
        for name, parameter in layer.parameters.items()
    }


def flatten(model: Model, params: Any) -> dict[str, Any]:
    """Return the parameters of a unit or a stack under their prefixed names."""
    per_layer = [params] if isinstance(model, Unit) else params
    return {
        prefix + name: value
        for prefix, p in zip(layers(model), per_layer, strict=True)
        for name, value in p.items()
    }


def unflatten(model: Model, flat: Mapping[str, Any]) -> Any:
    """Return parameters as the model takes them: a dictionary, or one per layer of a stack."""
    per_layer = tuple(
        {name: flat[prefix + name] for name in layer.parameters}
        for prefix, layer in layers(model).items()
    )
    return per_layer[0] if isinstance(model, Unit) else per_layer


def has_sparsity_error(model: Model) -> bool:
    """Tell whether a layer of the model has a sparsity error."""
    return any(layer.has_sparsity_error for layer in layers(model).values())


def title(model: Model) -> str:
    """Return the names of the layers, joined: `nau-nmu`."""
    return "-".join(layer.name for layer in layers(model).values())
