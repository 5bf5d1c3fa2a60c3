r"""The quadratic layer.

.. math:: y = (W_r x + b_r) \odot (W_g x + b_g) + W_b (x \odot x) + c

It starts as a linear layer: :math:`W_g = 0, b_g = 1, W_b = 0, c = 0`. Its effective weights are
the coefficients of the polynomial: `quadratic` (out, in, in) of :math:`x_i x_j` with i ≤ j,
`linear` and `constant`; a formula rounds them to integers. Exact for inputs whose squares are
finite: up to 1e18 in float32.

Reference: Fan, Cong and Wang, Generalized Backpropagation Algorithm for Training Second-Order
Neural Networks, 2018.
"""

import numpy as np

from nalm.errors import InputError
from nalm.formula import INTEGERS, linear
from nalm.units import ops
from nalm.units._declare import Domain, Parameter
from nalm.units._unit import Unit
from nalm.units.initial import Constant, xavier_uniform


class Quadratic(Unit):
    """Quadratic layer: a baseline that contains sums and products of two inputs."""

    name = "quadratic"
    papers = ("fan2018",)
    represents = ("add", "sub", "mul", "square")
    discrete = {"quadratic": INTEGERS, "linear": INTEGERS, "constant": INTEGERS}
    has_sparsity_error = False
    domain = Domain(low=-1e18, high=1e18)

    @property
    def parameters(self):
        zero = Constant(0.0)
        return {
            "weight_r": self.matrix(xavier_uniform(self.in_features, self.out_features)),
            "weight_g": self.matrix(zero),
            "weight_b": self.matrix(zero),
            "bias_r": Parameter((self.out_features,), zero),
            "bias_g": Parameter((self.out_features,), Constant(1.0)),
            "constant": Parameter((self.out_features,), zero),
        }

    def transform(self, xp, params):
        W_r, W_g, W_b = params["weight_r"], params["weight_g"], params["weight_b"]
        b_r, b_g = params["bias_r"], params["bias_g"]
        pairs = xp.expand_dims(W_r, axis=-1) * xp.expand_dims(W_g, axis=-2)
        squares = xp.expand_dims(W_b, axis=-1) * xp.eye(self.in_features, dtype=W_b.dtype)
        upper = xp.triu(pairs + xp.matrix_transpose(pairs), k=1)
        diagonal = pairs * xp.eye(self.in_features, dtype=W_b.dtype)
        return {
            "quadratic": upper + diagonal + squares,
            "linear": xp.expand_dims(b_g, axis=-1) * W_r + xp.expand_dims(b_r, axis=-1) * W_g,
            "constant": b_r * b_g + params["constant"],
        }

    def forward(self, xp, params, x, train, noise):
        r = ops.linear(xp, x, params["weight_r"]) + params["bias_r"]
        g = ops.linear(xp, x, params["weight_g"]) + params["bias_g"]
        return r * g + ops.linear(xp, x * x, params["weight_b"]) + params["constant"]

    def represent(self, op, weight):
        none, one = np.zeros(self.out_features), np.ones(self.out_features)
        params = {
            "weight_r": np.zeros_like(weight),
            "weight_g": np.zeros_like(weight),
            "weight_b": np.zeros_like(weight),
            "bias_r": none,
            "bias_g": one,
            "constant": none,
        }
        if op.kind == "sum":
            return params | {"weight_r": weight}
        if op.name == "square":
            return params | {"weight_b": weight / 2}
        first, second, *more = np.flatnonzero(weight[0])
        if more:
            raise InputError(
                "Quadratic multiplies two inputs, not more; stack layers for longer products."
            )
        columns = np.eye(self.in_features)
        return params | {
            "weight_r": np.tile(columns[first], (self.out_features, 1)),
            "weight_g": np.tile(columns[second], (self.out_features, 1)),
            "bias_g": none,
        }

    def read(self, read, x):
        quadratic, constant = read("quadratic"), read("constant")
        products = [x_i * x_j for x_i in x for x_j in x]
        return [
            linear(quadratic[o].ravel(), products) + linear(row, x) + constant[o]
            for o, row in enumerate(read("linear"))
        ]
