"""What a whole PyTorch model with arithmetic layers can do."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from nalm import saving
from nalm.errors import InputError
from nalm.formula import TOLERANCE
from nalm.formula import latex as to_latex
from nalm.networks import Stack
from nalm.torch._layer import Layer
from nalm.units import Unit

if TYPE_CHECKING:
    import sympy


def layers(model: nn.Module) -> Iterator[Layer]:
    """Yield the arithmetic layers of a model, wherever they are in it."""
    if not isinstance(model, nn.Module):
        raise InputError(f"A PyTorch model is a torch.nn.Module; received {type(model).__name__}.")
    return (part for part in model.modules() if isinstance(part, Layer))


def constrain_(model: nn.Module) -> nn.Module:
    """Clamp the weights of every arithmetic layer into their intervals, after an optimiser step."""
    for layer in layers(model):
        layer.constrain_()
    return model


def penalties(model: nn.Module) -> dict[str, Tensor]:
    """Return the regularisers, each summed over the arithmetic layers that have it."""
    terms: dict[str, Tensor] = {}
    for layer in layers(model):
        for name, value in layer.penalties().items():
            terms[name] = terms[name] + value if name in terms else value
    return terms


def sparsity_error(model: nn.Module) -> Tensor:
    """Return the largest sparsity error of an arithmetic layer that has one."""
    found = list(layers(model))
    if not found:
        raise InputError("The model has no arithmetic layer, so no sparsity error.")
    judged = [layer for layer in found if layer.unit.has_sparsity_error] or found
    return torch.stack([layer.sparsity_error() for layer in judged]).max()


def formula(
    model: nn.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: Tensor | None = None,
) -> tuple["sympy.Basic", ...]:
    """Read the composed formula of a layer or of a `Sequential` of layers."""
    stack, params = _stack(model)
    return stack.formula(params, names, tolerance=tolerance, x=x)


def latex(
    model: nn.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: Tensor | None = None,
) -> tuple[str, ...]:
    """Return the composed formulas as LaTeX."""
    return tuple(to_latex(e) for e in formula(model, names, tolerance=tolerance, x=x))


def save(model: nn.Module, path: str | os.PathLike[str]) -> None:
    """Write a layer or a `Sequential` of layers to a file that every face of nalm can load."""
    stack, params = _stack(model)
    if len(stack.layers) == 1:
        saving.save(path, stack.layers[0], params[0])
    else:
        saving.save(path, stack, params)


def load(path: str | os.PathLike[str]) -> nn.Module:
    """Read a model file: a `Layer`, or a `Sequential` of them."""
    model, params = saving.load(path)
    result = module(model)
    per_layer = [params] if isinstance(model, Unit) else params
    for layer, p in zip(layers(result), per_layer, strict=True):
        dtypes = {torch.as_tensor(value).dtype for value in p.values()}
        layer.to(dtypes.pop() if len(dtypes) == 1 else torch.float64)
        layer.load_state_dict({name: torch.as_tensor(value) for name, value in p.items()})
    return result


def module(model: Unit | Stack) -> nn.Module:
    """Return a unit as a `Layer`, a stack as a `Sequential` of layers."""
    if isinstance(model, Stack):
        return nn.Sequential(*(Layer(unit) for unit in model.layers))
    return Layer(model)


def _stack(model: nn.Module) -> tuple[Stack, tuple[dict[str, Any], ...]]:
    parts = _parts(model)
    if not parts:
        raise InputError("The model has no arithmetic layer.")
    return Stack(tuple(part.unit for part in parts)), tuple(part.numbers() for part in parts)


def _parts(model: nn.Module) -> list[Layer]:
    """Return the layers of a model that is nothing but layers one after the other."""
    model = getattr(model, "_orig_mod", model)  # what torch.compile wraps
    if isinstance(model, Layer):
        return [model]
    if isinstance(model, nn.Sequential):
        return [layer for part in model for layer in _parts(part)]
    if isinstance(model, nn.Identity):
        return []
    raise InputError(
        "Reading and saving take a layer of nalm.torch or a Sequential of them; "
        f"received {type(model).__name__}. Pass the arithmetic part of the model."
    )
