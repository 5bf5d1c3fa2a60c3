"""Pieces of equations: operations with one subgradient everywhere, penalties, exact parameters.

Each function takes the array namespace `xp` first. `clip`, `absolute`, `minimum`, `relu`, `norm`,
`power` and `reciprocal` have the same value and the same derivative in NumPy, JAX and PyTorch,
also where the derivative jumps; `sigmoid` and `softmax` never overflow.

Examples
--------
>>> import numpy as np
>>> distance_ternary(np, np.array([-0.9, 0.2, 1.0])).round(3)
array([0.1, 0.2, 0. ])
"""

import numpy as np

from nalm._internal.ops import (
    EPS32,
    absolute,
    clip,
    detach,
    minimum,
    norm,
    normal_cdf,
    power,
    reciprocal,
    relu,
    sigmoid,
    sign,
    softmax,
    weigh,
)
from nalm._internal.types import Array, Namespace

__all__ = [
    "EPS32",
    "SATURATED",
    "absolute",
    "clip",
    "detach",
    "distance_binary",
    "distance_signs",
    "distance_ternary",
    "linear",
    "logit_exact",
    "mean_input",
    "minimum",
    "nac_exact",
    "nac_weight",
    "norm",
    "normal_cdf",
    "out_of_bounds",
    "per_output",
    "power",
    "product",
    "reciprocal",
    "relu",
    "sigmoid",
    "sign",
    "softmax",
    "sparsity_error",
    "undefined",
    "weigh",
]

SATURATED = 1000.0
"""A logit at which tanh and the sigmoid are exactly ±1 and 0 or 1, in every dtype."""


def per_output(xp: Namespace, x: Array) -> Array:
    """Give `x` an axis for the outputs before its last, so that it meets `(out, in)` weights."""
    return xp.expand_dims(x, axis=-2)


def linear(xp: Namespace, x: Array, W: Array) -> Array:
    """Return Σ_i W[o, i] x_i; leading axes of both are batches."""
    return xp.matmul(x, W.mT)


def product(xp: Namespace, factors: Array) -> Array:
    """Return Π over the last axis."""
    return xp.prod(factors, axis=-1)


def nac_weight(xp: Namespace, w_hat: Array, m_hat: Array) -> Array:
    """Return tanh(ŵ) · σ(m̂)."""
    return xp.tanh(w_hat) * sigmoid(xp, m_hat)


def nac_exact(weight: np.ndarray, prefix: str = "") -> dict[str, np.ndarray]:
    """Return the parameters ŵ and m̂ with tanh(ŵ) · σ(m̂) equal to `weight`."""
    inside = np.abs(weight) < 1
    w_hat = np.where(inside, np.arctanh(np.where(inside, weight, 0)), SATURATED * weight)
    return {prefix + "w_hat": w_hat, prefix + "m_hat": np.full(weight.shape, SATURATED)}


def logit_exact(gate: np.ndarray) -> np.ndarray:
    """Return logits whose sigmoid is exactly this array of 0 and 1."""
    return np.where(gate == 1, SATURATED, -SATURATED)


def distance_binary(xp: Namespace, W: Array) -> Array:
    """Return the distance of each element to {0, 1}: min(|W|, |1 - W|)."""
    return minimum(xp, absolute(xp, W), absolute(xp, 1 - W))


def distance_ternary(xp: Namespace, W: Array) -> Array:
    """Return the distance of each element to {-1, 0, 1}: min(|W|, |1 - |W||)."""
    return distance_binary(xp, absolute(xp, W))


def distance_signs(xp: Namespace, W: Array) -> Array:
    """Return the distance of each element to {-1, 1}: |1 - |W||."""
    return absolute(xp, 1 - absolute(xp, W))


def out_of_bounds(xp: Namespace, W: Array, low: float, high: float) -> Array:
    """Return the mean distance to the interval [low, high]."""
    middle, radius = (low + high) / 2, (high - low) / 2
    return xp.mean(relu(xp, absolute(xp, W - middle) - radius))


def sparsity_error(xp: Namespace, W: Array) -> Array:
    """Return max min(|W|, |1 - |W||)."""
    return xp.max(distance_ternary(xp, W))


def undefined(xp: Namespace, like: Array) -> Array:
    """Return NaN: no paper defines a sparsity error here."""
    return xp.sum(like) * float("nan")


def mean_input(xp: Namespace, x: Array) -> Array:
    """Return the mean of each input over all leading axes."""
    return xp.mean(xp.reshape(x, (-1, x.shape[-1])), axis=0)
