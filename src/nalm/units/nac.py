r"""The neural accumulator, NAC.

.. math:: W = \tanh(\hat W) \odot \sigma(\hat M), \qquad y_o = \sum_i W_{oi} x_i

Weights 1, -1 and 0 add, subtract and ignore an input. Exact for every input.

Reference: Trask et al., Neural Arithmetic Logic Units, NeurIPS 2018.
"""

from nalm.formula import TERNARY
from nalm.units import ops
from nalm.units._families import Additive
from nalm.units.initial import nac_uniform
from nalm.units.ops import absolute


class NAC(Additive):
    """Neural accumulator: a linear map whose weights are biased towards -1, 0 and 1."""

    name = "nac"
    papers = ("trask2018",)
    represents = ("add", "sub")
    discrete = {"weight": TERNARY}

    @property
    def parameters(self):
        init = nac_uniform(self.in_features, self.out_features)
        return {"w_hat": self.matrix(init), "m_hat": self.matrix(init)}

    def transform(self, xp, params):
        return {"weight": ops.nac_weight(xp, params["w_hat"], params["m_hat"])}

    def forward(self, xp, params, x, train, noise):
        return ops.linear(xp, x, self.transform(xp, params)["weight"])

    def penalty_terms(self, xp, params, x):
        if x is None:
            return {}
        W = self.transform(xp, params)["weight"]
        return {"z": xp.mean((1 - absolute(xp, W)) * ops.mean_input(xp, x) ** 2)}

    def represent(self, op, weight):
        return ops.nac_exact(weight)
