r"""The neural accumulator, NAC.

.. math:: W = \tanh(\hat W) \odot \sigma(\hat M), \qquad y_o = \sum_i W_{oi} x_i

Weights 1, -1 and 0 add, subtract and ignore an input. Exact for every input.

Reference: Trask et al., Neural Arithmetic Logic Units, NeurIPS 2018.
"""

from dataclasses import dataclass

from nalm._ops import absolute
from nalm.formula import TERNARY
from nalm.units import _weights as w
from nalm.units._families import Additive
from nalm.units._init import nac_uniform


@dataclass(frozen=True)
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
        return {"weight": w.nac_weight(xp, params["w_hat"], params["m_hat"])}

    def forward(self, xp, params, x, train, noise):
        return w.linear(xp, x, self.transform(xp, params)["weight"])

    def regularisers(self, xp, params, x):
        if x is None:
            return {}
        W = self.transform(xp, params)["weight"]
        return {"z": xp.mean((1 - absolute(xp, W)) * w.mean_input(xp, x) ** 2)}

    def represent(self, op, weight):
        return w.nac_exact(weight)
