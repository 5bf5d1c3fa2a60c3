"""What a whole Equinox model with arithmetic layers can do."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp

from nalm.equinox._layer import Layer
from nalm.errors import InputError
from nalm.formula import TOLERANCE
from nalm.formula import latex as to_latex
from nalm.networks import Stack, saving
from nalm.networks.layer import jax_dtype
from nalm.networks.parts import parts_of, penalties_of, sparsity_error_of, the_part, units_of
from nalm.units import Unit
from nalm.units._penalties import Penalties

if TYPE_CHECKING:
    import sympy


def layers(model: eqx.Module) -> Iterator[Layer]:
    """Yield the arithmetic layers of a model, wherever they are in it.

    Examples
    --------
    >>> import equinox as eqx, jax, nalm
    >>> key = jax.random.key(0)
    >>> list(layers(eqx.nn.Sequential([nalm.equinox.NMU(3, 1, key=key)])))
    [NMU(3, 1, clamp='stored')]
    """
    _check(model)
    return (part for part in jax.tree.leaves(model, is_leaf=_is_layer) if _is_layer(part))


def constrain(model: eqx.Module) -> Any:
    """Return the model with the weights of every arithmetic layer clamped into their intervals.

    Call it after each optimizer step, also inside of `equinox.filter_jit`.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, nalm
    >>> net = nalm.equinox.NMU(2, 1, key=jax.random.key(0)).with_params({"weight": [[1.5, -0.2]]})
    >>> constrain(net).params["weight"].tolist()
    [[1.0, 0.0]]
    """
    _check(model)
    return jax.tree.map(
        lambda part: part.constrain() if _is_layer(part) else part, model, is_leaf=_is_layer
    )


def penalties(model: eqx.Module) -> Penalties:
    """Return the penalties, each summed over the arithmetic layers that have it.

    Returns
    -------
    Penalties
        A dictionary of unscaled, differentiable numbers. A penalty that only other units have is
        zero, so that units can be swapped; a name that no unit has is an error.

    Examples
    --------
    >>> import jax, nalm
    >>> found = penalties(nalm.equinox.NMU(2, 1, key=jax.random.key(0)).exact("mul"))
    >>> float(found["discretise"]), float(found["saturate"])
    (0.0, 0.0)
    """
    return penalties_of(layers(model), jnp.zeros(()))


def sparsity_error(model: eqx.Module) -> jax.Array:
    """Return the largest sparsity error of an arithmetic layer that has one.

    Examples
    --------
    >>> import jax, nalm
    >>> float(sparsity_error(nalm.equinox.NMU(2, 1, key=jax.random.key(0)).exact("mul")))
    0.0
    """
    return sparsity_error_of(layers(model))


def formula(
    model: eqx.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: jax.Array | None = None,
) -> tuple["sympy.Basic", ...]:
    """Read the composed formula of the arithmetic part of a model.

    Parameters
    ----------
    model
        A layer, an `equinox.nn.Sequential` of layers, or a model with other modules before and
        after its arithmetic layers. If other modules are between them as well, use `formulas`.
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
    >>> import jax, nalm
    >>> formula(nalm.equinox.NMU(2, 1, key=jax.random.key(0)).exact("mul"), ["a", "b"])
    (a*b,)
    """
    return _the_part(model).formula(names, tolerance=tolerance, x=x)


def formulas(
    model: eqx.Module, *, tolerance: float = TOLERANCE
) -> dict[str, tuple["sympy.Basic", ...]]:
    """Read the formula of each arithmetic part of a model.

    Returns
    -------
    dict
        The formulas of each part in terms of its own inputs `h1, h2, …`, by the path of its first
        layer.

    Examples
    --------
    >>> import equinox as eqx, jax, nalm
    >>> key = jax.random.key(0)
    >>> first = nalm.equinox.NAU(2, 2, key=key).exact("add")
    >>> last = nalm.equinox.NMU(2, 1, key=key).exact("mul")
    >>> formulas(eqx.nn.Sequential([first, eqx.nn.Lambda(jax.nn.relu), last]))
    {'layers[0]': (h1 + h2, h1 + h2), 'layers[2]': (h1*h2,)}
    """
    _check(model)
    found = parts_of(_walk(model, ""))
    return {part.path: part.formula(tolerance=tolerance) for part in found}


def latex(
    model: eqx.Module,
    names: Sequence[Any] | None = None,
    *,
    tolerance: float = TOLERANCE,
    x: jax.Array | None = None,
) -> tuple[str, ...]:
    r"""Return the composed formulas as LaTeX; the parameters are those of `formula`.

    Examples
    --------
    >>> import jax, nalm
    >>> print(*latex(nalm.equinox.NRU(2, 1, key=jax.random.key(0)).exact("div"), ["a", "b"]))
    \frac{a}{b}
    """
    return tuple(to_latex(e) for e in formula(model, names, tolerance=tolerance, x=x))


def save(model: eqx.Module, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write the arithmetic part of a model to a file, which `nalm.load` reads as well.

    Parameters
    ----------
    model
        A model with one arithmetic part, as for `formula`. Other modules are not written: keep
        them with `equinox.tree_serialise_leaves`.
    path
        The file.

    Returns
    -------
    tuple
        The paths of the layers that were written.

    Examples
    --------
    >>> import equinox as eqx, jax, nalm, pathlib, tempfile
    >>> key, file = jax.random.key(0), pathlib.Path(tempfile.mkdtemp()) / "head.safetensors"
    >>> save(eqx.nn.Sequential([nalm.equinox.NMU(3, 1, key=key)]), file)
    ('layers[0]',)
    >>> load(file)
    NMU(3, 1, clamp='stored')
    """
    return _the_part(model).save(path)


