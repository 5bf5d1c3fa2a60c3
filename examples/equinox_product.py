"""An Equinox model that learns a product: its weights become the formula.

pip install 'nalm[equinox]', then python examples/equinox_product.py.
"""

import equinox as eqx
import jax
import optax

import nalm.equinox

OPTIMIZER = optax.adam(1e-2)


@eqx.filter_jit
def step(model, state, x, scale):
    """One step of training; `scale` is that of the penalty for weights that are not discrete."""

    def loss(model):
        error = (model(x)[:, 0] - x[:, 0] * x[:, 2]) ** 2
        return error.mean() + scale * nalm.equinox.penalties(model)["discretise"]

    updates, state = OPTIMIZER.update(eqx.filter_grad(loss)(model), state)
    return nalm.equinox.constrain(eqx.apply_updates(model, updates)), state


def main() -> None:
    model = nalm.equinox.NMU(3, 1, key=jax.random.key(0))
    state = OPTIMIZER.init(eqx.filter(model, eqx.is_inexact_array))
    for i, key in enumerate(jax.random.split(jax.random.key(1), 1000)):
        x = jax.random.uniform(key, (64, 3), minval=1, maxval=2)
        model, state = step(model, state, x, jax.numpy.asarray(0.1 * (i > 500)))
    print(nalm.equinox.formula(model, ["price", "days", "amount"])[0])


if __name__ == "__main__":
    main()
