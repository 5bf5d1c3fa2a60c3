"""What a whole Flax model with arithmetic layers can do."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from flax import nnx

from nalm.errors import InputError
from nalm.flax._layer import Layer
from nalm.formula import TOLERANCE
from nalm.formula import latex as to_latex
from nalm.networks import Stack, saving
from nalm.networks.layer import jax_dtype
from nalm.networks.parts import parts_of, penalties_of, sparsity_error_of, the_part, units_of
from nalm.units import Unit
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy


def layers(model: nnx.Module) -> Iterator[Layer]:
    """Yield the arithmetic layers of a model, wherever they are in it.

    Examples
    --------
    >>> import nalm
    >>> from flax import nnx
    >>> rngs = nnx.Rngs(0)
    >>> net = nnx.Sequential(nnx.Linear(8, 3, rngs=rngs), nalm.flax.NMU(3, 1, rngs=rngs))
    >>> list(layers(net))
    [NMU(3, 1, clamp='stored')]
    """
    _check(model)
    return (part for _, part in nnx.iter_modules(model) if isinstance(part, Layer))


def constrain_(model: nnx.Module) -> nnx.Module:
    """Clamp the weights of every arithmetic layer into their intervals, in place.

    Call it after each optimizer step, also inside of `nnx.jit`.

    Examples
    --------
    >>> import nalm
    >>> from flax import nnx
    >>> net = nalm.flax.NMU(2, 1, rngs=nnx.Rngs(0))
    >>> net.weight[...] = net.weight[...] + 1
    >>> constrain_(net).weight[...].tolist()
    [[1.0, 1.0]]
    """
    for layer in layers(model):
        layer.constrain_()
    return model


def penalties(model: nnx.Module) -> Penalties:
    """Return the penalties, each summed over the arithmetic layers that have it.

    Returns
    -------
    Penalties
        A dictionary of unscaled, differentiable numbers. A penalty that only other units have is
        zero, so that units can be swapped; a name that no unit has is an error.

    Examples
    --------
    >>> import nalm
    >>> from flax import nnx
    >>> found = penalties(nalm.flax.NMU(2, 1, rngs=nnx.Rngs(0)).exact_("mul"))
    >>> float(found["discretise"]), float(found["saturate"])
    (0.0, 0.0)
    """
    return penalties_of(layers(model), jnp.zeros(()))


def sparsity_error(model: nnx.Module) -> jax.Array:
    """Return the largest sparsity error of an arithmetic layer that has one.

    Examples
    --------
    >>> import nalm
    >>> from flax import nnx
    >>> float(sparsity_error(nalm.flax.NMU(2, 1, rngs=nnx.Rngs(0)).exact_("mul")))
    0.0
    """
    return sparsity_error_of(layers(model))


def formula(
    model: nnx.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: jax.Array | None = None,
) -> tuple["sympy.Basic", ...]:
    """Read the composed formula of the arithmetic part of a model.

    Parameters
    ----------
    model
        A layer, an `nnx.Sequential` of layers, or a model with other modules before and after its
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
    >>> import nalm
    >>> from flax import nnx
    >>> formula(nalm.flax.NMU(2, 1, rngs=nnx.Rngs(0)).exact_("mul"), ["a", "b"])
    (a*b,)
    """
    return _the_part(model).formula(names, tolerance=tolerance, x=x)


def formulas(
    model: nnx.Module, *, tolerance: float = TOLERANCE
) -> dict[str, tuple["sympy.Basic", ...]]:
    """Read the formula of each arithmetic part of a model.

    Returns
    -------
    dict
        The formulas of each part in terms of its own inputs `h1, h2, …`, by the path of its first
        layer.

    Examples
    --------
    >>> import nalm
    >>> from flax import nnx
    >>> rngs = nnx.Rngs(0)
    >>> first = nalm.flax.NAU(2, 2, rngs=rngs).exact_("add")
    >>> last = nalm.flax.NMU(2, 1, rngs=rngs).exact_("mul")
    >>> formulas(nnx.Sequential(first, nnx.relu, last))
    {'layers[0]': (h1 + h2, h1 + h2), 'layers[2]': (h1*h2,)}
    """
    _check(model)
    found = parts_of(_walk(model, ""))
    return {part.path: part.formula(tolerance=tolerance) for part in found}


def latex(
    model: nnx.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: jax.Array | None = None,
) -> tuple[str, ...]:
    r"""Return the composed formulas as LaTeX; the parameters are those of `formula`.

    Examples
    --------
    >>> import nalm
    >>> from flax import nnx
    >>> print(*latex(nalm.flax.NRU(2, 1, rngs=nnx.Rngs(0)).exact_("div"), ["a", "b"]))
    \frac{a}{b}
    """
    return tuple(to_latex(e) for e in formula(model, names, tolerance=tolerance, x=x))


def save(model: nnx.Module, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write the arithmetic part of a model to a file, which `nalm.load` reads as well.

    Parameters
    ----------
    model
        A model with one arithmetic part, as for `formula`. Other modules are not written: keep
        them with Orbax.
    path
        The file.

    Returns
    -------
    tuple
        The paths of the layers that were written.

    Examples
    --------
    >>> import nalm, pathlib, tempfile
    >>> from flax import nnx
    >>> rngs, file = nnx.Rngs(0), pathlib.Path(tempfile.mkdtemp()) / "head.safetensors"
    >>> net = nnx.Sequential(nnx.Linear(8, 3, rngs=rngs), nalm.flax.NMU(3, 1, rngs=rngs))
    >>> save(net, file)
    ('layers[1]',)
    >>> load(file)
    NMU(3, 1, clamp='stored')
    """
    return _the_part(model).save(path)


