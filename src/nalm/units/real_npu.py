r"""The real neural power unit, Real NPU.

.. math::
    \hat g = \operatorname{clamp}(g, 0, 1), \quad
    r_i = \hat g_i (|x_i| + \varepsilon) + 1 - \hat g_i, \quad k_i = \pi \hat g_i [x_i < 0]

.. math:: y = \exp(W \log r) \odot \cos(W k), \qquad \varepsilon = 2^{-23}

Weights are exponents: 1 multiplies, -1 divides, 2 squares, 1/2 takes a root; a closed gate or a
weight of 0 ignores the input. Exact for every input but for ε: each |x| is seen enlarged by it.
The output is the real part of the complex product of powers, so a root is exact for inputs ≥ 0.

References: Heim, Pevný and Šmídl, Neural Power Units, NeurIPS 2020;
Mistry, Farrahi and Hare, Exploring the Learning Mechanisms of Neural Division Modules, TMLR 2022
(the modified form).
"""

from math import pi
from typing import Literal

import numpy as np

from nalm.formula import BINARY, POWERS, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Domain, Parameter
from nalm.units._unit import Unit
from nalm.units.initial import Constant, constrained_uniform, xavier_uniform
from nalm.units.ops import EPS32, absolute, clip, norm

Initial = Literal["xavier", "constrained"]


def npu_parameters(unit, clip, initial):
    """Return the weight and the gate; `clip` holds "w" and "g" for those that are clamped."""
    init = {"xavier": xavier_uniform, "constrained": constrained_uniform}[initial]
    weight = unit.matrix(
        init(unit.in_features, unit.out_features), (-1.0, 1.0) if "w" in clip else None
    )
    gate = Parameter((unit.in_features,), Constant(0.5), (0.0, 1.0) if "g" in clip else None)
    return weight, gate


def gated_polar(xp, g, x, epsilon=EPS32):
    """Return log r and k, the gated inputs in polar form."""
    r = g * (absolute(xp, x) + epsilon) + (1 - g)
    return xp.log(r), pi * g * xp.astype(x < 0, x.dtype)


def log_magnitude_and_angle(xp, log_r, k, W):
    """Return W log r and W k: the product of powers in polar form."""
    return ops.linear(xp, log_r, W), ops.linear(xp, k, W)


def npu_divisors(xp, weights, W):
    """Return which inputs some output divides by: an open gate and a negative exponent."""
    return xp.any(W <= -0.5, axis=-2) & (weights["gate"] >= 0.5)


def npu_penalties(xp, params, W, distance):
    """Return the penalties of all parameters, of the weight W and of the gate."""
    return {
        "l1": sum(xp.sum(absolute(xp, p)) for p in params.values()),
        "l2": sum(norm(xp, p) for p in params.values()),
        "discretise": xp.mean(distance(xp, W)),
        "discretise_gate": xp.mean(ops.distance_binary(xp, params["gate"])),
    }


class RealNPU(Unit, Dividing):
    """Real neural power unit; `modified=True` clips weight and gate and starts constrained.

    `clip` ("w" weight, "g" gate) and `initial` set single modifications; `discretise` names the set
    the weight penalty pulls to: {-1, 1} ("signs") or {-1, 0, 1} ("ternary").
    """

    modified: bool = False
    clip: Literal["none", "g", "w", "wg"] | None = None
    initial: Initial | None = None
    discretise: Literal["signs", "ternary"] = "signs"

    name = "real_npu"
    papers = ("heim2020", "mistry2022division")
    represents = ("mul", "div", "reciprocal", "square", "root")
    discrete = {"weight": POWERS, "gate": BINARY}
    domain = Domain(epsilon=EPS32, logarithmic=True)

    @property
    def parameters(self):
        clip = self.clip or ("wg" if self.modified else "none")
        initial = self.initial or ("constrained" if self.modified else "xavier")
        weight, gate = npu_parameters(self, clip, initial)
        return {"weight": weight, "gate": gate}

    def transform(self, xp, params):
        return {"weight": params["weight"], "gate": clip(xp, params["gate"], 0.0, 1.0)}

    def divisors(self, xp, params, x):
        return npu_divisors(xp, self.transform(xp, params), params["weight"])

    def forward(self, xp, params, x, train, noise):
        W = params["weight"]
        log_r, k = gated_polar(xp, self.transform(xp, params)["gate"], x)
        log_magnitude, angle = log_magnitude_and_angle(xp, log_r, k, W)
        return xp.exp(log_magnitude) * xp.cos(angle)

    def penalty_terms(self, xp, params, x):
        distance = ops.distance_signs if self.discretise == "signs" else ops.distance_ternary
        return npu_penalties(xp, params, params["weight"], distance)

    def sparsity(self, xp, weights):
        return ops.sparsity_error(xp, weights["weight"])

    def represent(self, op, weight):
        return {"weight": weight, "gate": np.any(weight != 0, axis=0).astype(float)}

    def read(self, read, x):
        return [monomial(row, x) for row in read("weight", used=read("gate") == 1)]
