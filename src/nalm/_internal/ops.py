"""Array operations that agree, values and subgradients, on every backend.

Trained weights sit exactly where `clip`, `abs` and `min` have a kink, and there JAX and PyTorch
choose different subgradients. The functions here are written so that automatic differentiation
chooses the same one everywhere. Each takes the array namespace `xp` first.
"""

from importlib import import_module
from math import inf

import numpy as np
from array_api_compat import is_jax_namespace, is_torch_namespace

from nalm._internal.types import Array, Namespace

EPS32 = 2.0**-23
"""The float32 machine epsilon, the small constant of several published units."""
NUMPY_FLOATS = {"torch.float16", "torch.float32", "torch.float64"}
"""The dtypes of PyTorch that NumPy has, too; bfloat16 and those of 8 bits it has not."""


def clip(xp: Namespace, x: Array, low: float, high: float) -> Array:
    """Clamp `x` into [low, high]; the derivative is 1 on the closed interval, 0 outside."""
    return xp.where(x < low, low, xp.where(x > high, high, x))


def sign(xp: Namespace, x: Array) -> Array:
    """Return -1, 0 or 1 (0 for NaN), a constant of differentiation."""
    return xp.astype(x > 0, x.dtype) - xp.astype(x < 0, x.dtype)


def absolute(xp: Namespace, x: Array) -> Array:
    """Return |x|; the derivative at 0 is 0."""
    return x * sign(xp, x)


def relu(xp: Namespace, x: Array) -> Array:
    """Return max(x, 0); the derivative at 0 is 0."""
    return xp.where(x <= 0, 0.0, x)


def minimum(xp: Namespace, a: Array, b: Array) -> Array:
    """Return min(a, b); where a = b, each receives half of the gradient."""
    return xp.where(a < b, a, xp.where(b < a, b, 0.5 * (a + b)))


def norm(xp: Namespace, x: Array) -> Array:
    """Return the Euclidean norm of all elements; the gradient at 0 is 0."""
    square = xp.sum(x * x)
    return xp.where(square > 0, xp.sqrt(xp.where(square > 0, square, 1.0)), 0.0)


def sigmoid(xp: Namespace, x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), accurate in both tails and never overflowing."""
    positive = x >= 0
    e = xp.exp(xp.where(positive, -x, x))
    return xp.where(positive, 1.0, e) / (1.0 + e)


def softmax(xp: Namespace, x: Array) -> Array:
    """Return exp(x) / Σ exp(x) over the last axis."""
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def power(xp: Namespace, base: Array, exponent: Array) -> Array:
    """Return base ** exponent for base ≥ 0; at base 0 the value is the limit, the gradient 0."""
    zero = base == 0
    at_zero = xp.where(exponent > 0, 0.0, xp.where(exponent < 0, inf, xp.ones_like(exponent)))
    return xp.where(zero, at_zero, xp.pow(xp.where(zero, 1.0, base), exponent))


def reciprocal(xp: Namespace, x: Array) -> Array:
    """Return 1 / x; at 0 the value is infinite and the gradient 0."""
    zero = x == 0
    return xp.where(zero, inf, 1 / xp.where(zero, 1.0, x))


def weigh(xp: Namespace, weight: Array, value: Array) -> Array:
    """Return weight · value, where weight 0 ignores even an infinite value."""
    ignored = (weight == 0) & xp.isinf(value)
    return weight * xp.where(ignored, 0.0, value)


def normal_cdf(xp: Namespace, x: Array) -> Array:
    """Return Φ(x), the standard normal distribution function."""
    return _special(xp, "ndtr", x)


def normal_quantile(xp: Namespace, p: Array) -> Array:
    """Return the x with Φ(x) = p."""
    return _special(xp, "ndtri", p)


def _special(xp: Namespace, name: str, x: Array) -> Array:
    """Apply a special function that the array API standard lacks but every library has."""
    if is_jax_namespace(xp):
        return getattr(import_module("jax.scipy.special"), name)(x)
    if is_torch_namespace(xp):
        return getattr(import_module("torch.special"), name)(x)
    return xp.asarray(getattr(import_module("scipy.special"), name)(np.asarray(x)), dtype=x.dtype)


def detach(xp: Namespace, x: Array) -> Array:
    """Return `x` as a constant of differentiation."""
    if is_jax_namespace(xp):
        return import_module("jax.lax").stop_gradient(x)
    return x.detach() if is_torch_namespace(xp) else x


def to_numpy(x: Array) -> np.ndarray:
    """Return a copy of an array of any library as NumPy, in a dtype that NumPy has."""
    if hasattr(x, "detach"):  # a PyTorch tensor, perhaps one that requires a gradient
        x = x.detach().cpu()
        small = x.is_floating_point() and str(x.dtype) not in NUMPY_FLOATS
        x = (x.float() if small else x).numpy()
    return np.array(x)


def is_known_true(flag: Array) -> bool:
    """Tell whether a boolean scalar is true; false while tracing, when nobody knows yet."""
    try:
        return bool(flag)
    except (TypeError, RuntimeError):
        return False
