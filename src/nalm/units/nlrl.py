r"""The neural logic rule layer, NLRL: fuzzy logic on inputs in [0, 1].

.. math::
    N = \sigma(G^N), \quad A = \sigma(G^R), \quad S = \sigma(G^S), \qquad
    \hat x_{oi} = (1 - N_{oi}) x_i + N_{oi} (1 - x_i)

.. math::
    z^{and}_o = \prod_i \hat x_{oi}^{A_{oi}}, \qquad
    z^{or}_o = 1 - \prod_i (1 - \hat x_{oi})^{A_{oi}}, \qquad
    y = (1 - S) \odot z^{and} + S \odot z^{or}

The powers are taken of max(·, 1e-10). `disjunction="product"` has the other published form
:math:`z^{or}_o = 1 - \prod_i (1 - A_{oi} \hat x_{oi})`. `"de_morgan"` has no OR but negates the
output, :math:`y = (1 - S) \odot z^{and} + S \odot (1 - z^{and})`: a or b is not (not a and not b).
`"none"` keeps negation and AND only.

Formulas are read in the arithmetic of the unit: a and b is ab, a or b is a + b - ab, not a is
1 - a. Exact on [0, 1] up to that 1e-10.

References: Reimann and Schwung, Neural Logic Rule Layers, 2019; Mistry 2023, section 2.2.6 (the
form by De Morgan).
"""

from math import inf
from typing import Literal

import numpy as np

from nalm.errors import InputError
from nalm.formula import BINARY, monomial
from nalm.units import ops
from nalm.units._declare import Domain, Parameter
from nalm.units._unit import Unit
from nalm.units.initial import Uniform
from nalm.units.ops import clip, sigmoid

FLOOR = 1e-10
INIT = Uniform(-0.5, 0.5)


def weighted_and(xp, A, x):
    """Return Π_i max(x_i, 1e-10)^A[o, i]."""
    return xp.exp(xp.sum(A * xp.log(clip(xp, x, FLOOR, inf)), axis=-1))


class NLRL(Unit):
    """Neural logic rule layer: each output is an AND or an OR of inputs, negated or not."""

    disjunction: Literal["power", "product", "de_morgan", "none"] = "power"

    name = "nlrl"
    papers = ("reimann2019",)
    represents = ("and", "or", "not", "nand", "nor")
    discrete = {"negation": BINARY, "weight": BINARY, "selection": BINARY}
    spreads = True
    domain = Domain(low=0.0, high=1.0, epsilon=FLOOR)

    @property
    def parameters(self):
        logits = {"negation": self.matrix(INIT), "weight": self.matrix(INIT)}
        if self.disjunction == "none":
            return logits
        return logits | {"selection": Parameter((self.out_features,), INIT)}

    def transform(self, xp, params):
        return {name: sigmoid(xp, logit) for name, logit in params.items()}

    def forward(self, xp, params, x, train, noise):
        gates = self.transform(xp, params)
        N, A = gates["negation"], gates["weight"]
        x = ops.per_output(xp, x)
        x_hat = (1 - N) * x + N * (1 - x)
        z_and = weighted_and(xp, A, x_hat)
        if self.disjunction == "none":
            return z_and
        S = gates["selection"]
        return (1 - S) * z_and + S * self._alternative(xp, A, x_hat, z_and)

    def _alternative(self, xp, A, x_hat, z_and):
        """Return what an open selection reads: OR, or the negation of AND."""
        if self.disjunction == "de_morgan":
            return 1 - z_and
        if self.disjunction == "power":
            return 1 - weighted_and(xp, A, 1 - x_hat)
        return 1 - ops.product(xp, 1 - A * x_hat)

    def represent(self, op, weight):
        de_morgan = self.disjunction == "de_morgan"
        negated = op.name in ({"not", "nor", "or"} if de_morgan else {"not", "nand", "nor"})
        params = {
            "negation": ops.logit_exact(weight * negated),
            "weight": ops.logit_exact(weight),
        }
        disjunctive = op.name in {"or", "nand"}
        if self.disjunction != "none":
            selection = np.full(self.out_features, float(disjunctive))
            return params | {"selection": ops.logit_exact(selection)}
        if disjunctive:
            raise InputError(f"NLRL(disjunction='none') has AND only; {op.name} needs OR.")
        return params

    def read(self, read, x):
        N, A = read("negation", used=read("weight") == 1), read("weight")
        S = np.zeros(self.out_features) if self.disjunction == "none" else read("selection")
        rows = []
        for o in range(self.out_features):
            x_hat = [1 - x_i if n == 1 else x_i for n, x_i in zip(N[o], x, strict=True)]
            z_and = monomial(A[o], x_hat)
            if self.disjunction != "de_morgan":
                x_hat = [1 - x_i for x_i in x_hat]
            rows.append(1 - monomial(A[o], x_hat) if S[o] == 1 else z_and)
        return rows
