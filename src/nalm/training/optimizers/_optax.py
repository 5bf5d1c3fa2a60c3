"""The optimizers of optax: which there are, what options they have, and what they look at."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, isclass, signature
from typing import Any

import jax
import jax.numpy as jnp
import optax
import optax.contrib

from nalm.errors import InputError, unknown

MODULES = (optax.contrib, optax)
"""Where optimizers are looked for; the last one wins."""
REFUSED = {
    "noisy_sgd": "its noise would be the same in every run; use gradient_noise of the recipe",
    "optimistic_adam": "it is deprecated; use optimistic_adam_v2",
    "schedule_free_adamw": "the weights it trains are not those it is judged by",
    "schedule_free_sgd": "the weights it trains are not those it is judged by",
}
"""Optimizers that would run here and mislead."""
ELEMENTWISE = {
    "abs", "add", "and", "ceil", "clamp", "convert_element_type", "copy", "div", "eq", "exp",
    "exp2", "expm1", "floor", "ge", "gt", "integer_pow", "is_finite", "le", "log", "log1p", "lt",
    "max", "min", "mul", "ne", "neg", "not", "or", "pow", "rem", "round", "rsqrt", "select_n",
    "sign", "sqrt", "square", "stop_gradient", "sub", "tanh", "xor",
}  # fmt: skip
"""Operations that treat each number by itself."""


@cache
def candidates() -> Mapping[str, Callable[..., optax.GradientTransformation]]:
    """Return the functions of optax that make an optimizer of a learning rate alone, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for module in MODULES:
        for name in dir(module):
            function = getattr(module, name)
            if name.startswith(("_", "scale_by_")) or isclass(function) or not callable(function):
                continue
            options = _options(function)
            needed = {n for n, p in options.items() if p.default is Parameter.empty}
            if "learning_rate" in options and needed <= {"learning_rate"}:
                found[name] = function
    return {name: found[name] for name in sorted(found.keys() - REFUSED.keys())}


def _options(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


@cache
def names() -> tuple[str, ...]:
    """Return the optimizers that need gradients alone."""
    return tuple(name for name in candidates() if _complaint(name, {}) is None)


def check(name: str, options: Mapping[str, Any]) -> None:
    """Raise unless optax has this optimizer, with these options, and it can be used here."""
    if name in REFUSED:
        raise InputError(f"optax.{name} cannot be used here: {REFUSED[name]}.")
    known = set(_options(candidates()[name])) - {"learning_rate"}
    for option in options:
        if option not in known:
            raise unknown("option", option, known, owner=f"optax.{name}")
    if _complaint(name, {}) is not None:
        raise InputError(
            f"optax.{name} needs more than gradients, such as the value of the loss or a line "
            "search, which runs that are trained together do not have. Choose another optimizer."
        )
    if complaint := _complaint(name, options):
        given = ", ".join(f"{option}={value!r}" for option, value in options.items())
        raise InputError(f"optax.{name} does not accept {given}: {complaint}")


def _complaint(name: str, options: Mapping[str, Any]) -> str | None:
    """Return why an optimizer cannot make a step from gradients alone, None if it can."""
    params = {"matrix": jnp.ones((2, 3), jnp.float32), "vector": jnp.ones(3, jnp.float32)}
    try:
        jax.eval_shape(lambda g: update(transformation(name, options, 0.1), g, None, g), params)
    except Exception as error:  # whatever optax raises
        return str(error).partition("\n")[0]
    return None


def transformation(
    name: str, options: Mapping[str, Any] | Iterable[tuple[str, Any]], rate: Any
) -> optax.GradientTransformation:
    """Return the optimizer for a learning rate, which may be traced."""
    return candidates()[name](learning_rate=rate, **dict(options))


def update(
    made: optax.GradientTransformation, gradient: Any, state: Any, weights: Any
) -> tuple[Any, Any]:
    """Return what is added to the weights, and the next state; without a state, after none."""
    state = made.init(weights) if state is None else state
    return made.update(gradient, state, weights)


def is_elementwise(function: Callable[..., Any], *examples: Any) -> bool:
    """Tell whether a function treats each number by itself: then shapes do not matter to it."""
    return _is_elementwise(jax.make_jaxpr(function)(*examples).jaxpr)


def _is_elementwise(jaxpr: Any) -> bool:
    for equation in jaxpr.eqns:
        inner = [
            getattr(value, "jaxpr", value)
            for name, value in equation.params.items()
            if name in ("jaxpr", "call_jaxpr")
        ]
        if inner:
            if not all(map(_is_elementwise, inner)):
                return False
        elif equation.primitive.name == "broadcast_in_dim":
            if equation.invars[0].aval.size != 1:
                return False
        elif equation.primitive.name not in ELEMENTWISE:
            return False
    return True
