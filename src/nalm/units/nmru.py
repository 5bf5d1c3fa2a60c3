r"""The neural multiplicative reciprocal unit, NMRU.

.. math::
    c = [x;\ 1 / (x + \varepsilon)], \qquad k_j = \pi [c_j < 0], \qquad
    y_o = \prod_{j=1}^{2I} (W_{oj} |c_j| + 1 - W_{oj}) \cdot \cos \sum_j W_{oj} k_j

with :math:`W \in [0, 1]`, and :math:`\varepsilon = 2^{-23}` in training, 0 in evaluation. The
first half of the weights multiplies by an input, the second divides by it. Exact for every input
with non-zero divisors.

`sign=False` is the ablation without sign retrieval, :math:`\prod_j (W_{oj} c_j + 1 - W_{oj})`;
`gate=True` first multiplies c by learnt gates in [0, 1].

Reference: Mistry, Farrahi and Hare, Exploring the Learning Mechanisms of Neural Division Modules,
TMLR 2022.
"""

from math import pi

import numpy as np

from nalm.formula import BINARY, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Parameter
from nalm.units._families import SingleWeight
from nalm.units.initial import HALF, Constant
from nalm.units.ops import EPS32, absolute, reciprocal, weigh


class NMRU(SingleWeight, Dividing):
    """Neural multiplicative reciprocal unit: an NMU over the inputs and their reciprocals."""

    sign: bool = True
    gate: bool = False

    name = "nmru"
    papers = ("mistry2022division",)
    represents = ("mul", "div", "reciprocal")
    discrete = {"weight": BINARY, "gate": BINARY}

    @property
    def parameters(self):
        columns = 2 * self.in_features
        weight = Parameter((self.out_features, columns), HALF, (0.0, 1.0))
        if not self.gate:
            return {"weight": weight}
        return {"weight": weight, "gate": Parameter((columns,), Constant(0.5), (0.0, 1.0))}

    def divisors(self, xp, params, x):
        return xp.any(params["weight"][:, self.in_features :] > 0, axis=-2)

    def forward(self, xp, params, x, train, noise):
        W = params["weight"]
        c = xp.concat([x, reciprocal(xp, x + EPS32 if train else x)], axis=-1)
        if self.gate:
            c = weigh(xp, params["gate"], c)
        magnitude = ops.per_output(xp, absolute(xp, c) if self.sign else c)
        y = ops.product(xp, weigh(xp, W, magnitude) + (1 - W))
        if not self.sign:
            return y
        k = pi * xp.astype(c < 0, x.dtype)
        return y * xp.cos(ops.linear(xp, k, W))

    def penalty_terms(self, xp, params, x):
        terms = {"discretise": xp.mean(ops.distance_binary(xp, params["weight"]))}
        if self.gate:
            terms["discretise_gate"] = xp.mean(ops.distance_binary(xp, params["gate"]))
        return terms

    def represent(self, op, weight):
        both = [np.maximum(weight, 0.0), np.maximum(-weight, 0.0)]
        selected = {"weight": np.concatenate(both, axis=1)}
        return selected | ({"gate": np.ones(2 * self.in_features)} if self.gate else {})

    def read(self, read, x):
        W = read("weight")
        c = [*x, *(1 / x_i for x_i in x)]
        if self.gate:
            g = read("gate", used=np.any(W == 1, axis=0))
            c = [g_j * c_j for g_j, c_j in zip(g, c, strict=True)]
        return [monomial(row, c) for row in W]
