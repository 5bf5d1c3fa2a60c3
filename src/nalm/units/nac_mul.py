r"""The multiplicative neural accumulator and its two variants: sums of logarithms.

.. math:: y_o = \exp \sum_i W_{oi} \log(|x_i| + \varepsilon)

with the option :math:`\varepsilon = 10^{-7}`.

=============== ================================================
`nac_mul`       :math:`W = \tanh(\hat W) \odot \sigma(\hat M)`
`nac_mul_sigma` :math:`W = \sigma(\hat W)`
`nac_mul_nmu`   :math:`W \in [0, 1]`, clamped
=============== ================================================

Weights are exponents: 1 multiplies, -1 divides, 1/2 takes a root, 0 ignores. The sign of the
inputs is lost, so the result is exact for inputs ≥ 0 only, and each |x| is seen enlarged by ε.

References: Trask et al., Neural Arithmetic Logic Units, NeurIPS 2018 (`nac_mul`);
Madsen and Johansen, Neural Arithmetic Units, ICLR 2020 (the variants).
"""

from abc import ABC
from typing import final

from nalm.formula import BINARY, HALVES, enlarged, magnitude, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Domain
from nalm.units._families import SingleWeight
from nalm.units._options import option
from nalm.units.initial import HALF, nac_uniform, xavier_normal
from nalm.units.nmu import nmu_penalties
from nalm.units.ops import absolute, sigmoid

EPSILON = 1e-7


def log_magnitude(xp, x, epsilon=EPSILON):
    """Return log(|x| + ε)."""
    return xp.log(absolute(xp, x) + epsilon)


def divides(xp, W):
    """Return which inputs some output divides by, from its exponents."""
    return xp.any(W <= -0.5, axis=-2)


class ExpLog(SingleWeight, ABC):
    """A product of powers of the magnitudes; a subclass says where the exponents come from."""

    epsilon: float = option(
        default=EPSILON,
        rule="a number above 0: the logarithm of 0 is infinite",
        valid=lambda value: value > 0,
        later=True,
    )

    @property
    def domain(self):  # pyright: ignore[reportIncompatibleVariableOverride]
        return Domain(low=0.0, epsilon=self.epsilon, logarithmic=True, unsigned=True)

    @final
    def forward(self, xp, params, x, train, noise):
        W = self.transform(xp, params)["weight"]
        return xp.exp(ops.linear(xp, log_magnitude(xp, x, self.epsilon), W))

    @final
    def read(self, read, x):
        seen = enlarged(x, self.epsilon)
        return [magnitude(monomial(row, seen)) for row in read("weight")]


class NACMul(ExpLog, Dividing):
    """Multiplicative neural accumulator: a product of powers of the magnitudes."""

    name = "nac_mul"
    papers = ("trask2018",)
    represents = ("mul", "div", "reciprocal", "root")
    discrete = {"weight": HALVES}

    @property
    def parameters(self):
        init = nac_uniform(self.in_features, self.out_features)
        return {"w_hat": self.matrix(init), "m_hat": self.matrix(init)}

    def transform(self, xp, params):
        return {"weight": ops.nac_weight(xp, params["w_hat"], params["m_hat"])}

    def divisors(self, xp, params, x):
        return divides(xp, self.transform(xp, params)["weight"])

    def represent(self, op, weight):
        return ops.nac_exact(weight)


class NACMulSigma(ExpLog):
    """Multiplicative neural accumulator with weights σ(ŵ): it multiplies, never divides."""

    name = "nac_mul_sigma"
    papers = ("madsen2020", "trask2018")
    represents = ("mul",)
    discrete = {"weight": BINARY}

    @property
    def parameters(self):
        return {"w_hat": self.matrix(xavier_normal(self.in_features, self.out_features))}

    def transform(self, xp, params):
        return {"weight": sigmoid(xp, params["w_hat"])}

    def represent(self, op, weight):
        return {"w_hat": ops.logit_exact(weight)}


class NACMulNMU(ExpLog):
    """Multiplicative neural accumulator with the weights of an NMU, free in [0, 1]."""

    name = "nac_mul_nmu"
    papers = ("madsen2020", "trask2018")
    represents = ("mul",)
    discrete = {"weight": BINARY}

    @property
    def parameters(self):
        return {"weight": self.matrix(HALF, (0.0, 1.0))}

    def transform(self, xp, params):
        return {"weight": params["weight"]}

    def penalty_terms(self, xp, params, x):
        logs = None if x is None else log_magnitude(xp, x, self.epsilon)
        return nmu_penalties(xp, params["weight"], logs)

    def represent(self, op, weight):
        return {"weight": weight}
