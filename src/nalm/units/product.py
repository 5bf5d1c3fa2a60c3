r"""The weighted product.

.. math:: y_o = \prod_i W_{oi} x_i

Every input always takes part: there is no weight that ignores one. A formula has the product of
a row's weights, rounded to an integer, as its coefficient. Exact for every input whose product
is finite.

Reference: Mistry, Farrahi and Hare, Improving the Robustness of Neural Multiplication Units with
Reversible Stochasticity, 2022, section 8.1.
"""

import numpy as np

from nalm.errors import InputError
from nalm.formula import INTEGERS, monomial
from nalm.units import ops
from nalm.units._unit import Unit
from nalm.units.initial import HALF


class Product(Unit):
    """Weighted product of all inputs: a baseline for multiplication."""

    name = "product"
    papers = ("mistry2022robust",)
    represents = ("mul",)
    discrete = {"coefficient": INTEGERS}
    has_sparsity_error = False

    @property
    def parameters(self):
        return {"weight": self.matrix(HALF)}

    def transform(self, xp, params):
        return {"coefficient": ops.product(xp, params["weight"])}

    def forward(self, xp, params, x, train, noise):
        return ops.product(xp, params["weight"] * ops.per_output(xp, x))

    def represent(self, op, weight):
        if np.any(weight == 0):
            raise InputError(
                f"Product multiplies all of its {self.in_features} inputs; "
                "give every index as an operand."
            )
        return {"weight": weight}

    def read(self, read, x):
        ones = np.ones(self.in_features, dtype=int)
        return [coefficient * monomial(ones, x) for coefficient in read("coefficient")]
