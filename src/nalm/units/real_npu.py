r"""The real neural power unit, Real NPU.

.. math::
    \hat g = \operatorname{clamp}(g, 0, 1), \quad
    r_i = \hat g_i (|x_i| + \varepsilon) + 1 - \hat g_i, \quad k_i = \pi \hat g_i [x_i < 0]

.. math:: y = \exp(W \log r) \odot \cos(W k)

with the option :math:`\varepsilon = 2^{-23}`. `gate=False` has all gates open (NaiveNPU).

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

from nalm.formula import BINARY, POWERS, enlarged, monomial
from nalm.units import ops
from nalm.units._declare import Dividing, Domain, Parameter
from nalm.units._options import option
from nalm.units._unit import Unit
from nalm.units.initial import Constant, constrained_uniform, xavier_uniform
from nalm.units.ops import EPS32, absolute, clip, norm

Initial = Literal["xavier", "constrained"]


def npu_epsilon():
    """Declare ε, which keeps the logarithm of an input 0 finite."""
    rule, later = "a number of at least 0", True
    return option(default=EPS32, rule=rule, valid=lambda value: value >= 0, later=later)


def npu_gate():
    """Declare whether there is a gate."""
    return option(default=True, rule="True or False", valid=lambda _: True, later=True)


def npu_parameters(unit, clip, initial):
    """Return the weight, and the gate if any, by the letters "w" and "g" that `clip` holds."""
    init = {"xavier": xavier_uniform, "constrained": constrained_uniform}[initial]
    weight = unit.matrix(
        init(unit.in_features, unit.out_features), (-1.0, 1.0) if "w" in clip else None
    )
    gate = Parameter((unit.in_features,), Constant(0.5), (0.0, 1.0) if "g" in clip else None)
    return weight, ({"gate": gate} if unit.gate else {})


def npu_transform(xp, params):
    """Return the parameters with the gate clamped."""
    if "gate" not in params:
        return dict(params)
    return {**params, "gate": clip(xp, params["gate"], 0.0, 1.0)}


def gated_polar(xp, g, x, epsilon=EPS32):
    """Return log r and k, the gated inputs in polar form."""
    r = g * (absolute(xp, x) + epsilon) + (1 - g)
    return xp.log(r), pi * g * xp.astype(x < 0, x.dtype)


def log_magnitude_and_angle(xp, log_r, k, W):
    """Return W log r and W k: the product of powers in polar form."""
    return ops.linear(xp, log_r, W), ops.linear(xp, k, W)


def npu_divisors(xp, params, W):
    """Return which inputs some output divides by: an open gate and a negative exponent."""
    divides = xp.any(W <= -0.5, axis=-2)
    return divides & (params["gate"] >= 0.5) if "gate" in params else divides


def npu_gate_exact(unit, weight):
    """Return the gate of the inputs that some output uses, if there is a gate."""
    return {"gate": np.any(weight != 0, axis=0).astype(float)} if unit.gate else {}


def npu_penalties(xp, params, W, distance):
    """Return the penalties of all parameters, of the weight W and of the gate."""
    terms = {
        "l1": sum(xp.sum(absolute(xp, p)) for p in params.values()),
        "l2": sum(norm(xp, p) for p in params.values()),
        "discretise": xp.mean(distance(xp, W)),
    }
    if "gate" not in params:
        return terms
    return terms | {"discretise_gate": xp.mean(ops.distance_binary(xp, params["gate"]))}


class RealNPU(Unit, Dividing):
    """Real neural power unit; `modified=True` clips weight and gate and starts constrained.

    `clip` ("w" weight, "g" gate) and `initial` set single modifications; `discretise` names the set
    the weight penalty pulls to: {-1, 1} ("signs") or {-1, 0, 1} ("ternary").
    """

    modified: bool = False
    clip: Literal["none", "g", "w", "wg"] | None = None
    initial: Initial | None = None
    discretise: Literal["signs", "ternary"] = "signs"
    epsilon: float = npu_epsilon()
    gate: bool = npu_gate()

    name = "real_npu"
    papers = ("heim2020", "mistry2022division")
    represents = ("mul", "div", "reciprocal", "square", "root")
    discrete = {"weight": POWERS, "gate": BINARY}

    @property
    def domain(self):  # pyright: ignore[reportIncompatibleVariableOverride]
        return Domain(epsilon=self.epsilon, logarithmic=True)

    @property
    def parameters(self):
        clip = self.clip or ("wg" if self.modified else "none")
        initial = self.initial or ("constrained" if self.modified else "xavier")
        weight, gate = npu_parameters(self, clip, initial)
        return {"weight": weight, **gate}

    def transform(self, xp, params):
        return npu_transform(xp, params)

    def divisors(self, xp, params, x):
        return npu_divisors(xp, params, params["weight"])

    def forward(self, xp, params, x, train, noise):
        W = params["weight"]
        log_r, k = gated_polar(xp, npu_transform(xp, params).get("gate", 1.0), x, self.epsilon)
        log_magnitude, angle = log_magnitude_and_angle(xp, log_r, k, W)
        return xp.exp(log_magnitude) * xp.cos(angle)

    def penalty_terms(self, xp, params, x):
        distance = ops.distance_signs if self.discretise == "signs" else ops.distance_ternary
        return npu_penalties(xp, params, params["weight"], distance)

    def sparsity(self, xp, weights):
        return ops.sparsity_error(xp, weights["weight"])

    def represent(self, op, weight):
        return {"weight": weight, **npu_gate_exact(self, weight)}

    def read(self, read, x):
        used = read("gate") == 1 if self.gate else True
        seen = enlarged(x, self.epsilon)
        return [monomial(row, seen) for row in read("weight", used=used)]
