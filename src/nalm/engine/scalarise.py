"""From a function of one sample to the same function with every scalar an array of its own.

XLA compiles a step of many tiny models into one fused kernel only if no value has an axis besides
those it is mapped over. So the function is traced once for one sample, and its jaxpr is evaluated
element by element: an array of shape (2, 3) becomes six separate arrays, each as large as the
caller likes (runs × batch), and JAX differentiates the result.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import factorial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from nalm.errors import NalmError

Elements = np.ndarray
"""An array of arrays: dtype object, one JAX array for each scalar."""


class NotScalarisableError(NalmError, TypeError):
    """The function uses an operation that has no element-by-element form here."""


def scalarise(f: Callable[..., Any], *examples: Any) -> Callable[..., list[Elements]]:
    """Return `f` on elements: it takes a list of `Elements` for the leaves of the examples."""
    closed = jax.make_jaxpr(f)(*examples)
    return lambda leaves: evaluate(closed, leaves)


def elements(shape: tuple[int, ...], make: Callable[[tuple[int, ...]], Any]) -> Elements:
    """Return an array of this shape whose elements `make` makes from their index."""
    made = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        made[index] = make(index)
    return made


def evaluate(closed: ClosedJaxpr, leaves: Sequence[Elements]) -> list[Elements]:
    """Evaluate a jaxpr element by element."""
    known: dict[Any, Elements] = {}

    def read(atom: Any) -> Elements:
        return _constant(atom.val) if isinstance(atom, Literal) else known[atom]

    jaxpr = closed.jaxpr
    known.update(zip(jaxpr.constvars, map(_constant, closed.consts), strict=True))
    known.update(zip(jaxpr.invars, leaves, strict=True))
    for equation in jaxpr.eqns:
        operands = [read(atom) for atom in equation.invars]
        results = _apply(equation, operands)
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _constant(value: Any) -> Elements:
    array = np.asarray(value)
    return elements(array.shape, lambda index: jnp.asarray(array[index]))


def _apply(equation: Any, operands: list[Elements]) -> list[Elements]:
    name, params = equation.primitive.name, equation.params
    for inner in ("jaxpr", "call_jaxpr"):
        if inner in params and name in CALLS:
            body = params[inner]
            closed = body if isinstance(body, ClosedJaxpr) else ClosedJaxpr(body, ())
            return evaluate(closed, operands)
    if name in STRUCTURAL:
        return [STRUCTURAL[name](params, *operands)]
    if name in FASTER:
        return [_map(FASTER[name], operands)]
    if name in ELEMENTWISE:
        bind = equation.primitive.bind
        return [_map(lambda *arrays: bind(*arrays, **params), operands)]
    raise NotScalarisableError(f"{name} has no element-by-element form; use the plain path.")


def _map(function: Callable[..., Any], operands: list[Elements]) -> Elements:
    """Apply an operation to each element."""
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    operands = [np.broadcast_to(operand, shape) for operand in operands]

    def apply(index: tuple[int, ...]) -> Any:
        return function(*jnp.broadcast_arrays(*(operand[index] for operand in operands)))

    return elements(shape, apply)


def _power(base: Any, exponent: Any) -> Any:
    """Return base ** exponent for a positive base, which is what `nalm._ops.power` passes."""
    return jnp.exp(exponent * jnp.log(base))


def _cosine(x: Any) -> Any:
    """Return cos x = (-1)^n cos(x - nπ) by its series, to the precision of float32."""
    n = jnp.round(x * (1 / np.pi))
    r = (x - n * PI_HIGH) - n * PI_LOW
    series = jnp.zeros_like(r)
    for k in range(6, -1, -1):
        series = series * (r * r) + (-1) ** k / factorial(2 * k)
    return series * (1 - 2 * (n - 2 * jnp.floor(0.5 * n)))


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
        raise NotScalarisableError("dot_general over a batch has no element-by-element form.")
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
PI_HIGH, PI_LOW = 3.140625, np.pi - 3.140625
"""π in two parts, the first with few bits, so that n · π is subtracted without loss."""
FASTER = {"cos": _cosine, "pow": _power}
"""Operations that XLA calls a library for, rewritten so that they stay in the fused kernel."""
CALLS = {"jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"}
ELEMENTWISE = {
    "abs", "add", "add_any", "and", "ceil", "clamp", "convert_element_type", "copy", "div",
    "eq", "erf", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "integer_pow", "is_finite",
    "le",
    "log", "log1p", "logistic", "lt", "max", "min", "mul", "ne", "neg", "not", "or",
    "round", "rsqrt", "select_n", "sign", "sin", "sqrt", "square", "stop_gradient", "sub", "tan",
    "tanh", "xor",
}  # fmt: skip
