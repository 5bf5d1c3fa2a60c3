r"""The improved NALU, iNALU.

.. math:: y = g \odot a + (1 - g) \odot m \odot s, \qquad g = \sigma(\hat g)

with :math:`a` the iNAC and :math:`m \odot s` the iMNAC of the input, each with its own weights.
The gate does not see the input: 1 reads a signed sum, 0 a product of powers. Sums are exact for
every input, products where the iMNAC is exact. The paper compares separate weights with weights
that both share, and recommends to start at N(1, 0.1²), N(-1, 0.1²) and N(0, 0.1²) for
:math:`\hat W`, :math:`\hat M` and :math:`\hat g`; other code starts elsewhere.

Reference: Schlör, Ring and Hotho, iNALU: Improved Neural Arithmetic Logic Unit, Frontiers in
Artificial Intelligence 2020.
"""

from dataclasses import field
from typing import Literal

import numpy as np

from nalm.formula import BINARY, HALVES, TERNARY, linear, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Parameter
from nalm.units._unit import Unit
from nalm.units.inac import M_HAT, PRODUCTS, W_HAT, imnac, saturate
from nalm.units.initial import Normal
from nalm.units.nac_mul import divides
from nalm.units.ops import sigmoid

STARTS = {
    "wide": (W_HAT, M_HAT, Normal(0.0, 0.2)),
    "recommended": (Normal(1.0, 0.1), Normal(-1.0, 0.1), Normal(0.0, 0.1)),
}
"""Where ŵ, m̂ and the gate start."""
LATER = {"later": True}
"""Marks an option that was added when models were stored already."""


class INALU(Unit, Dividing):
    """Improved NALU: signed products, a gate that does not see the input.

    `weights` are `"separate"` for sum and product or `"shared"` by both. `initial="recommended"`
    starts where the paper recommends.
    """

    weights: Literal["separate", "shared"] = field(default="separate", metadata=LATER)
    initial: Literal["wide", "recommended"] = field(default="wide", metadata=LATER)

    name = "inalu"
    papers = ("schloer2020",)
    represents = ("add", "sub", "mul", "div", "reciprocal", "root")
    discrete = {"add": TERNARY, "mul": HALVES, "gate": BINARY}
    domain = PRODUCTS

    @property
    def parameters(self):
        w_hat, m_hat, gate = STARTS[self.initial]
        weights = {
            prefix + name: self.matrix(start)
            for prefix in self._branches()
            for name, start in (("w_hat", w_hat), ("m_hat", m_hat))
        }
        return weights | {"gate": Parameter((self.out_features,), gate)}

    def transform(self, xp, params):
        add, mul = (
            ops.nac_weight(xp, params[prefix + "w_hat"], params[prefix + "m_hat"])
            for prefix in (self._branches() * 2)[:2]
        )
        return {"add": add, "mul": mul, "gate": sigmoid(xp, params["gate"])}

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
        is_sum = op.kind == "sum"
        params = {"gate": ops.logit_exact(np.full(self.out_features, float(is_sum)))}
        for prefix in self._branches():
            used = is_sum if prefix == "add_" else not is_sum
            params |= ops.nac_exact(weight if used or not prefix else 0 * weight, prefix)
        return params

    def read(self, read, x):
        g = read("gate")
        add = read("add", used=g[:, None] == 1)
        mul = read("mul", used=g[:, None] == 0)
        return [
            linear(add[o], x) if g[o] == 1 else monomial(mul[o], x)
            for o in range(self.out_features)
        ]

    def _branches(self):
        return ("",) if self.weights == "shared" else ("add_", "mul_")
