"""What the weights alone decide is computed once a run, and nothing else changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from nalm.training.engine.hoist import hoist
from nalm.units import IMNAC, NAC, NMU, NRU, Unit

X = jax.ShapeDtypeStruct((3,), jnp.float32)


def shapes_of(unit: Unit):
    return {n: jax.ShapeDtypeStruct(p.shape, jnp.float32) for n, p in unit.parameters.items()}


def forward_of(unit: Unit):
    return lambda params, x: unit.forward(jnp, params, x, False, None)


@pytest.mark.parametrize(
    ("unit", "heads"),
    [
        (NAC(3, 1), [(1, 3)]),  # tanh(Ŵ) σ(M̂) instead of Ŵ and M̂
        (IMNAC(3, 1), [(1, 3)]),  # W, of which |W| and 1 - |W| are made again
        (NMU(3, 2), [(2, 3)]),  # W itself
        (NRU(3, 1), [(1, 3)]),  # W, of which signs and cases are made again
    ],
)
def test_heads(unit, heads):
    assert hoist(forward_of(unit), shapes_of(unit), X).shapes == heads


@pytest.mark.parametrize("unit", [NAC(3, 1), IMNAC(3, 2), NMU(3, 2), NRU(3, 1)])
def test_both_parts_are_the_function(unit):
    runs = 5
    key = jax.random.key(0)
    names = sorted(unit.parameters)
    weights = [
        jax.random.normal(key, (*unit.parameters[n].shape, runs), jnp.float32) for n in names
    ]
    x = jnp.array([1.5, -0.5, 2.0], jnp.float32)
    hoisted = hoist(forward_of(unit), shapes_of(unit), X)
    axes = (*(-1 for _ in hoisted.shapes), None)
    (found,) = jax.vmap(jaxpr_as_fun(hoisted.late), in_axes=axes)(*hoisted.heads(weights), x)
    for run in range(runs):
        params = {n: w[..., run] for n, w in zip(names, weights, strict=True)}
        np.testing.assert_allclose(found[run], forward_of(unit)(params, x), rtol=1e-6)


def test_what_has_no_gradient_is_not_a_head():
    def step(weights, x):
        return jnp.where(weights > 0, x, -x)

    hoisted = hoist(step, X, X)
    assert [aval.dtype for aval in hoisted.early.out_avals] == [jnp.float32]
