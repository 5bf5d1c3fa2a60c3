"""What a whole Keras model with arithmetic layers can do."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from nalm._internal.ops import to_numpy
from nalm.errors import InputError
from nalm.formula import TOLERANCE
from nalm.formula import latex as to_latex
from nalm.keras._backend import namespace
from nalm.keras._layer import Layer
from nalm.networks import Stack, saving
from nalm.networks.parts import parts_of, penalties_of, sparsity_error_of, the_part, units_of
from nalm.units import Unit
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy


def layers(model: keras.layers.Layer) -> Iterator[Layer]:
    """Yield the arithmetic layers of a model, wherever they are in it.

    Examples
    --------
    >>> import keras, nalm
    >>> net = keras.Sequential([keras.layers.Dense(3), nalm.keras.NMU(3, 1)])
    >>> list(layers(net))
    [NMU(3, 1, clamp='stored')]
    """
    _check(model)
    return (part for part in _flat(model) if isinstance(part, Layer))


def constrain_(model: keras.layers.Layer) -> keras.layers.Layer:
    """Clamp the weights of every arithmetic layer into their intervals, in place.

    `fit` does so by itself; call it after each optimizer step of a training loop of your own.

    Examples
    --------
    >>> import nalm
    >>> net = nalm.keras.NMU(2, 1)
    >>> _ = net.params["weight"].assign([[1.5, 1.2]])
    >>> constrain_(net).numbers()["weight"].tolist()
    [[1.0, 1.0]]
    """
    for layer in layers(model):
        layer.constrain_()
    return model


def penalties(model: keras.layers.Layer) -> Penalties:
    """Return the penalties, each summed over the arithmetic layers that have it.

    Returns
    -------
    Penalties
        A dictionary of unscaled, differentiable numbers. A penalty that only other units have is
        zero, so that units can be swapped; a name that no unit has is an error.

    Examples
    --------
    >>> import nalm
    >>> found = penalties(nalm.keras.NMU(2, 1).exact_("mul"))
    >>> found["discretise"].item(), found["saturate"].item()
    (0.0, 0.0)
    """
    return penalties_of(layers(model), namespace().zeros(()))


def sparsity_error(model: keras.layers.Layer) -> Any:
    """Return the largest sparsity error of an arithmetic layer that has one.

    Examples
    --------
    >>> import nalm
    >>> sparsity_error(nalm.keras.NMU(2, 1).exact_("mul")).item()
    0.0
    """
    return sparsity_error_of(layers(model))


def formula(
    model: keras.layers.Layer,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: Any | None = None,
) -> tuple["sympy.Basic", ...]:
    """Read the composed formula of the arithmetic part of a model.

    Parameters
    ----------
    model
        A layer, a `keras.Sequential` or a functional model in which layers follow each other, or a
        model with other modules before and after its arithmetic layers. If other modules are
        between them as well, use `formulas`.
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
    >>> formula(nalm.keras.NMU(2, 1).exact_("mul"), ["a", "b"])
    (a*b,)
    """
    return _the_part(model).formula(names, tolerance=tolerance, x=x)


def formulas(
    model: keras.layers.Layer, *, tolerance: float = TOLERANCE
) -> dict[str, tuple["sympy.Basic", ...]]:
    """Read the formula of each arithmetic part of a model.

    Returns
    -------
    dict
        The formulas of each part in terms of its own inputs `h1, h2, …`, by the path of its first
        layer.

    Examples
    --------
    >>> import keras, nalm
    >>> first = nalm.keras.NAU(2, 2, name="sum").exact_("add")
    >>> last = nalm.keras.NMU(2, 1, name="product").exact_("mul")
    >>> formulas(keras.Sequential([first, keras.layers.ReLU(), last]))
    {'sum': (h1 + h2, h1 + h2), 'product': (h1*h2,)}
    """
    _check(model)
    found = parts_of(_walk(model, ""))
    return {part.path: part.formula(tolerance=tolerance) for part in found}


def latex(
    model: keras.layers.Layer,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: Any | None = None,
) -> tuple[str, ...]:
    r"""Return the composed formulas as LaTeX; the parameters are those of `formula`.

    Examples
    --------
    >>> import nalm
    >>> print(*latex(nalm.keras.NRU(2, 1).exact_("div"), ["a", "b"]))
    \frac{a}{b}
    """
    return tuple(to_latex(e) for e in formula(model, names, tolerance=tolerance, x=x))


def save(model: keras.layers.Layer, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write the arithmetic part of a model to a file, which `nalm.load` reads as well.

    Parameters
    ----------
    model
        A model with one arithmetic part, as for `formula`. Other modules are not written: keep
        them with `model.save`, which keeps the whole model.
    path
        The file.

    Returns
    -------
    tuple
        The paths of the layers that were written.

    Examples
    --------
    >>> import keras, nalm, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "head.safetensors"
    >>> net = keras.Sequential([keras.layers.Dense(3), nalm.keras.NMU(3, 1, name="head")])
    >>> save(net, file)
    ('head',)
    >>> load(file)
    NMU(3, 1, clamp='stored')
    """
    return _the_part(model).save(path)


