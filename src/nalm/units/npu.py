r"""The neural power unit, NPU, with complex weights.

.. math::
    y = \exp(W^{re} \log r - W^{im} k) \odot \cos(W^{im} \log r + W^{re} k)

with :math:`r`, :math:`k` and the gate :math:`\hat g` of the Real NPU, which is the NPU with
:math:`W^{im} = 0`. `gate=False` is the NaiveNPU, whose gates are all open. The weights read as
there; imaginary ones are 0 in a formula. Exact where the Real NPU is.

Reference: Heim, Pevný and Šmídl, Neural Power Units, NeurIPS 2020.
"""

from typing import Literal

import numpy as np

from nalm.formula import BINARY, POWERS, Discrete, enlarged, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Domain
from nalm.units._unit import Unit
from nalm.units.initial import Constant
from nalm.units.ops import absolute
from nalm.units.real_npu import (
    Initial,
    gated_polar,
    npu_divisors,
    npu_epsilon,
    npu_gate,
    npu_gate_exact,
    npu_parameters,
    npu_penalties,
    npu_transform,
)


class NPU(Unit, Dividing):
    """Neural power unit: the real part of a product of complex powers.

    `clip` names what is clamped after each step: "w" the real weight and "i" the imaginary one
    to [-1, 1], "g" the gate to [0, 1]. `initial="constrained"` starts within [-1/2, 1/2].
    """

    clip: Literal["none", "w", "g", "wg", "wig"] = "none"
    initial: Initial = "xavier"
    epsilon: float = npu_epsilon()
    gate: bool = npu_gate()

    name = "npu"
    papers = ("heim2020",)
    represents = ("mul", "div", "reciprocal", "square", "root")
    discrete = {"weight_re": POWERS, "weight_im": Discrete((0,)), "gate": BINARY}

    @property
    def domain(self):  # pyright: ignore[reportIncompatibleVariableOverride]
        return Domain(epsilon=self.epsilon, logarithmic=True)

    @property
    def parameters(self):
        weight, gate = npu_parameters(self, self.clip, self.initial)
        bounds = (-1.0, 1.0) if self.clip == "wig" else None
        return {
            "weight_re": weight,
            "weight_im": self.matrix(Constant(0.0), bounds),
            **gate,
        }

    def transform(self, xp, params):
        return npu_transform(xp, params)

    def divisors(self, xp, params, x):
        return npu_divisors(xp, params, params["weight_re"])

    def forward(self, xp, params, x, train, noise):
        W_re, W_im = params["weight_re"], params["weight_im"]
        log_r, k = gated_polar(xp, npu_transform(xp, params).get("gate", 1.0), x, self.epsilon)
        modulus = xp.exp(ops.linear(xp, log_r, W_re) - ops.linear(xp, k, W_im))
        return modulus * xp.cos(ops.linear(xp, log_r, W_im) + ops.linear(xp, k, W_re))

    def penalty_terms(self, xp, params, x):
        terms = npu_penalties(xp, params, params["weight_re"], ops.distance_signs)
        return terms | {"imaginary": xp.sum(absolute(xp, params["weight_im"]))}

    def sparsity(self, xp, weights):
        parts = weights["weight_re"], weights["weight_im"]
        return sum(ops.sparsity_error(xp, part) for part in parts) / 2

    def represent(self, op, weight):
        return {
            "weight_re": weight,
            "weight_im": np.zeros_like(weight),
            **npu_gate_exact(self, weight),
        }

    def read(self, read, x):
        used = read("gate") == 1 if self.gate else True
        read("weight_im", used=used)
        seen = enlarged(x, self.epsilon)
        return [monomial(row, seen) for row in read("weight_re", used=used)]
