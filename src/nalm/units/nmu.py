r"""The neural multiplication unit, NMU.

.. math:: y_o = \prod_i (W_{oi} x_i + 1 - W_{oi}), \qquad W \in [0, 1]

Weights 1 and 0 multiply and ignore an input. Exact for every input whose product is finite.

Reference: Madsen and Johansen, Neural Arithmetic Units, ICLR 2020.
"""

from typing import Literal

from nalm.formula import BINARY
from nalm.units import ops
from nalm.units._families import Multiplicative
from nalm.units.initial import HALF
from nalm.units.ops import clip


def nmu(xp, W, x):
    """Return Π_i (W[o, i] x_i + 1 - W[o, i])."""
    return ops.product(xp, W * ops.per_output(xp, x) + (1 - W))


def nmu_penalties(xp, W, x):
    """Return the penalties of weights between 0 and 1 that multiply."""
    terms = {
        "discretise": xp.mean(ops.distance_binary(xp, W)),
        "out_of_bounds": ops.out_of_bounds(xp, W, 0.0, 1.0),
    }
    if x is not None:
        terms["z"] = xp.mean((1 - W) * (1 - ops.mean_input(xp, x)) ** 2)
    return terms


class NMU(Multiplicative):
    """Neural multiplication unit: the product of the selected inputs.

    `clamp="stored"` clamps the stored weights after each optimizer step; `"forward"` leaves them
    free and clamps them only where they are used.
    """

    clamp: Literal["stored", "forward"] = "stored"

    name = "nmu"
    papers = ("madsen2020",)
    represents = ("mul",)
    discrete = {"weight": BINARY}

    @property
    def parameters(self):
        return {"weight": self.matrix(HALF, (0.0, 1.0) if self.clamp == "stored" else None)}

    def transform(self, xp, params):
        W = params["weight"]
        return {"weight": W if self.clamp == "stored" else clip(xp, W, 0.0, 1.0)}

    def forward(self, xp, params, x, train, noise):
        return nmu(xp, self.transform(xp, params)["weight"], x)

    def penalty_terms(self, xp, params, x):
        return nmu_penalties(xp, params["weight"], x)

    def represent(self, op, weight):
        return {"weight": weight}