def load(path: str | os.PathLike[str], *, custom: Sequence[type[Unit]] = ()) -> nnx.Module:
    """Read a model file that `save` of nalm or of one of its frameworks wrote.

    Parameters
    ----------
    path
        The file.
    custom
        The classes of custom units in it.

    Returns
    -------
    flax.nnx.Module
        A `Layer`, or a `Sequential` of layers.

    Examples
    --------
    >>> import nalm, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "difference.safetensors"
    >>> unit = nalm.unit("nau", 2, 1)
    >>> nalm.save(unit, file, unit.exact("sub"))
    >>> load(file).formula(["a", "b"])
    (a - b,)
    """
    return module(*saving.load(path, custom=custom))


def module(model: Unit | Stack, params: Any = None, *, rngs: nnx.Rngs | None = None) -> nnx.Module:
    """Return a unit as a `Layer`, a stack as a `Sequential` of layers.

    Parameters
    ----------
    model
        The unit or the stack.
    params
        Its parameters; drawn at random if absent.
    rngs
        Where parameters and noise are drawn from; `nnx.Rngs(0)` if absent.

    Returns
    -------
    flax.nnx.Module
        The layers, each in the dtype of its parameters if these are given.

    Examples
    --------
    >>> import nalm
    >>> module(nalm.unit("nmu", 2, 1))
    NMU(2, 1, clamp='stored')
    """
    rngs = nnx.Rngs(0) if rngs is None else rngs
    made = [
        Layer(unit, rngs=rngs) if p is None else Layer(unit, rngs=rngs, dtype=jax_dtype(p))._set(p)
        for unit, p in units_of(model, params)
    ]
    return nnx.Sequential(*made) if isinstance(model, Stack) else made[0]


def _check(model: object) -> None:
    if not isinstance(model, nnx.Module):
        raise InputError(f"A Flax model is a flax.nnx.Module; received {type(model).__name__}.")


def _the_part(model: nnx.Module) -> Any:
    _check(model)
    return the_part(_walk(model, ""), "nalm.flax")


def _walk(model: Any, path: str) -> Iterator[tuple[str, Layer] | None]:
    """Yield the layers with their paths; None where something else is between them."""
    if isinstance(model, Layer):
        yield path, model
    elif isinstance(model, nnx.Sequential):
        for i, child in enumerate(model.layers):
            yield from _walk(child, f"{path}.layers[{i}]".lstrip("."))
    else:
        yield None
        children = nnx.iter_children(model) if isinstance(model, nnx.Pytree) else ()
        for name, child in children:
            step = f"[{name}]" if isinstance(name, int) else f".{name}"
            yield from _walk(child, f"{path}{step}".lstrip("."))
            yield None
