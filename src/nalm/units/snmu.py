r"""The stochastic neural multiplication unit, sNMU.

In training each input is multiplied by noise, and the output divided by what the noise did:

.. math::
    y_o = \frac{\prod_i (n_i W_{oi} x_i + 1 - W_{oi})}{\prod_i (n_i W_{oi} + 1 - W_{oi})},
    \qquad n_i \sim U[1, 5]

With weights 0 and 1 the noise cancels. In evaluation it is the NMU, exact where the NMU is.

Reference: Mistry, Farrahi and Hare, Improving the Robustness of Neural Multiplication Units with
Reversible Stochasticity, 2022.
"""

from math import prod
from typing import Literal

from nalm.formula import BINARY
from nalm.units._declare import Stochastic
from nalm.units._families import Multiplicative
from nalm.units._options import option
from nalm.units.initial import HALF, Uniform
from nalm.units.nmu import nmu, nmu_penalties


class SNMU(Multiplicative, Stochastic):
    """Stochastic neural multiplication unit: an NMU trained with noise that cancels.

    `noise_range` is a fixed interval, or `"batch"` for U[1, 1 + 1/s] with s the standard
    deviation of all inputs of the batch (no noise where s is 0).
    """

    noise_range: tuple[float, float] | Literal["batch"] = option(
        default=(1.0, 5.0),
        rule="'batch' or two numbers with 0 < lower < upper",
        valid=lambda value: value == "batch" or 0 < value[0] < value[1],
    )

    name = "snmu"
    papers = ("mistry2022robust", "madsen2020")
    represents = ("mul",)
    discrete = {"weight": BINARY}

    @property
    def parameters(self):
        return {"weight": self.matrix(HALF, (0.0, 1.0))}

    @property
    def noise_sees_batch(self):
        return self.noise_range == "batch"

    def draws(self, xp, params, x):
        if not self.noise_sees_batch:
            return x.shape, Uniform(*self.noise_range)
        variance = xp.sum((x - xp.mean(x)) ** 2) / max(prod(x.shape) - 1, 1)
        s = xp.where(variance > 0, variance, 1.0) ** 0.5
        return x.shape, Uniform(1.0, 1.0 + xp.where(variance > 0, 1 / s, 0.0))

    def transform(self, xp, params):
        return {"weight": params["weight"]}

    def forward(self, xp, params, x, train, noise):
        W = params["weight"]
        if not train:
            return nmu(xp, W, x)
        return nmu(xp, W, noise * x) / nmu(xp, W, noise)

    def penalty_terms(self, xp, params, x):
        return nmu_penalties(xp, params["weight"], x)

    def represent(self, op, weight):
        return {"weight": weight}
