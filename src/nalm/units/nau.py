r"""The neural addition unit, NAU.

.. math:: y_o = \sum_i W_{oi} x_i, \qquad W \in [-1, 1]

Weights 1, -1 and 0 add, subtract and ignore an input. Exact for every input.

Reference: Madsen and Johansen, Neural Arithmetic Units, ICLR 2020.
"""

from typing import Literal

from nalm.formula import TERNARY
from nalm.units import ops
from nalm.units._families import Additive
from nalm.units.initial import constrained_uniform
from nalm.units.ops import absolute, clip


class NAU(Additive):
    """Neural addition unit: a linear map with weights in [-1, 1], no bias.

    `clamp="stored"` clamps the stored weights after each optimizer step; `"forward"` leaves them
    free and clamps them only where they are used.
    """

    clamp: Literal["stored", "forward"] = "stored"

    name = "nau"
    papers = ("madsen2020",)
    represents = ("add", "sub")
    discrete = {"weight": TERNARY}

    @property
    def parameters(self):
        bounds = (-1.0, 1.0) if self.clamp == "stored" else None
        init = constrained_uniform(self.in_features, self.out_features)
        return {"weight": self.matrix(init, bounds)}

    def transform(self, xp, params):
        return {"weight": clip(xp, params["weight"], -1.0, 1.0)}

    def forward(self, xp, params, x, train, noise):
        return ops.linear(xp, x, self.transform(xp, params)["weight"])

    def penalty_terms(self, xp, params, x):
        W = params["weight"]
        terms = {
            "discretise": xp.mean(ops.distance_ternary(xp, W)),
            "out_of_bounds": ops.out_of_bounds(xp, W, -1.0, 1.0),
        }
        if x is not None:
            terms["z"] = xp.mean((1 - absolute(xp, W)) * ops.mean_input(xp, x) ** 2)
        return terms

    def represent(self, op, weight):
        return {"weight": weight}
