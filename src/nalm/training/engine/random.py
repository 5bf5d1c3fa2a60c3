"""Counter-based random numbers: a pure function of (key, counter), the same on any machine.

A run's numbers depend on its own key and on (step, lane, stream) only, never on the runs beside it.
All functions take and return unsigned 32-bit JAX arrays, which broadcast.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

Words = tuple[Array, Array, Array, Array]

PHILOX_M = (0xD2511F53, 0xCD9E8D57)
PHILOX_W = (0x9E3779B9, 0xBB67AE85)
GOLDEN = 0x9E3779B9
MURMUR = ((16, 0x85EBCA6B), (13, 0xC2B2AE35))
ONE = 0x3F800000
"""The bits of 1 as a float32; with others below they are those of a number in [1, 2)."""
PCG_MULTIPLIER, PCG_INCREMENT = 1664525, 1013904223


def philox(counter: Words, key: tuple[Array, Array], rounds: int = 10) -> Words:
    """Return the four words of Philox4x32 (Salmon et al., SC 2011)."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(rounds):
        high0, low0 = _multiply(PHILOX_M[0], c0)
        high1, low1 = _multiply(PHILOX_M[1], c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = k0 + jnp.uint32(PHILOX_W[0]), k1 + jnp.uint32(PHILOX_W[1])
    return c0, c1, c2, c3


def pcg4d(counter: Words, key: tuple[Array, Array]) -> Words:
    """Return the four words of pcg4d (Jarzynski and Olano, JCGT 2020), the key mixed in."""
    x, y, z, w = counter
    z, w = z ^ key[0], w ^ key[1]
    x, y, z, w = (v * jnp.uint32(PCG_MULTIPLIER) + jnp.uint32(PCG_INCREMENT) for v in (x, y, z, w))
    x, y, z, w = _mix(x, y, z, w)
    x, y, z, w = (v ^ (v >> 16) for v in (x, y, z, w))
    return _mix(x, y, z, w)


def finalised(word: Array) -> Array:
    """Return the finaliser of MurmurHash3: a permutation of words, every bit of which mixes."""
    for shift, multiplier in MURMUR:
        word = (word ^ (word >> shift)) * jnp.uint32(multiplier)
    return word ^ (word >> 16)


def hashed(place: Array, key: tuple[Array, Array]) -> Array:
    """Return the word at a place of a sequence of up to 2³² words, which two words choose.

    Cheap for many words of one key; the key itself must come from another generator.
    """
    return finalised((place * jnp.uint32(GOLDEN)) ^ key[0]) ^ key[1]


class Generator(NamedTuple):
    """Where random words come from."""

    words: Callable[[Words, tuple[Array, Array]], Words]
    """From a counter and a key to four words."""
    hashes: bool = False
    """Whether the words of a step are the key of a hash, which gives the numbers of the step."""


GENERATORS = {
    "keyed": Generator(philox, hashes=True),
    "philox": Generator(philox),
    "pcg4d": Generator(pcg4d),
}


def unit(word: Array) -> Array:
    """Return a word as a float32 in (0, 1): the middle of one of 2²³ equal cells.

    Middles are exact in float32 and never 0, 1/2 or 1, so a range around zero never gives a zero
    (a divisor), and a logarithm never its pole.
    """
    from_one = lax.bitcast_convert_type((word >> 9) | jnp.uint32(ONE), jnp.float32)
    return from_one - jnp.float32(1 - 2.0**-24)


def _multiply(a: int, b: Array) -> tuple[Array, Array]:
    """Return the high and the low word of a product."""
    b = jnp.asarray(b, jnp.uint32)
    high = lax.mulhi(jnp.full_like(b, a), b) if hasattr(lax, "mulhi") else high_half(a, b)
    return high, jnp.uint32(a) * b


def high_half(a: int, b: Array) -> Array:
    """Return the upper word of a product from half words, for JAX before 0.10.2."""
    low, high = jnp.uint32(a & 0xFFFF), jnp.uint32(a >> 16)
    b_low, b_high = b & 0xFFFF, b >> 16
    middle = high * b_low + (low * b_low >> 16)
    return high * b_high + (middle >> 16) + ((low * b_high + (middle & 0xFFFF)) >> 16)


def _mix(x: Array, y: Array, z: Array, w: Array) -> Words:
    x = x + y * w
    y = y + z * x
    z = z + x * y
    w = w + y * z
    return x, y, z, w
