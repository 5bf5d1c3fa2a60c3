"""The arithmetic parts of a PyTorch model."""

from collections.abc import Iterator

from torch import nn

from nalm.errors import InputError
from nalm.networks import parts
from nalm.networks.parts import Part
from nalm.torch._layer import Layer


def parts_of(model: nn.Module) -> list[Part]:
    """Return the arithmetic parts of a model, in the order of its modules."""
    check_module(model)
    return parts.parts_of(_walk(model, ""))


def the_part(model: nn.Module) -> Part:
    """Return the only arithmetic part of a model."""
    check_module(model)
    return parts.the_part(_walk(model, ""), "nalm.torch", "model.get_submodule({!r})".format)


def check_module(model: object) -> None:
    """Raise unless a model is one of PyTorch."""
    if not isinstance(model, nn.Module):
        raise InputError(f"A PyTorch model is a torch.nn.Module; received {type(model).__name__}.")


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
