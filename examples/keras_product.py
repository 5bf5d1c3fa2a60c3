"""A Keras model that learns a product: its weights become the formula.

pip install 'nalm[keras]', then KERAS_BACKEND=jax python examples/keras_product.py (or torch).
"""

import keras
import numpy as np

import nalm.keras


def main() -> None:
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).uniform(1, 2, (6400, 3)).astype("float32")
    y = x[:, :1] * x[:, 2:]
    layer = nalm.keras.NMU(3, 1)
    model = keras.Sequential([layer])
    for scale in (0.0, 0.1):  # first the values, then discrete weights
        layer.scales = {"discretise": scale}
        model.compile(optimizer=keras.optimizers.Adam(1e-2), loss="mse")
        model.fit(x, y, batch_size=64, epochs=5, verbose=0)  # pyright: ignore[reportArgumentType]
    print(nalm.keras.formula(model, ["price", "days", "amount"])[0])


if __name__ == "__main__":
    main()
