r"""The NMU with stochastic gates, stgNMU.

.. math:: W = \operatorname{clamp}(\mu + \varepsilon, 0, 1), \quad
    \varepsilon \sim N(0, \sigma^2), \qquad y_o = \prod_i (W_{oi} x_i + 1 - W_{oi})

The noise is there in training only; one draw per weight and forward pass. Its penalty `active`
is the expected number of open gates, :math:`\sum \Phi(\mu / \sigma)`. Exact where the NMU is.

Reference: Mistry, Farrahi and Hare, Improving the Robustness of Neural Multiplication Units with
Reversible Stochasticity, 2022, after Yamada et al., Feature Selection using Stochastic Gates, 2020.
"""

from nalm.formula import BINARY
from nalm.units._declare import Stochastic
from nalm.units._families import Multiplicative
from nalm.units._options import option
from nalm.units.initial import Constant, Normal
from nalm.units.nmu import nmu
from nalm.units.ops import clip, normal_cdf


class STGNMU(Multiplicative, Stochastic):
    """NMU whose weights are stochastic gates; `sigma` is the standard deviation of their noise."""

    sigma: float = option(default=0.5, rule="a number above 0", valid=lambda value: value > 0)

    name = "stgnmu"
    papers = ("mistry2022robust", "yamada2020")
    represents = ("mul",)
    discrete = {"weight": BINARY}

    @property
    def parameters(self):
        return {"mean": self.matrix(Constant(0.5))}

    @property
    def noise_sees_batch(self):
        return False

    def draws(self, xp, params, x):
        return (self.out_features, self.in_features), Normal(0.0, self.sigma)

    def transform(self, xp, params):
        return {"weight": clip(xp, params["mean"], 0.0, 1.0)}

    def forward(self, xp, params, x, train, noise):
        mean = params["mean"]
        return nmu(xp, clip(xp, mean + noise if train else mean, 0.0, 1.0), x)

    def penalty_terms(self, xp, params, x):
        return {"active": xp.sum(normal_cdf(xp, params["mean"] / self.sigma))}

    def represent(self, op, weight):
        return {"mean": weight}
