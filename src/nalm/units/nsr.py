r"""The neural status register, NSR: comparisons between two selected inputs.

For each of R redundant paths p:

.. math::
    d_p = \lambda (x \cdot \mathrm{softmax}(V^1_p) - x \cdot \mathrm{softmax}(V^2_p)), \quad
    s_p = \tanh d_p, \quad z_p = 1 - 2 \tanh^2 d_p

.. math:: y = \sigma\Big(\sum_p (w^\pm_p s_p + w^0_p z_p) + b\Big)

y is the truth of a comparison. With `falsehood=True` the second half of the outputs are the
falsehoods 1 - y of the first, as in the paper; an odd output more is a truth.
Exact for operands that are equal or at least 1/λ apart.

Reference: Faber and Wattenhofer, Neural Status Registers, 2020.
"""

import numpy as np

from nalm.errors import InputError, NotDiscreteError
from nalm.formula import BINARY, opposite, relation
from nalm.units import ops
from nalm.units._declare import Domain, Parameter
from nalm.units._options import option
from nalm.units._unit import Unit
from nalm.units.initial import Constant, xavier_normal
from nalm.units.ops import sigmoid, softmax

STATUS = {
    "gt": (1.0, 0.0, -0.4),
    "ge": (1.0, 0.0, 0.4),
    "lt": (-1.0, 0.0, -0.4),
    "le": (-1.0, 0.0, 0.4),
    "eq": (0.0, 1.0, -0.4),
    "ne": (0.0, -1.0, 0.4),
}
"""Weights of the sign bit and the zero bit, and the bias, of each comparison."""


class NSR(Unit):
    """Neural status register: each output compares two inputs it selects.

    `redundancy` is the number of paths R, `scale` the factor λ of the difference, `falsehood`
    whether the second half of the outputs negates the first.
    """

    redundancy: int = 10
    scale: float = option(default=1.0, rule="a number above 0", valid=lambda value: value > 0)
    falsehood: bool = option(default=False, rule="True or False", valid=lambda _: True, later=True)

    name = "nsr"
    papers = ("faber2020",)
    represents = ("gt", "ge", "lt", "le", "eq", "ne")
    discrete = {"operand_1": BINARY, "operand_2": BINARY}
    has_sparsity_error = False
    domain = Domain(gap=1.0)

    @property
    def comparisons(self) -> int:
        """How many outputs are truths: all, or the first half."""
        return (self.out_features + 1) // 2 if self.falsehood else self.out_features

    @property
    def parameters(self):
        paths = self.comparisons, self.redundancy
        operand = Parameter((*paths, self.in_features), xavier_normal(*paths[1:], self.in_features))
        bit = Parameter(paths, xavier_normal(self.redundancy, 1))
        return {
            "operand_1": operand,
            "operand_2": operand,
            "sign_weight": bit,
            "zero_weight": bit,
            "bias": Parameter((self.comparisons,), Constant(0.0)),
        }

    def transform(self, xp, params):
        operands = {name: softmax(xp, params[name]) for name in ("operand_1", "operand_2")}
        return {**params, **operands}

    def forward(self, xp, params, x, train, noise):
        weights = self.transform(xp, params)
        x = ops.per_output(xp, ops.per_output(xp, x))
        first, second = (xp.sum(x * weights[name], axis=-1) for name in ("operand_1", "operand_2"))
        s = xp.tanh(self.scale * (first - second))
        z = 1 - 2 * s**2
        bits = params["sign_weight"] * s + params["zero_weight"] * z
        y = sigmoid(xp, xp.sum(bits, axis=-1) + params["bias"])
        if not self.falsehood:
            return y
        return xp.concat([y, 1 - y], axis=-1)[..., : self.out_features]

    def represent(self, op, weight):
        if self.falsehood and self.out_features > 1:
            raise InputError(
                f"NSR(falsehood=True) has opposite outputs; {op.name} for all of them needs "
                "falsehood=False."
            )
        shape = self.comparisons, self.redundancy, self.in_features
        first, second = (np.eye(shape[2])[i(weight[0])] for i in (np.argmax, np.argmin))
        sign, zero, bias = (10 * ops.SATURATED * value for value in STATUS[op.name])
        paths = np.ones(shape[:2]) / self.redundancy
        return {
            "operand_1": ops.SATURATED * np.broadcast_to(first, shape),
            "operand_2": ops.SATURATED * np.broadcast_to(second, shape),
            "sign_weight": sign * paths,
            "zero_weight": zero * paths,
            "bias": np.full(shape[0], bias),
        }

    def read(self, read, x):
        first, second = (np.argmax(read(name), axis=-1) for name in ("operand_1", "operand_2"))
        truths = range(self.comparisons)
        rows = [self._comparison(read, o, first[o], second[o], x) for o in truths]
        return (rows + [opposite(row) for row in rows])[: self.out_features]

    def _comparison(self, read, o, first, second, x):
        """Read the comparison of one output off the logit at first >, = and < second."""
        sign, zero, bias = (read.weights[n][o] for n in ("sign_weight", "zero_weight", "bias"))
        low, high = np.minimum(first, second), np.maximum(first, second)
        compares = low != high
        pairs = set(zip(low[compares], high[compares], strict=True))
        if len(pairs) > 1:
            raise NotDiscreteError(
                f"The paths of output {o} of NSR must compare the same two inputs to be read as "
                f"one comparison; they compare {sorted((int(a), int(b)) for a, b in pairs)}."
            )
        if not pairs:
            return relation((bool(np.sum(zero) + bias > 0),) * 3, x[0], x[0])
        direction = np.sum(np.where(compares, np.where(first < second, sign, -sign), 0.0))
        equality = np.sum(zero[compares])
        rest = bias + np.sum(zero[~compares])
        logits = (direction - equality + rest, equality + rest, -direction - equality + rest)
        a, b = pairs.pop()
        return relation(tuple(bool(logit > 0) for logit in logits), x[a], x[b])
