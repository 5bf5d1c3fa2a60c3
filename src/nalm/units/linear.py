r"""The linear layer: a baseline.

.. math:: y = W x + b

A formula rounds weights and bias to integers; with `numbers="measured"` it keeps six digits of
them. Exact for every input.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from nalm.formula import INTEGERS, MEASURED, linear
from nalm.units import ops
from nalm.units._declare import Parameter
from nalm.units._unit import Unit
from nalm.units.initial import Constant, xavier_uniform


class Linear(Unit):
    """Linear layer, with a bias unless `bias=False`."""

    bias: bool = True
    numbers: Literal["integers", "measured"] = "integers"

    name = "linear"
    represents = ("add", "sub")
    discrete = {"weight": INTEGERS, "bias": INTEGERS}

    @property
    def parameters(self):
        weight = self.matrix(xavier_uniform(self.in_features, self.out_features))
        if not self.bias:
            return {"weight": weight}
        return {"weight": weight, "bias": Parameter((self.out_features,), Constant(0.0))}

    def forward(self, xp, params, x, train, noise):
        y = ops.linear(xp, x, params["weight"])
        return y + params["bias"] if self.bias else y

    def sparsity(self, xp, weights):
        return ops.sparsity_error(xp, weights["weight"])

    def represent(self, op, weight):
        return {"weight": weight} | ({"bias": np.zeros(self.out_features)} if self.bias else {})

    def read(self, read, x):
        if self.numbers == "measured":
            read = replace(read, discrete=dict.fromkeys(self.discrete, MEASURED))
        bias = read("bias") if self.bias else np.zeros(self.out_features, dtype=int)
        return [linear(row, x) + b for row, b in zip(read("weight"), bias, strict=True)]
