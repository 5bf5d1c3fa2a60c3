"""What units with one weight matrix `weight` share: how it is judged and how it is read."""

from abc import ABC
from typing import final

from nalm import formula
from nalm.units._unit import Unit
from nalm.units._weights import sparsity_error


class SingleWeight(Unit, ABC):
    """A unit whose meaning is in one matrix."""

    @final
    def sparsity(self, xp, weights):
        return sparsity_error(xp, weights["weight"])


class Additive(SingleWeight, ABC):
    """A unit whose outputs are weighted sums."""

    @final
    def read(self, read, x):
        return [formula.linear(row, x) for row in read("weight")]


class Multiplicative(SingleWeight, ABC):
    """A unit whose outputs are products of powers."""

    @final
    def read(self, read, x):
        return [formula.monomial(row, x) for row in read("weight")]
