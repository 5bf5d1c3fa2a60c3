"""What units with one weight matrix `weight` share: how it is judged and how it is read."""

from abc import ABC
from typing import final

from nalm import formula
from nalm.units._unit import Unit
from nalm.units.ops import sparsity_error


class SingleWeight(Unit, ABC):
    """A unit whose meaning is in one matrix."""

    @final
    def sparsity(self, xp, weights):
        return sparsity_error(xp, weights["weight"])


class Additive(SingleWeight, ABC):
    """A unit whose outputs are weighted sums: `transform` gives their matrix `weight`.

    Formulas and the sparsity error are read from that matrix.

    Examples
    --------
    >>> from nalm.units import TERNARY, constrained_uniform, ops
    >>> class Sum(Additive):
    ...     discrete = {"weight": TERNARY}
    ...     @property
    ...     def parameters(self):
    ...         return {"weight": self.matrix(constrained_uniform(2, 1))}
    ...     def forward(self, xp, params, x, train, noise):
    ...         return ops.linear(xp, x, params["weight"])
    >>> Sum(2, 1).formula({"weight": [[1.0, -1.0]]})
    (x1 - x2,)
    """

    @final
    def read(self, read, x):
        return [formula.linear(row, x) for row in read("weight")]


class Multiplicative(SingleWeight, ABC):
    """A unit whose outputs are products of powers: `transform` gives the exponents `weight`.

    Formulas and the sparsity error are read from that matrix.

    Examples
    --------
    >>> from nalm.units import NMU
    >>> issubclass(NMU, Multiplicative)
    True
    """

    @final
    def read(self, read, x):
        return [formula.monomial(row, x) for row in read("weight")]
