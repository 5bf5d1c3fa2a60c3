r"""The improved NALU, iNALU.

.. math:: y = g \odot a + (1 - g) \odot m \odot s, \qquad g = \sigma(\hat g)

with :math:`a` the iNAC and :math:`m \odot s` the iMNAC of the input, each with its own weights.
The gate does not see the input: 1 reads a signed sum, 0 a product of powers. Sums are exact for
every input, products where the iMNAC is exact.

Reference: Schlör, Ring and Hotho, iNALU: Improved Neural Arithmetic Logic Unit, Frontiers in
Artificial Intelligence 2020.
"""

import numpy as np

from nalm.formula import BINARY, HALVES, TERNARY, linear, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Parameter
from nalm.units._unit import Unit
from nalm.units.inac import M_HAT, PRODUCTS, W_HAT, imnac, saturate
from nalm.units.initial import Normal
from nalm.units.nac_mul import divides
from nalm.units.ops import sigmoid


class INALU(Unit, Dividing):
    """Improved NALU: separate weights, signed products, a gate that does not see the input."""

    name = "inalu"
    papers = ("schloer2020",)
    represents = ("add", "sub", "mul", "div", "reciprocal", "root")
    discrete = {"add": TERNARY, "mul": HALVES, "gate": BINARY}
    domain = PRODUCTS

    @property
    def parameters(self):
        return {
            "add_w_hat": self.matrix(W_HAT),
            "add_m_hat": self.matrix(M_HAT),
            "mul_w_hat": self.matrix(W_HAT),
            "mul_m_hat": self.matrix(M_HAT),
            "gate": Parameter((self.out_features,), Normal(0.0, 0.2)),
        }

    def transform(self, xp, params):
        return {
            "add": ops.nac_weight(xp, params["add_w_hat"], params["add_m_hat"]),
            "mul": ops.nac_weight(xp, params["mul_w_hat"], params["mul_m_hat"]),
            "gate": sigmoid(xp, params["gate"]),
        }

    def divisors(self, xp, params, x):
        weights = self.transform(xp, params)
        product = xp.expand_dims(weights["gate"] < 0.5, axis=-1)
        return divides(xp, xp.where(product, weights["mul"], 0.0))

    def forward(self, xp, params, x, train, noise):
        weights = self.transform(xp, params)
        a = ops.linear(xp, x, weights["add"])
        g = weights["gate"]
        return g * a + (1 - g) * imnac(xp, weights["mul"], x)

    def penalty_terms(self, xp, params, x):
        return {"saturate": saturate(xp, params)}

    def sparsity(self, xp, weights):
        return sum(ops.sparsity_error(xp, weights[branch]) for branch in ("add", "mul")) / 2

    def represent(self, op, weight):
        add, mul = (weight, 0 * weight) if op.kind == "sum" else (0 * weight, weight)
        gate = np.full(self.out_features, float(op.kind == "sum"))
        return {
            **ops.nac_exact(add, "add_"),
            **ops.nac_exact(mul, "mul_"),
            "gate": ops.logit_exact(gate),
        }

    def read(self, read, x):
        g = read("gate")
        add = read("add", used=g[:, None] == 1)
        mul = read("mul", used=g[:, None] == 0)
        return [
            linear(add[o], x) if g[o] == 1 else monomial(mul[o], x)
            for o in range(self.out_features)
        ]
