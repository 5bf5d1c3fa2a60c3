r"""Split a function of weights and a sample: what the weights alone decide, and the rest.

The fused path computes every scalar for each sample. What needs only the weights, such as
:math:`\tanh(\hat W) \odot \sigma(\hat M)`, is the same for all samples of a step, so it is computed
once a run, and its results, the heads, take the place of the weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, jaxpr_as_fun

from nalm.training.engine.jaxpr import CALLS

FREE = {"broadcast_in_dim", "concatenate", "reshape", "slice", "squeeze", "transpose"}
"""Operations that only arrange elements."""
CHEAP = {
    "abs", "add", "and", "clamp", "convert_element_type", "eq", "ge", "gt", "le", "lt", "max",
    "min", "mul", "ne", "neg", "not", "or", "select_n", "sign", "sub",
}  # fmt: skip
"""Operations that cost less than one more head, whose gradient is a sum over the batch."""


@dataclass(frozen=True)
class Hoisted:
    """A function in two parts."""

    early: ClosedJaxpr
    """From the weights to the heads."""
    late: ClosedJaxpr
    """From the heads and the other arguments to the results."""

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the heads."""
        return [aval.shape for aval in self.early.out_avals]

    def heads(self, weights: Sequence[Array]) -> list[Array]:
        """Return the heads; all arrays have the runs as their last axis."""
        each = jax.vmap(jaxpr_as_fun(self.early), in_axes=-1, out_axes=-1)
        return each(*weights)


def hoist(function: Callable[..., Any], weights: Any, *others: Any) -> Hoisted:
    """Trace a function of weights and other arguments, all given as shapes, and split it."""
    closed = jax.make_jaxpr(function)(weights, *others)
    jaxpr = closed.jaxpr
    count = len(jax.tree.leaves(weights))
    constant, early, late = _by_dependence(jaxpr, count)
    known = {*jaxpr.invars[:count], *(v for equation in early for v in equation.outvars)}
    late = [*_moved(early, late, known, jaxpr), *late]
    heads = _used(late, known, jaxpr)

    def part(equations: list[JaxprEqn], inputs: list[Any], outputs: list[Any]) -> ClosedJaxpr:
        cut = jaxpr.replace(invars=inputs, outvars=outputs, eqns=[*constant, *equations])
        return ClosedJaxpr(cut, closed.consts)

    return Hoisted(
        part(early, jaxpr.invars[:count], heads),
        part(late, [*heads, *jaxpr.invars[count:]], jaxpr.outvars),
    )


def _variables(equation: JaxprEqn) -> set[Var]:
    return {atom for atom in equation.invars if not isinstance(atom, Literal)}


def _by_dependence(
    jaxpr: Jaxpr, count: int
) -> tuple[list[JaxprEqn], list[JaxprEqn], list[JaxprEqn]]:
    """Return what depends on nothing, on the first arguments alone, and on the others."""
    nothing, weights = set(jaxpr.constvars), set(jaxpr.invars[:count])
    constant, early, late = [], [], []
    for equation in jaxpr.eqns:
        variables = _variables(equation)
        if variables <= nothing:
            nothing.update(equation.outvars)
            constant.append(equation)
        elif variables <= nothing | weights:
            weights.update(equation.outvars)
            early.append(equation)
        else:
            late.append(equation)
    return constant, early, late


def _moved(
    early: list[JaxprEqn], late: list[JaxprEqn], known: set[Var], jaxpr: Jaxpr
) -> list[JaxprEqn]:
    """Return what the weights alone decide but is not worth a head, such as 1 - W beside W."""
    made_by = {v: i for i, equation in enumerate(early) for v in equation.outvars}
    moved: set[int] = set()

    def chain(head: Var, others: set[Var]) -> set[int] | None:
        """Return the operations that make a head of others, if they are cheap."""
        place = made_by.get(head)
        if place is None or not _is_cheap(early[place]):
            return None
        found = {place}
        for operand in _variables(early[place]) & known - others:
            more = chain(operand, others)
            if more is None:
                return None
            found |= more
        return found

    def without_a_head() -> set[int] | None:
        """Return operations to move so that there is one head less, or another in its place."""
        heads = set(_used([early[i] for i in sorted(moved)] + late, known, jaxpr))
        for head in sorted(heads & made_by.keys(), key=lambda v: made_by[v], reverse=True):
            maker = early[made_by[head]]
            if maker.primitive.name in FREE or not _is_floating(head):
                return {made_by[head]}
            found = chain(head, heads - {head})
            if found:
                return found
        return None

    while more := without_a_head():
        moved |= more
    return [early[i] for i in sorted(moved)]


def _is_floating(variable: Var) -> bool:
    aval: Any = variable.aval
    return jnp.issubdtype(aval.dtype, jnp.floating)


def _is_cheap(equation: JaxprEqn) -> bool:
    name = equation.primitive.name
    if name in CALLS:
        inner = equation.params.get("jaxpr") or equation.params["call_jaxpr"]
        return all(_is_cheap(e) for e in inner.eqns)
    return name in FREE or name in CHEAP


def _used(late: list[JaxprEqn], known: set[Var], jaxpr: Jaxpr) -> list[Var]:
    """Return what the late part takes from the early one, in a fixed order."""
    made = {v for equation in late for v in equation.outvars}
    atoms = [atom for equation in late for atom in equation.invars] + list(jaxpr.outvars)
    variables = [atom for atom in atoms if not isinstance(atom, Literal)]
    return list(dict.fromkeys(v for v in variables if v in known and v not in made))