def load(path: str | os.PathLike[str], *, custom: Sequence[type[Unit]] = ()) -> keras.layers.Layer:
    """Read a model file that `save` of nalm or of one of its frameworks wrote.

    Parameters
    ----------
    path
        The file.
    custom
        The classes of custom units in it.

    Returns
    -------
    keras.layers.Layer
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


def module(model: Unit | Stack, params: Any = None) -> keras.layers.Layer:
    """Return a unit as a `Layer`, a stack as a `Sequential` of layers.

    Parameters
    ----------
    model
        The unit or the stack.
    params
        Its parameters; drawn at random if absent.

    Returns
    -------
    keras.layers.Layer
        The layers, each in the dtype of its parameters if these are given; half precision becomes
        float32.

    Examples
    --------
    >>> import nalm
    >>> module(nalm.unit("nmu", 2, 1))
    NMU(2, 1, clamp='stored')
    """
    made = [_layer(unit, p) for unit, p in units_of(model, params)]
    return keras.Sequential(made) if isinstance(model, Stack) else made[0]


def _layer(unit: Unit, params: Any) -> Layer:
    if params is None:
        return Layer(unit)
    numbers = {name: to_numpy(value) for name, value in params.items()}
    widest = np.result_type(*numbers.values())
    usable = namespace().asarray(np.zeros(1, widest)).dtype  # JAX may have 32 bits only
    dtype = keras.backend.standardize_dtype(usable) if widest.kind == "f" else None
    return Layer(unit, dtype=dtype)._set(numbers)


def _check(model: object) -> None:
    if not isinstance(model, keras.layers.Layer):
        raise InputError(
            f"A Keras model is a keras.Model or a layer; received {type(model).__name__}."
        )


def _flat(model: Any) -> list[Any]:
    return list(model._flatten_layers())


def _the_part(model: keras.layers.Layer) -> Any:
    _check(model)
    return the_part(_walk(model, ""), "nalm.keras", _access)


def _access(path: str) -> str:
    return "model" + "".join(f".get_layer({name!r})" for name in path.split("/"))


def _walk(model: Any, path: str) -> Iterator[tuple[str, Layer] | None]:
    """Yield the layers with their paths; None where something else is between them."""
    if isinstance(model, Layer):
        yield path or model.name, model
    elif (chain := _chain(model)) is not None:
        for child in chain:
            yield from _walk(child, f"{path}/{child.name}".lstrip("/"))
    elif not isinstance(model, keras.layers.Identity | keras.layers.InputLayer):
        yield None
        for child in _children(model):
            yield from _walk(child, f"{path}/{child.name}".lstrip("/"))
            yield None


def _chain(model: Any) -> list[Any] | None:
    """Return the operations of a model if each is applied to the output of the one before."""
    if isinstance(model, keras.Sequential):
        return model.layers
    nodes_by_depth = getattr(model, "_nodes_by_depth", {})  # those of a functional model
    levels = [nodes_by_depth[depth] for depth in sorted(nodes_by_depth, reverse=True)]
    linear = all(len(nodes) == 1 and len(nodes[0].parent_nodes) <= 1 for nodes in levels)
    return [nodes[0].operation for nodes in levels] if levels and linear else None


def _children(model: Any) -> list[Any]:
    if not isinstance(model, keras.layers.Layer):
        return []
    return list(model._flatten_layers(include_self=False, recursive=False))
