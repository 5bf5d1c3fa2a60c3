"""The unit at the end of a network, as layers of `nalm.torch`."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nalm.errors import InputError
from nalm.networks.layers import flatten, layers
from nalm.torch import Layer, module
from nalm.torch import layers as torch_layers
from nalm.units import Unit

LARGEST = 64
"""The most weights of a unit whose way is kept, evaluation by evaluation."""


def head_of(model: Any, given: str | None = None) -> nn.Module:
    """Return a unit or stack as layers; with the exact weights of an operation, if it is given."""
    head = module(model)
    if given is not None:
        if not isinstance(head, Layer):
            raise InputError(f"A unit that is given is a single one; received {model!r}.")
        head.exact_(given).requires_grad_(False)
    return head


def parameters_of(model: Any, head: nn.Module) -> dict[str, np.ndarray]:
    """Return the parameters of a head as runs have them."""
    each = [layer.numbers() for layer in torch_layers(head)]
    params = each[0] if isinstance(model, Unit) else each
    return {name: np.array(value) for name, value in flatten(model, params).items()}


def weights_of(model: Any, head: nn.Module) -> dict[str, np.ndarray]:
    """Return the effective weights of a head, if they are few."""
    with torch.no_grad():
        found = {
            prefix + name: weight.cpu().numpy().astype(np.float32)
            for prefix, layer in zip(layers(model), torch_layers(head), strict=True)
            for name, weight in layer.effective().items()
        }
    return found if sum(weight.size for weight in found.values()) <= LARGEST else {}


def sparsity_of(head: nn.Module) -> float:
    """Return the largest sparsity error of a head; NaN if it has none."""
    judged = [layer for layer in torch_layers(head) if layer.unit.has_sparsity_error]
    with torch.no_grad():
        return max((float(layer.sparsity_error()) for layer in judged), default=float("nan"))


def penalties_of(head: nn.Module, values: Tensor | None) -> dict[str, Tensor]:
    """Return the penalties of a head, each summed over its layers; the first sees the digits."""
    found: dict[str, Tensor] = {}
    for i, layer in enumerate(torch_layers(head)):
        for name, value in layer.penalties(values if i == 0 else None).items():
            found[name] = found[name] + value if name in found else value
    return found
