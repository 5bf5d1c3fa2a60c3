r"""The neural multiplication unit, NMU.

.. math:: y_o = \prod_i (W_{oi} x_i + 1 - W_{oi}), \qquad W \in [0, 1]

Weights 1 and 0 multiply and ignore an input. Exact for every input whose product is finite.

Reference: Madsen and Johansen, Neural Arithmetic Units, ICLR 2020.
"""

from dataclasses import dataclass
from typing import Literal

from nalm._ops import clip
from nalm.formula import BINARY
from nalm.units import _weights as w
from nalm.units._families import Multiplicative
from nalm.units._init import HALF


def nmu(xp, W, x):
    """Return Π_i (W[o, i] x_i + 1 - W[o, i])."""
    return w.product(xp, W * w.per_output(xp, x) + (1 - W))


def nmu_regularisers(xp, W, x):
    """Return the penalties of weights between 0 and 1 that multiply."""
    terms = {
        "discretise": xp.mean(w.distance_binary(xp, W)),
        "out_of_bounds": w.out_of_bounds(xp, W, 0.0, 1.0),
    }
    if x is not None:
        terms["z"] = xp.mean((1 - W) * (1 - w.mean_input(xp, x)) ** 2)
    return terms


@dataclass(frozen=True)
class NMU(Multiplicative):
    """Neural multiplication unit: the product of the selected inputs.

    `clamp="stored"` clamps the stored weights after each optimiser step; `"forward"` leaves them
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

    def regularisers(self, xp, params, x):
        return nmu_regularisers(xp, params["weight"], x)

    def represent(self, op, weight):
        return {"weight": weight}
