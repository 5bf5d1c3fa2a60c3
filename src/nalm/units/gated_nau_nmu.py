r"""The gated NAU/NMU.

.. math:: y = g \odot \mathrm{NAU}(x) + (1 - g) \odot \mathrm{NMU}(x), \qquad g = \sigma(G x)

An open gate (1) reads the NAU, a closed one (0) the NMU. As in the NALU the gate depends on the
input: the exact parameters are exact for inputs ≥ 0 whose sum is at least 1e-6.

Reference: Madsen and Johansen, Neural Arithmetic Units, ICLR 2020, appendix C.5.
"""

import numpy as np

from nalm.formula import BINARY, TERNARY, linear, monomial
from nalm.units import ops
from nalm.units._declare import Domain
from nalm.units._unit import Unit
from nalm.units.initial import HALF, constrained_uniform, xavier_uniform
from nalm.units.nalu import gate_exact
from nalm.units.nmu import nmu
from nalm.units.ops import clip, sigmoid, weigh


class GatedNAUNMU(Unit):
    """An NAU and an NMU, chosen by a gate that sees the input."""

    name = "gated_nau_nmu"
    papers = ("madsen2020",)
    represents = ("add", "sub", "mul")
    discrete = {"add": TERNARY, "mul": BINARY}
    domain = Domain(low=0.0, least_sum=1e-6)

    @property
    def parameters(self):
        sizes = self.in_features, self.out_features
        return {
            "add_weight": self.matrix(constrained_uniform(*sizes), (-1.0, 1.0)),
            "mul_weight": self.matrix(HALF, (0.0, 1.0)),
            "gate": self.matrix(xavier_uniform(*sizes)),
        }

    def transform(self, xp, params):
        add = clip(xp, params["add_weight"], -1.0, 1.0)
        return {"add": add, "mul": params["mul_weight"], "gate": params["gate"]}

    def forward(self, xp, params, x, train, noise):
        weights = self.transform(xp, params)
        g = sigmoid(xp, ops.linear(xp, x, weights["gate"]))
        a = ops.linear(xp, x, weights["add"])
        return weigh(xp, g, a) + weigh(xp, 1 - g, nmu(xp, weights["mul"], x))

    def penalty_terms(self, xp, params, x):
        add, mul = params["add_weight"], params["mul_weight"]
        distances = ops.distance_ternary(xp, add), ops.distance_binary(xp, mul)
        return {"discretise": sum(xp.mean(distance) for distance in distances)}

    def sparsity(self, xp, weights):
        return xp.maximum(*(ops.sparsity_error(xp, weights[branch]) for branch in ("add", "mul")))

    def represent(self, op, weight):
        unused = np.zeros_like(weight)
        add, mul = (weight, unused) if op.kind == "sum" else (unused, weight)
        return {"add_weight": add, "mul_weight": mul, "gate": gate_exact(op, weight.shape)}

    def read(self, read, x):
        g = read.input_gate(lambda z: sigmoid(np, z))
        add = read("add", used=g[:, None] == 1)
        mul = read("mul", used=g[:, None] == 0)
        return [
            linear(add[o], x) if g[o] == 1 else monomial(mul[o], x)
            for o in range(self.out_features)
        ]
