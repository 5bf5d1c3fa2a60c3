r"""The neural reciprocal unit, NRU.

.. math::
    y_o = \prod_i \big(\operatorname{sign}(x_i) |x_i|^{W_{oi}} A_{oi} + 1 - A_{oi}\big),
    \qquad W \in [-1, 1]

with the relevance gate :math:`A = \tanh(1000\, W)^2` in training and :math:`A = |W|` in
evaluation, so the two agree at discrete weights only. `sign="separate"` takes the sign out of
the product:

.. math::
    y_o = \prod_i \big(|x_i|^{W_{oi}} A_{oi} + 1 - A_{oi}\big)
          \prod_i \operatorname{sign}(x_i)^{\operatorname{round}(W_{oi})}

Weights 1, -1 and 0 multiply, divide and ignore. Exact for every input with non-zero divisors.

Reference: Mistry, Farrahi and Hare, Exploring the Learning Mechanisms of Neural Division Modules,
TMLR 2022.
"""

from typing import Literal

from nalm.formula import TERNARY
from nalm.units import ops
from nalm.units._declare import Dividing
from nalm.units._families import Multiplicative
from nalm.units._options import option
from nalm.units.initial import constrained_uniform
from nalm.units.ops import absolute, power, sign


class NRU(Multiplicative, Dividing):
    """Neural reciprocal unit: multiplies and divides without logarithms."""

    sign: Literal["joint", "separate"] = "joint"
    tanh_scale: float = option(
        default=1000.0, rule="a number above 0", valid=lambda value: value > 0
    )

    name = "nru"
    papers = ("mistry2022division",)
    represents = ("mul", "div", "reciprocal")
    discrete = {"weight": TERNARY}

    @property
    def parameters(self):
        init = constrained_uniform(self.in_features, self.out_features)
        return {"weight": self.matrix(init, (-1.0, 1.0))}

    def transform(self, xp, params):
        return {"weight": params["weight"]}

    def divisors(self, xp, params, x):
        return xp.any(params["weight"] < 0, axis=-2)

    def forward(self, xp, params, x, train, noise):
        W = params["weight"]
        x = ops.per_output(xp, x)
        A = xp.tanh(self.tanh_scale * W) ** 2 if train else absolute(xp, W)
        powers = power(xp, absolute(xp, x), W)
        if self.sign == "joint":
            return ops.product(xp, sign(xp, x) * powers * A + (1 - A))
        signs = xp.where(xp.round(W) == 0, 1.0, sign(xp, x))
        return ops.product(xp, powers * A + (1 - A)) * ops.product(xp, signs)

    def penalty_terms(self, xp, params, x):
        return {"discretise": xp.mean(ops.distance_ternary(xp, params["weight"]))}

    def represent(self, op, weight):
        return {"weight": weight}
