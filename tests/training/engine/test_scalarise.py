"""Element by element, every unit computes and differentiates as it does whole."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import MODES, noise_for, random_input, random_params
from nalm.errors import NoFormError
from nalm.training.engine.scalarise import elements, scalarise
from nalm.units import Unit

SAMPLES = 5


@pytest.mark.parametrize(("unit", "train"), MODES, ids=repr)
def test_values_and_gradients_equal_those_of_the_whole(unit: Unit, train: bool):
    """Scalars are arrays over the samples here; the natural form maps over them."""
    params = {k: v.astype("float32") for k, v in random_params(unit).items()}
    x = random_input(unit, (SAMPLES,)).astype("float32")
    noise = noise_for(unit, params, x[0])

    def loss(p, x_):
        return jnp.sum(unit.forward(jnp, p, x_, train, noise) ** 2)

    names = sorted(params)
    shapes = {k: jax.ShapeDtypeStruct(params[k].shape, jnp.float32) for k in names}
    by_element = scalarise(loss, shapes, jax.ShapeDtypeStruct(x[0].shape, jnp.float32))

    def total(rows, columns):
        leaves = [elements(params[k].shape, lambda i, k=k: rows[k][i]) for k in names]
        return by_element([*leaves, elements(x[0].shape, lambda i: columns[i[0]])])[0][()]

    rows = {
        k: {i: jnp.full(SAMPLES, params[k][i]) for i in np.ndindex(params[k].shape)} for k in names
    }
    columns = [jnp.asarray(x[:, i]) for i in range(unit.in_features)]
    natural = jax.vmap(loss, in_axes=(None, 0))(params, x)
    np.testing.assert_allclose(total(rows, columns), natural, rtol=2e-5, atol=1e-6)

    gradients = jax.grad(lambda r: jnp.sum(total(r, columns)))(rows)
    expected = jax.vmap(jax.grad(loss), in_axes=(None, 0))(params, x)
    for k in names:
        scale = float(jnp.max(jnp.abs(expected[k]))) + 1e-6
        for i in np.ndindex(params[k].shape):
            actual = gradients[k][i] / scale
            np.testing.assert_allclose(actual, expected[k][:, *i] / scale, rtol=1e-5, atol=1e-5)


def test_the_cosine_is_accurate_over_many_turns():
    x = np.linspace(-60, 60, 10_001).astype("float32")
    cosine = scalarise(jnp.cos, jax.ShapeDtypeStruct((), jnp.float32))
    value = cosine([elements((), lambda _: jnp.asarray(x))])[0][()]
    np.testing.assert_allclose(value, np.cos(x.astype(float)), atol=2e-6)


def test_operations_without_an_element_form_are_named():
    with pytest.raises(NoFormError, match="sort has no form element by element"):
        scalarise(jnp.sort, jax.ShapeDtypeStruct((3,), jnp.float32))(
            [elements((3,), lambda i: jnp.ones(2))]
        )
