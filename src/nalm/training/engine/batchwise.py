"""From a function of one sample to the same function over runs and batch, batch innermost.

`vmap` moves the batch to wherever an operation wants it, and XLA then copies and transposes. Here
every value of shape (2, 3) becomes one array (runs, 2, 3, batch), or (runs, 2, 3, 1) where no
sample is involved: the layout in which matrix products and sums over the batch are fastest.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from nalm.errors import NoFormError
from nalm.training.engine.jaxpr import Form, evaluate
from nalm.training.engine.primitives import sum_of, sums

UNROLLED = 10
"""Parts of a product or sum that one kernel takes."""
FEW_ROWS = 4
"""The most rows of a matrix, over all runs that share their samples, with a gradient of its own."""


def batchwise(
    f: Callable[..., Any], *examples: Any, sharing: int = 1
) -> Callable[[Sequence[Array]], list[Array]]:
    """Return `f` over runs and batch: it takes and returns `(runs, *shape, batch or 1)` arrays.

    It may be mapped over as many runs as are `sharing` their samples.
    """
    closed = jax.make_jaxpr(f)(*examples)
    products = {"dot_general": partial(_dot_general, most=FEW_ROWS // sharing)}
    form = replace(FORM, structural=STRUCTURAL | products)
    return lambda leaves: evaluate(closed, leaves, form)


def _constant(value: Any) -> Array:
    return jnp.asarray(value)[None, ..., None]


def _elementwise(function: Callable[..., Array], operands: list[Array]) -> Array:
    aligned = _aligned(operands)
    if aligned[0].shape[-1] == 1:  # no sample is involved: XLA does not vectorise over one
        return function(*(operand[..., 0] for operand in aligned))[..., None]
    return function(*aligned)


def _aligned(operands: list[Array]) -> list[Array]:
    """Give all operands of an elementwise operation one shape."""
    rank = max(operand.ndim for operand in operands)
    full = [_ranked(operand, rank) for operand in operands]
    shape = jnp.broadcast_shapes(*(operand.shape for operand in full))
    return [_broadcast(operand, shape) for operand in full]


def _ranked(operand: Array, rank: int) -> Array:
    """Give a scalar among arrays the axes it lacks, between runs and batch."""
    missing = rank - operand.ndim
    return operand.reshape(operand.shape[0], *(1,) * missing, *operand.shape[1:])


def _broadcast(operand: Array, shape: tuple[int, ...]) -> Array:
    if operand.shape[-1] == shape[-1] or not jnp.issubdtype(operand.dtype, jnp.floating):
        return jnp.broadcast_to(operand, shape)
    return jnp.broadcast_to(_spread(operand, shape[-1]), shape)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _spread(x: Array, batch: int) -> Array:
    """Repeat along the batch; the gradient sums over it in the kernel that makes what is summed."""
    return jnp.broadcast_to(x, (*x.shape[:-1], batch))


def _spread_forward(x: Array, batch: int) -> tuple[Array, None]:
    return _spread(x, batch), None


def _spread_backward(_batch: int, _: None, gradient: Array) -> tuple[Array]:
    return (sum_of(gradient)[..., None],)


_spread.defvjp(_spread_forward, _spread_backward)


def _broadcast_in_dim(params: Any, operand: Array) -> Array:
    shape, dimensions = params["shape"], params["broadcast_dimensions"]
    aligned = [1] * len(shape)
    for axis, dimension in enumerate(dimensions):
        aligned[dimension] = operand.shape[axis + 1]
    runs, batch = operand.shape[0], operand.shape[-1]
    return jnp.broadcast_to(operand.reshape(runs, *aligned, batch), (runs, *shape, batch))


def _slice(params: Any, operand: Array) -> Array:
    strides = params["strides"] or (1,) * (operand.ndim - 2)
    index = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return operand[(slice(None), *(slice(*bounds) for bounds in index))]


def _concatenate(params: Any, *operands: Array) -> Array:
    batch = max(operand.shape[-1] for operand in operands)
    runs = max(operand.shape[0] for operand in operands)
    whole = [_broadcast(o, (runs, *o.shape[1:-1], batch)) for o in operands]
    return jnp.concatenate(whole, axis=params["dimension"] + 1)


def _dot_general(params: Any, lhs: Array, rhs: Array, most: int = 0) -> Array:
    """Multiply matrices; the side that has the batch comes second, so that it stays innermost.

    Matrices of at most `most` rows have the gradient of few rows.
    """
    (left, right), batched = params["dimension_numbers"]
    if batched != ((), ()):
        raise NoFormError("dot_general over a batch has no form over runs and batch.")
    runs = max(lhs.shape[0], rhs.shape[0])
    lhs, rhs = (jnp.broadcast_to(v, (runs, *v.shape[1:])) for v in (lhs, rhs))
    if lhs.shape[-1] > 1 and rhs.shape[-1] > 1:
        raise NoFormError("A product of two matrices that both have the batch is not here.")
    swapped = lhs.shape[-1] > 1
    first, second = (rhs, lhs) if swapped else (lhs, rhs)
    axes, others = (right, left) if swapped else (left, right)
    kept = [axis for axis in range(first.ndim - 2) if axis not in axes]
    matrix = first[..., 0].transpose(0, *(axis + 1 for axis in (*kept, *axes)))
    if matrix.ndim == second.ndim == 3 and matrix.shape[1] <= most and len(axes) == 1:
        result = _few_rows(matrix, second)
    else:
        contracted = tuple(range(1 + len(kept), matrix.ndim)), tuple(a + 1 for a in others)
        result = lax.dot_general(matrix, second, (contracted, ((0,), (0,))))
    if swapped:  # the axes of the first operand of the equation go first
        order = range(1 + len(kept), result.ndim - 1)
        result = result.transpose(0, *order, *range(1, 1 + len(kept)), result.ndim - 1)
    return result


@jax.custom_vjp
def _few_rows(matrix: Array, x: Array) -> Array:
    """Multiply `(runs, rows, inputs)` by `(runs, inputs, batch)`.

    The gradient by the matrix is one reduction over the batch, which reads `x` once; the product of
    the library packs it anew.
    """
    return jnp.matmul(matrix, x)


def _few_forward(matrix: Array, x: Array) -> tuple[Array, tuple[Array, Array]]:
    return _few_rows(matrix, x), (matrix, x)


def _few_backward(saved: tuple[Array, Array], gradient: Array) -> tuple[Array, Array]:
    matrix, x = saved
    each = [gradient[:, k, None, :] * x for k in range(matrix.shape[1])]
    by_row = sums(each) if len(each) > 1 else [sum_of(each[0])]
    return jnp.stack(by_row, axis=1), jnp.matmul(matrix.transpose(0, 2, 1), gradient)


_few_rows.defvjp(_few_forward, _few_backward)


def _product(params: Any, operand: Array) -> Array:
    """Multiply along axes; of over a hundred factors halves first, or the kernel grows too long."""
    for axis in sorted(params["axes"], reverse=True):
        along = axis + 1
        while (count := operand.shape[along]) > UNROLLED**2:
            half = count // 2
            left, right, rest = (
                lax.slice_in_dim(operand, *ends, axis=along)
                for ends in ((0, half), (half, 2 * half), (2 * half, count))
            )
            operand = jnp.concatenate([left * right, rest], axis=along)
        few = count <= UNROLLED
        operand = _folded(jnp.multiply, operand, along) if few else _many_factors(operand, along)
    return operand


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _many_factors(factors: Array, along: int) -> Array:
    """Multiply along an axis; the gradient by a factor is the product over it, as in PyTorch.

    The gradient by the only zero is the product of the others, and beside a zero there is none.
    Zeros are looked for where a product is zero, which is rare.
    """
    size = factors.shape[along] // UNROLLED

    def times_part(k: Array, product: Array) -> Array:
        return product * lax.dynamic_slice_in_dim(factors, k * size, size, axis=along)

    # Factors that nothing else reads would be computed in the kernel of the product, one by one.
    # A loop needs them all before.
    first = lax.slice_in_dim(factors, 0, size, axis=along)
    rest = lax.slice_in_dim(factors, UNROLLED * size, None, axis=along)
    parts = lax.fori_loop(1, UNROLLED, times_part, first)
    return _folded(jnp.multiply, jnp.concatenate([parts, rest], axis=along), along)


def _many_forward(factors: Array, along: int) -> tuple[Array, tuple[Array, Array, Array]]:
    product = _folded(jnp.multiply, factors, along)
    some = jnp.any(product == 0)
    only = lax.cond(some, lambda: _only_zero(factors, along), lambda: jnp.zeros_like(product))
    return product, (factors, product, only)


def _only_zero(factors: Array, along: int) -> Array:
    """Return the product of the others where one factor is zero, and zero where not."""
    zero = factors == 0
    others = _folded(jnp.multiply, jnp.where(zero, 1.0, factors), along)
    zeros = _folded(jnp.add, jnp.where(zero, 1.0, 0.0), along)
    return jnp.where(zeros == 1, others, 0.0)


def _many_backward(along: int, saved: tuple[Array, Array, Array], gradient: Array) -> tuple[Array]:
    factors, product, only = saved
    by_others, by_all = (jnp.expand_dims(gradient * v, along) for v in (only, product))
    return (jnp.where(factors == 0, by_others, by_all / factors),)


_many_factors.defvjp(_many_forward, _many_backward)


def _folded(function: Callable[..., Array], values: Array, along: int) -> Array:
    """Reduce along an axis, a few parts at a time, which XLA makes one vectorised kernel of."""
    count = values.shape[along]
    size = count // UNROLLED
    if size < 2:
        return reduce(
            function, (lax.index_in_dim(values, i, along, keepdims=False) for i in range(count))
        )
    parts = [
        lax.slice_in_dim(values, k * size, (k + 1) * size, axis=along) for k in range(UNROLLED)
    ]
    whole = _folded(function, reduce(function, parts), along)
    rest = [
        lax.index_in_dim(values, i, along, keepdims=False) for i in range(UNROLLED * size, count)
    ]
    return reduce(function, rest, whole)


def _reduced(function: Callable[..., Array]) -> Callable[[Any, Array], Array]:
    return lambda params, operand: function(operand, axis=tuple(a + 1 for a in params["axes"]))


def _reshaped(params: Any, operand: Array) -> Array:
    return operand.reshape(operand.shape[0], *params["new_sizes"], operand.shape[-1])


def _transposed(params: Any, operand: Array) -> Array:
    inner = (axis + 1 for axis in params["permutation"])
    return operand.transpose(0, *inner, operand.ndim - 1)


STRUCTURAL: dict[str, Callable[..., Array]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "concatenate": _concatenate,
    "dot_general": _dot_general,
    "reduce_max": _reduced(jnp.max),
    "reduce_prod": _product,
    "reduce_sum": _reduced(jnp.sum),
    "reshape": _reshaped,
    "slice": _slice,
    "squeeze": lambda params, operand: operand.squeeze(tuple(d + 1 for d in params["dimensions"])),
    "transpose": _transposed,
}
FORM = Form("over runs and batch", _constant, STRUCTURAL, _elementwise)
