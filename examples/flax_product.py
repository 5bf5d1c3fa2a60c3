"""A Flax model that learns a product: its weights become the formula.

pip install 'nalm[flax]', then python examples/flax_product.py.
"""

import jax
import optax
from flax import nnx

import nalm.flax


@nnx.jit
def step(model, optimizer, x, scale):
    """One step of training; `scale` is that of the penalty for weights that are not discrete."""

    def loss(model):
        error = (model(x)[:, 0] - x[:, 0] * x[:, 2]) ** 2
        return error.mean() + scale * nalm.flax.penalties(model)["discretise"]

    optimizer.update(model, nnx.grad(loss)(model))
    nalm.flax.constrain_(model)


def main() -> None:
    model = nalm.flax.NMU(3, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    for i, key in enumerate(jax.random.split(jax.random.key(0), 1000)):
        step(
            model, optimizer, jax.random.uniform(key, (64, 3), minval=1, maxval=2), 0.1 * (i > 500)
        )
    print(nalm.flax.formula(model, ["price", "days", "amount"])[0])


if __name__ == "__main__":
    main()
