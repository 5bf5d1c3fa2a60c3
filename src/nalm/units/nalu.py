r"""The neural arithmetic logic unit, NALU, and its golden-ratio form, G-NALU.

.. math::
    W = \tanh(\hat W) \odot \sigma(\hat M), \quad a = W x, \quad
    m = \exp(W \log(|x| + \varepsilon)), \quad g = \sigma(G x), \quad
    y = g \odot a + (1 - g) \odot m

with :math:`\varepsilon = 10^{-7}`. G-NALU replaces the base e of tanh and σ, in the weights and
in the gate, by the golden ratio φ: their argument is multiplied by :math:`\ln φ`.

An open gate (1) reads W as a signed sum, a closed one (0) as exponents of a product. The gate
depends on the input, so no weights give one operation for inputs of every sign: the exact
parameters are exact for inputs ≥ 0 whose sum is at least 1e-6, with |x| seen enlarged by ε in
products; the sign of inputs is lost in products.

References: Trask et al., Neural Arithmetic Logic Units, NeurIPS 2018;
Rana, Malhi and Främling, Exploring Numerical Calculations with CalcNet, ICTAI 2019 (G-NALU).
"""

from abc import ABC, abstractmethod
from math import log, sqrt
from typing import Any, Literal, final

import numpy as np

from nalm.formula import HALVES, linear, magnitude, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Domain
from nalm.units._unit import Unit
from nalm.units.initial import nac_uniform, xavier_uniform
from nalm.units.nac_mul import EPSILON, log_magnitude
from nalm.units.ops import sigmoid, weigh

LN_PHI = log((1 + sqrt(5)) / 2)
GATE = 1e9
"""A gate weight that decides the gate for every sum of inputs from 1e-6 on."""


def gate_exact(op, shape):
    """Return gate weights that open the gate for sums and close it for products."""
    return np.full(shape, GATE if op.kind == "sum" else -GATE)


class InputGated(Unit, Dividing, ABC):
    """An additive and a multiplicative branch, chosen by a gate that sees the input."""

    represents = ("add", "sub", "mul", "div", "reciprocal", "root")
    discrete = {"add": HALVES, "mul": HALVES}
    domain = Domain(low=0.0, least_sum=1e-6, epsilon=EPSILON, logarithmic=True, unsigned=True)

    @abstractmethod
    def squash(self, xp, z) -> Any:
        """The sigmoid of the gate."""

    @final
    def divisors(self, xp, params, x):
        weights = self.transform(xp, params)
        products = self.squash(xp, ops.linear(xp, x, weights["gate"])) < 0.5
        divided = xp.expand_dims(products, axis=-1) & (weights["mul"] <= -0.5)
        return xp.any(divided, axis=-2)

    @final
    def forward(self, xp, params, x, train, noise):
        weights = self.transform(xp, params)
        a = ops.linear(xp, x, weights["add"])
        m = xp.exp(ops.linear(xp, log_magnitude(xp, x), weights["mul"]))
        g = self.squash(xp, ops.linear(xp, x, weights["gate"]))
        return weigh(xp, g, a) + weigh(xp, 1 - g, m)

    @final
    def sparsity(self, xp, weights):
        errors = [ops.sparsity_error(xp, weights[branch]) for branch in ("add", "mul")]
        return xp.maximum(*errors)

    @final
    def read(self, read, x):
        g = read.input_gate(lambda z: self.squash(np, z))
        add = read("add", used=g[:, None] == 1)
        mul = read("mul", used=g[:, None] == 0)
        return [
            linear(add[o], x) if g[o] == 1 else magnitude(monomial(mul[o], x))
            for o in range(self.out_features)
        ]


class NALU(InputGated):
    """Neural arithmetic logic unit; `weights` is `"shared"` by both branches or `"separate"`."""

    weights: Literal["shared", "separate"] = "shared"

    name = "nalu"
    papers = ("trask2018",)

    @property
    def parameters(self):
        init = nac_uniform(self.in_features, self.out_features)
        gate = xavier_uniform(self.in_features, self.out_features)
        names = [prefix + name for prefix in self._branches() for name in ("w_hat", "m_hat")]
        return {name: self.matrix(init) for name in names} | {"gate": self.matrix(gate)}

    def squash(self, xp, z):
        return sigmoid(xp, z)

    def transform(self, xp, params):
        add, mul = (
            ops.nac_weight(xp, params[prefix + "w_hat"], params[prefix + "m_hat"])
            for prefix in (self._branches() * 2)[:2]
        )
        return {"add": add, "mul": mul, "gate": params["gate"]}

    def represent(self, op, weight):
        params = {"gate": gate_exact(op, weight.shape)}
        for prefix in self._branches():
            params |= ops.nac_exact(weight, prefix)
        return params

    def _branches(self):
        return ("",) if self.weights == "shared" else ("add_", "mul_")


class GNALU(InputGated):
    """Golden-ratio NALU: smoother weights and gate, shared by both branches."""

    name = "gnalu"
    papers = ("rana2019", "trask2018")

    @property
    def parameters(self):
        init = nac_uniform(self.in_features, self.out_features)
        gate = xavier_uniform(self.in_features, self.out_features)
        return {"w_hat": self.matrix(init), "m_hat": self.matrix(init), "gate": self.matrix(gate)}

    def squash(self, xp, z):
        return sigmoid(xp, z * LN_PHI)

    def transform(self, xp, params):
        W = ops.nac_weight(xp, params["w_hat"] * LN_PHI, params["m_hat"] * LN_PHI)
        return {"add": W, "mul": W, "gate": params["gate"]}

    def represent(self, op, weight):
        base_e = ops.nac_exact(weight)
        golden = {name: value / LN_PHI for name, value in base_e.items()}
        return golden | {"gate": gate_exact(op, weight.shape)}
