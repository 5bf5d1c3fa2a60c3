"""What a whole PyTorch model with arithmetic layers can do."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from nalm.errors import InputError
from nalm.formula import TOLERANCE
from nalm.formula import latex as to_latex
from nalm.networks import Stack, saving
from nalm.networks.parts import penalties_of, sparsity_error_of, units_of
from nalm.torch._layer import Layer
from nalm.torch._parts import check_module, parts_of, the_part
from nalm.units import Unit
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy


def layers(model: nn.Module) -> Iterator[Layer]:
    """Yield the arithmetic layers of a model, wherever they are in it.

    Examples
    --------
    >>> import nalm, torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(8, 3), nalm.torch.NMU(3, 1))
    >>> list(layers(net))
    [NMU(3, 1, clamp='stored')]
    """
    check_module(model)
    return (part for part in model.modules() if isinstance(part, Layer))


def constrain_(model: nn.Module) -> nn.Module:
    """Clamp the weights of every arithmetic layer into their intervals, in place.

    Call it after each optimizer step.

    Examples
    --------
    >>> import nalm, torch
    >>> net = nalm.torch.NMU(2, 1)
    >>> _ = torch.nn.init.constant_(net.weight, 1.5)
    >>> constrain_(net).weight.tolist()
    [[1.0, 1.0]]
    """
    for layer in layers(model):
        layer.constrain_()
    return model


def penalties(model: nn.Module) -> Penalties:
    """Return the penalties, each summed over the arithmetic layers that have it.

    Returns
    -------
    Penalties
        A dictionary of unscaled, differentiable numbers. A penalty that only other units have is
        zero, so that units can be swapped; a name that no unit has is an error.

    Examples
    --------
    >>> import nalm
    >>> found = penalties(nalm.torch.NMU(2, 1).exact_("mul"))
    >>> found["discretise"].item(), found["saturate"].item()
    (0.0, 0.0)
    """
    return penalties_of(layers(model), torch.zeros(()))


def sparsity_error(model: nn.Module) -> Tensor:
    """Return the largest sparsity error of an arithmetic layer that has one.

    Examples
    --------
    >>> import nalm
    >>> sparsity_error(nalm.torch.NMU(2, 1).exact_("mul")).item()
    0.0
    """
    return sparsity_error_of(layers(model))


def formula(
    model: nn.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: Tensor | None = None,
) -> tuple["sympy.Basic", ...]:
    """Read the composed formula of the arithmetic part of a model.

    Parameters
    ----------
    model
        A layer, a `Sequential` of layers, or a model with other modules before and after its
        arithmetic layers. If other modules are between them as well, use `formulas`.
    names
        A name per input of the arithmetic part. If absent: `x1, x2, …` if the model consists of
        arithmetic layers only, and `h1, h2, …` for the inputs of the part if it does not.
    tolerance
        How far a weight may be from its discrete value.
    x
        Sample inputs of the arithmetic part, for gates that depend on them.

    Returns
    -------
    tuple
        One sympy expression per output of the arithmetic part.

    Examples
    --------
    >>> import nalm, torch
    >>> formula(nalm.torch.NMU(2, 1).exact_("mul"), ["a", "b"])
    (a*b,)
    >>> head = nalm.torch.NMU(3, 1).exact_("mul")
    >>> formula(torch.nn.Sequential(torch.nn.Linear(8, 3), head))
    (h1*h2,)
    """
    return the_part(model).formula(names, tolerance=tolerance, x=x)


def formulas(
    model: nn.Module, *, tolerance: float = TOLERANCE
) -> dict[str, tuple["sympy.Basic", ...]]:
    """Read the formula of each arithmetic part of a model.

    Returns
    -------
    dict
        The formulas of each part in terms of its own inputs `h1, h2, …`, by the module path of its
        first layer.

    Examples
    --------
    >>> import nalm, torch
    >>> net = torch.nn.Sequential(
    ...     nalm.torch.NAU(2, 2).exact_("add"), torch.nn.ReLU(), nalm.torch.NMU(2, 1).exact_("mul")
    ... )
    >>> formulas(net)
    {'0': (h1 + h2, h1 + h2), '2': (h1*h2,)}
    """
    return {part.path: part.formula(tolerance=tolerance) for part in parts_of(model)}


def latex(
    model: nn.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: Tensor | None = None,
) -> tuple[str, ...]:
    r"""Return the composed formulas as LaTeX; the parameters are those of `formula`.

    Examples
    --------
    >>> import nalm
    >>> print(*latex(nalm.torch.NRU(2, 1).exact_("div"), ["a", "b"]))
    \frac{a}{b}
    """
    return tuple(to_latex(e) for e in formula(model, names, tolerance=tolerance, x=x))


def save(model: nn.Module, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write the arithmetic part of a model to a file, which `nalm.load` reads as well.

    Parameters
    ----------
    model
        A model with one arithmetic part, as for `formula`. Other modules are not written: keep
        them with `torch.save(model.state_dict(), ...)`.
    path
        The file.

    Returns
    -------
    tuple
        The module paths of the layers that were written.

    Examples
    --------
    >>> import nalm, pathlib, tempfile, torch
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "head.safetensors"
    >>> save(torch.nn.Sequential(torch.nn.Linear(8, 3), nalm.torch.NMU(3, 1)), file)
    ('1',)
    >>> load(file)
    NMU(3, 1, clamp='stored')
    """
    if not isinstance(model, nn.Module) and isinstance(path, nn.Module):
        raise InputError("save takes the model first: nalm.torch.save(model, path).")
    return the_part(model).save(path)


def load(path: str | os.PathLike[str], *, custom: Sequence[type[Unit]] = ()) -> nn.Module:
    """Read a model file that `nalm.save` or `nalm.torch.save` wrote.

    Parameters
    ----------
    path
        The file.
    custom
        The classes of custom units in it.

    Returns
    -------
    torch.nn.Module
        A `Layer`, or a `Sequential` of layers.

    Examples
    --------
    >>> import nalm, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "difference.safetensors"
    >>> _ = save(nalm.torch.NAU(2, 1).exact_("sub"), file)
    >>> load(file).formula(["a", "b"])
    (a - b,)
    """
    return module(*saving.load(path, custom=custom))


def module(model: Unit | Stack, params: Any = None) -> nn.Module:
    """Return a unit as a `Layer`, a stack as a `Sequential` of layers.

    Parameters
    ----------
    model
        The unit or the stack.
    params
        Its parameters; drawn at random if absent.

    Returns
    -------
    torch.nn.Module
        The layers, each in the dtype of its parameters if these are given.

    Examples
    --------
    >>> import nalm
    >>> module(nalm.unit("nmu", 2, 1))
    NMU(2, 1, clamp='stored')
    """
    made = [_layer(unit, p) for unit, p in units_of(model, params)]
    return nn.Sequential(*made) if isinstance(model, Stack) else made[0]


def _layer(unit: Unit, params: Any) -> Layer:
    layer = Layer(unit)
    if params is None:
        return layer
    tensors = {name: torch.as_tensor(value) for name, value in params.items()}
    dtypes = {tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()}
    if dtypes:
        layer.to(dtypes.pop() if len(dtypes) == 1 else torch.float64)
    layer.load_state_dict(tensors)
    return layer
