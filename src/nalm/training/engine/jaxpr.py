"""Evaluate a jaxpr on values of another form than the arrays it was traced with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal

from nalm.errors import NoFormError


@dataclass(frozen=True)
class Form:
    """How values look and what operations do to them."""

    name: str
    """What the form is called in errors."""
    constant: Callable[[Any], Any]
    """Make a value of a constant."""
    structural: Mapping[str, Callable[..., Any]]
    """Operations that change shapes or reduce, by name; each takes its parameters and operands."""
    elementwise: Callable[[Callable[..., Any], list[Any]], Any]
    """Apply a function of arrays to operands, element by element."""


def evaluate(closed: ClosedJaxpr, leaves: Sequence[Any], form: Form) -> list[Any]:
    """Evaluate a jaxpr on values of a form."""
    known: dict[Any, Any] = {}

    def read(atom: Any) -> Any:
        return form.constant(atom.val) if isinstance(atom, Literal) else known[atom]

    jaxpr = closed.jaxpr
    known.update(zip(jaxpr.constvars, map(form.constant, closed.consts), strict=True))
    known.update(zip(jaxpr.invars, leaves, strict=True))
    for equation in jaxpr.eqns:
        operands = [read(atom) for atom in equation.invars]
        known.update(zip(equation.outvars, _apply(equation, operands, form), strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _apply(equation: Any, operands: list[Any], form: Form) -> list[Any]:
    name, params = equation.primitive.name, equation.params
    for inner in ("jaxpr", "call_jaxpr"):
        if inner in params and name in CALLS:
            body = params[inner]
            closed = body if isinstance(body, ClosedJaxpr) else ClosedJaxpr(body, ())
            return evaluate(closed, operands, form)
    if name in form.structural:
        return [form.structural[name](params, *operands)]
    if name in FASTER:
        return [form.elementwise(FASTER[name], operands)]
    if name in ELEMENTWISE:
        bind = equation.primitive.bind
        return [form.elementwise(lambda *arrays: bind(*arrays, **params), operands)]
    raise NoFormError(
        f"{name} has no form {form.name}, so the engine cannot train a unit that uses it. Write "
        "the unit with other functions, such as those of nalm.units.ops, or add the form."
    )


def _power(base: Any, exponent: Any) -> Any:
    """Return base ** exponent for a positive base, which is what `ops.power` passes."""
    return jnp.exp(exponent * jnp.log(base))


def _cosine(x: Any) -> Any:
    """Return cos x = (-1)^n cos(x - nπ) by its series, to the precision of float32."""
    n = jnp.round(x * (1 / np.pi))
    r = (x - n * PI_HIGH) - n * PI_LOW
    series = jnp.zeros_like(r)
    for k in range(6, -1, -1):
        series = series * (r * r) + (-1) ** k / factorial(2 * k)
    return series * (1 - 2 * (n - 2 * jnp.floor(0.5 * n)))


PI_HIGH, PI_LOW = 3.140625, np.pi - 3.140625
"""π in two parts, the first with few bits, so that n · π is subtracted without loss."""
FASTER = {"cos": _cosine, "pow": _power}
"""Operations that XLA calls a library for, rewritten so that they stay in the fused kernel."""
CALLS = {"jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"}
ELEMENTWISE = {
    "abs", "add", "add_any", "and", "ceil", "clamp", "convert_element_type", "copy", "div",
    "eq", "erf", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "integer_pow", "is_finite",
    "le", "log", "log1p", "logistic", "lt", "max", "min", "mul", "ne", "neg", "not", "or",
    "round", "rsqrt", "select_n", "sign", "sin", "sqrt", "square", "stop_gradient", "sub", "tan",
    "tanh", "xor",
}  # fmt: skip
