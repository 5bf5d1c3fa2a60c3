"""From a function of one sample to the same function with every scalar an array of its own.

XLA compiles a step of many tiny models into one fused kernel only if no value has an axis besides
those it is mapped over. So the function is traced once for one sample, and its jaxpr is evaluated
element by element: an array of shape (2, 3) becomes six separate arrays, each as large as the
caller likes (runs × batch), and JAX differentiates the result.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr

from nalm.errors import NoFormError
from nalm.training.engine.jaxpr import Form, evaluate

Elements = np.ndarray
"""An array of arrays: dtype object, one JAX array for each scalar."""


def scalarise(f: Callable[..., Any], *examples: Any) -> Callable[..., list[Elements]]:
    """Return `f` on elements: it takes a list of `Elements` for the leaves of the examples."""
    return partial(evaluate_elements, jax.make_jaxpr(f)(*examples))


def evaluate_elements(closed: ClosedJaxpr, leaves: Sequence[Elements]) -> list[Elements]:
    """Evaluate a jaxpr on elements."""
    return evaluate(closed, leaves, FORM)


def elements(shape: tuple[int, ...], make: Callable[[tuple[int, ...]], Any]) -> Elements:
    """Return an array of this shape whose elements `make` makes from their index."""
    made = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        made[index] = make(index)
    return made


def _constant(value: Any) -> Elements:
    array = np.asarray(value)
    return elements(array.shape, lambda index: jnp.asarray(array[index]))


def _map(function: Callable[..., Any], operands: list[Elements]) -> Elements:
    """Apply an operation to each element."""
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    operands = [np.broadcast_to(operand, shape) for operand in operands]

    def apply(index: tuple[int, ...]) -> Any:
        return function(*jnp.broadcast_arrays(*(operand[index] for operand in operands)))

    return elements(shape, apply)


def _broadcast_in_dim(params: Any, operand: Elements) -> Elements:
    shape, dimensions = params["shape"], params["broadcast_dimensions"]
    aligned = [1] * len(shape)
    for axis, dimension in enumerate(dimensions):
        aligned[dimension] = operand.shape[axis]
    return np.broadcast_to(operand.reshape(aligned), shape)


def _slice(params: Any, operand: Elements) -> Elements:
    strides = params["strides"] or (1,) * operand.ndim
    index = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return operand[tuple(slice(*bounds) for bounds in index)]


def _dot_general(params: Any, lhs: Elements, rhs: Elements) -> Elements:
    (left, right), batch = params["dimension_numbers"]
    if batch != ((), ()):
        raise NoFormError("dot_general over a batch has no element-by-element form.")
    rows, columns = _contracted_last(lhs, left), _contracted_last(rhs, right)
    kept = len(rows.shape) - 1

    def dot(index: tuple[int, ...]) -> Any:
        pairs = zip(rows[index[:kept]], columns[index[kept:]], strict=True)
        return reduce(lambda a, b: a + b, (a * b for a, b in pairs))

    return elements((*rows.shape[:-1], *columns.shape[:-1]), dot)


def _contracted_last(operand: Elements, axes: Sequence[int]) -> Elements:
    """Return the operand with these axes joined into its last."""
    kept = [axis for axis in range(operand.ndim) if axis not in axes]
    return operand.transpose(*kept, *axes).reshape(*(operand.shape[k] for k in kept), -1)


def _fold(function: Callable[[Any, Any], Any]) -> Callable[[Any, Elements], Elements]:
    def fold(params: Any, operand: Elements) -> Elements:
        moved = _contracted_last(operand, params["axes"])
        return elements(moved.shape[:-1], lambda index: reduce(function, moved[index]))

    return fold


STRUCTURAL: dict[str, Callable[..., Elements]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "concatenate": lambda params, *operands: np.concatenate(operands, axis=params["dimension"]),
    "dot_general": _dot_general,
    "reduce_max": _fold(jnp.maximum),
    "reduce_prod": _fold(lambda a, b: a * b),
    "reduce_sum": _fold(lambda a, b: a + b),
    "reshape": lambda params, operand: operand.reshape(params["new_sizes"]),
    "slice": _slice,
    "squeeze": lambda params, operand: np.squeeze(operand, axis=tuple(params["dimensions"])),
    "transpose": lambda params, operand: operand.transpose(params["permutation"]),
}
FORM = Form("element by element", _constant, STRUCTURAL, _map)
