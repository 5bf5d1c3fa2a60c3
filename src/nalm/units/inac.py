r"""The two halves of the improved NALU: iNAC adds, iMNAC multiplies.

.. math::
    W = \tanh(\hat W) \odot \sigma(\hat M), \qquad \text{iNAC:}\quad a = W x

.. math::
    \text{iMNAC:}\quad m_o s_o, \qquad
    m_o = \exp \min\Big(\sum_i W_{oi} \log \max(|x_i|, \varepsilon),\ \omega\Big), \qquad
    s_o = \prod_i \big(\operatorname{sign}(x_i) |W_{oi}| + 1 - |W_{oi}|\big)

with :math:`\varepsilon = 10^{-7}` and :math:`\omega = 20`.

iNAC is exact for every input. iMNAC is exact for inputs of magnitude at least ε (and for zero,
except as a divisor) and results of magnitude at most exp(ω) ≈ 4.85e8; its root for inputs ≥ ε.

Reference: Schlör, Ring and Hotho, iNALU: Improved Neural Arithmetic Logic Unit, Frontiers in
Artificial Intelligence 2020.
"""

from math import exp, inf

from nalm.formula import HALVES, TERNARY
from nalm.units import ops
from nalm.units._declare import Dividing, Domain
from nalm.units._families import Additive, Multiplicative
from nalm.units.initial import Normal
from nalm.units.nac_mul import divides
from nalm.units.ops import absolute, clip, minimum, relu, sign

EPSILON, OMEGA, T = 1e-7, 20.0, 20.0
W_HAT, M_HAT = Normal(0.88, 0.2), Normal(0.5, 0.2)
PRODUCTS = Domain(smallest=EPSILON, largest=exp(OMEGA), logarithmic=True)


def imnac(xp, W, x):
    """Return the signed product of powers."""
    logs = xp.log(clip(xp, absolute(xp, x), EPSILON, inf))
    exponent = ops.linear(xp, logs, W)
    m = xp.exp(minimum(xp, exponent, OMEGA * xp.ones_like(exponent)))
    A = absolute(xp, W)
    return m * ops.product(xp, sign(xp, ops.per_output(xp, x)) * A + (1 - A))


def saturate(xp, params):
    """Return the penalty of parameters between -t and t, where tanh and σ are not yet discrete."""
    return sum(xp.mean(relu(xp, T - absolute(xp, theta))) for theta in params.values()) / T


class INAC(Additive):
    """The additive half of iNALU."""

    name = "inac"
    papers = ("schloer2020",)
    represents = ("add", "sub")
    discrete = {"weight": TERNARY}

    @property
    def parameters(self):
        return {"w_hat": self.matrix(W_HAT), "m_hat": self.matrix(M_HAT)}

    def transform(self, xp, params):
        return {"weight": ops.nac_weight(xp, params["w_hat"], params["m_hat"])}

    def forward(self, xp, params, x, train, noise):
        return ops.linear(xp, x, self.transform(xp, params)["weight"])

    def penalty_terms(self, xp, params, x):
        return {"saturate": saturate(xp, params)}

    def represent(self, op, weight):
        return ops.nac_exact(weight)


class IMNAC(Multiplicative, Dividing):
    """The multiplicative half of iNALU: a product of powers with its sign."""

    name = "imnac"
    papers = ("schloer2020",)
    represents = ("mul", "div", "reciprocal", "root")
    discrete = {"weight": HALVES}
    domain = PRODUCTS

    @property
    def parameters(self):
        return {"w_hat": self.matrix(W_HAT), "m_hat": self.matrix(M_HAT)}

    def transform(self, xp, params):
        return {"weight": ops.nac_weight(xp, params["w_hat"], params["m_hat"])}

    def divisors(self, xp, params, x):
        return divides(xp, self.transform(xp, params)["weight"])

    def forward(self, xp, params, x, train, noise):
        return imnac(xp, self.transform(xp, params)["weight"], x)

    def penalty_terms(self, xp, params, x):
        return {"saturate": saturate(xp, params)}

    def represent(self, op, weight):
        return ops.nac_exact(weight)