def load(path: str | os.PathLike[str], *, custom: Sequence[type[Unit]] = ()) -> eqx.Module:
    """Read a model file that `save` of nalm or of one of its frameworks wrote.

    Parameters
    ----------
    path
        The file.
    custom
        The classes of custom units in it.

    Returns
    -------
    equinox.Module
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


def module(model: Unit | Stack, params: Any = None, *, key: Any = None) -> eqx.Module:
    """Return a unit as a `Layer`, a stack as a `Sequential` of layers.

    Parameters
    ----------
    model
        The unit or the stack.
    params
        Its parameters; drawn at random if absent.
    key
        The JAX key they are drawn from; `jax.random.key(0)` if absent.

    Returns
    -------
    equinox.Module
        The layers, each in the dtype of its parameters if these are given.

    Examples
    --------
    >>> import nalm
    >>> module(nalm.unit("nmu", 2, 1))
    NMU(2, 1, clamp='stored')
    """
    units = units_of(model, params)
    keys = jax.random.split(jax.random.key(0) if key is None else key, len(units))
    made = [
        Layer(unit, key=k) if p is None else Layer(unit, key=k, dtype=jax_dtype(p)).with_params(p)
        for (unit, p), k in zip(units, keys, strict=True)
    ]
    return eqx.nn.Sequential(made) if isinstance(model, Stack) else made[0]


def _check(model: object) -> None:
    if not isinstance(model, eqx.Module):
        raise InputError(f"An Equinox model is an equinox.Module; received {type(model).__name__}.")


def _is_layer(part: object) -> bool:
    return isinstance(part, Layer)


def _the_part(model: eqx.Module) -> Any:
    _check(model)
    return the_part(_walk(model, ""), "nalm.equinox")


def _walk(model: Any, path: str) -> Iterator[tuple[str, Layer] | None]:
    """Yield the layers with their paths; None where something else is between them."""
    if isinstance(model, Layer):
        yield path, model
    elif isinstance(model, eqx.nn.Sequential):
        for i, child in enumerate(model.layers):
            yield from _walk(child, f"{path}.layers[{i}]".lstrip("."))
    elif not isinstance(model, eqx.nn.Identity):
        yield None
        inner, _ = jax.tree_util.tree_flatten_with_path(
            model, is_leaf=lambda node: isinstance(node, Layer | eqx.nn.Sequential)
        )
        for keys, child in inner:
            if isinstance(child, Layer | eqx.nn.Sequential):
                yield from _walk(child, f"{path}{jax.tree_util.keystr(keys)}".lstrip("."))
                yield None
