"""The random numbers of a block of runs, from counters alone.

A number depends on the key of its run and on (lane, step, block, stream): on nothing beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from nalm.training.engine.primitives import draw
from nalm.training.engine.random import GENERATORS, Words, hashed, unit
from nalm.training.engine.state import Settings
from nalm.training.recipe import Recipe

TRAIN, NOISE, INIT, WEIGHT_NOISE, GRADIENT_NOISE, INPUT_NOISE = range(6)
"""Streams: the fourth word of the counter, plus 8 for each further layer."""
EVALUATION_KEY = 43953907
"""The key of the validation and test samples, which are the same for every run."""
HASHED = 0xFFFFFFFF
"""The block whose words are the key of the hash of a step: no other use counts so far."""
NET = 16
"""A Sobol net has 2^NET points; the next net has a random shift of its own."""


@dataclass(frozen=True)
class Stream:
    """One stream of every run of a block."""

    generator: str
    key: Array
    """(runs, 2) words."""
    number: int

    def words(self, lane: Array, step: Array, block: Array | int = 0) -> Words:
        """Return four words for each run and whatever else the counter ranges over.

        Lane, step and block have an axis of runs first, or no axis at all.
        """
        block = jnp.asarray(block, jnp.uint32)
        axes = (slice(None),) + (None,) * (max(lane.ndim, step.ndim, block.ndim) - 1)
        counter = (lane, step.astype(jnp.uint32), block, jnp.uint32(self.number))
        return GENERATORS[self.generator].words(
            counter, (self.key[:, 0][axes], self.key[:, 1][axes])
        )

    def pair(self, lane: Array, step: Array) -> tuple[Array, Array]:
        """Return two uniform numbers for each run and lane."""
        first, second, _, _ = self.words(lane, step)
        return unit(first), unit(second)

    def uniforms(self, lane: Array, step: Array, count: int) -> list[Array]:
        """Return `count` uniform numbers for each run and lane, as separate arrays."""
        return [unit(word) for word in self._block_words(lane, step, count)]

    def _block_words(self, lane: Array, step: Array, count: int) -> list[Array]:
        drawn: list[Array] = []
        for block in range((count + 3) // 4):
            drawn += self.words(lane, step, block)
        return drawn[:count]

    def array(self, lane: Array, step: Array, count: int) -> Array:
        """Return the same numbers as one array, `(runs, count, lanes)`; `lane` has one axis."""
        lanes = lane[None, None, :].astype(jnp.uint32)
        block = jnp.arange((count + 3) // 4, dtype=jnp.uint32)[None, :, None]
        drawn = once(step + lane[0], lambda: self.words(lanes, step, block))
        joined = jnp.stack(drawn, axis=2).reshape(self.key.shape[0], -1, lane.shape[0])
        return unit(joined[:, :count])

    def samples(self, lane: Array, step: Array, count: int) -> list[Array]:
        """Return `count` uniform numbers for each run and lane of a step, as separate arrays.

        `lane` is (1, lanes) and counts from 0.
        """
        return [unit(word) for word in self.sample_words(lane, step, count)]

    def sample_words(self, lane: Array, step: Array, count: int) -> list[Array]:
        """Return the words behind these numbers."""
        if not GENERATORS[self.generator].hashes:
            return self._block_words(lane, step, count)
        key = self._hash_key(jnp.zeros((1, 1), jnp.uint32), step)
        return [hashed(lane + jnp.uint32(c * lane.shape[1]), key) for c in range(count)]

    def sample_array(self, lanes: int, step: Array, count: int) -> Array:
        """Return the same numbers as one array, `(runs, count, lanes)`."""
        if not GENERATORS[self.generator].hashes:
            return self.array(jnp.arange(lanes), step, count)
        key = self._hash_key(jnp.zeros((1, 1, 1), jnp.uint32), step)
        places = jnp.arange(count * lanes, dtype=jnp.uint32).reshape(1, count, lanes)
        return unit(hashed(places, key))

    def _hash_key(self, zero: Array, step: Array) -> tuple[Array, Array]:
        first, second, _, _ = once(step.max(), lambda: self.words(zero, step, HASHED))
        return first, second

    def sobol(self, point: Array, dimension: int) -> Array:
        """Return a coordinate of points of a shifted Sobol sequence, which `point` numbers.

        Each net of 2^16 points is shifted by random words (XOR), which keeps its structure and
        makes it a run's own.
        """
        word = jnp.zeros_like(point)
        for bit, direction in enumerate(_directions(dimension)):
            word = word ^ jnp.where((point >> bit) & 1, jnp.uint32(direction), jnp.uint32(0))
        shift, *_ = self.words(point >> NET, jnp.uint32(0), dimension)
        return unit(word ^ shift)


def stream_of(recipe: Recipe, settings: Settings, number: int) -> Stream:
    """Return a stream of a block."""
    return Stream(recipe.generator, settings.key, number)


def evaluation(generator: str) -> Stream:
    """Return the stream of the validation and test samples."""
    return Stream(generator, jnp.full((1, 2), EVALUATION_KEY, jnp.uint32), TRAIN)


def groups_of(inputs: int, batch: int) -> int:
    """Return how many samples of a batch share one call of the generator, which gives four."""
    groups = max(1, 4 // inputs)
    return groups if batch % groups == 0 else 1


def weight_noise(
    stream: Stream, distribution: Any, shape: tuple[int, ...], step: Array
) -> list[Array]:
    """Return one draw per weight of a layer and run."""
    places = range(int(np.prod(shape)))
    return [draw(distribution, *stream.pair(jnp.uint32(place), step)) for place in places]


def once(step: Array, make: Callable[[], Any]) -> Any:
    """Return what `make` returns, computed once.

    XLA repeats a cheap computation inside every kernel that uses it; it does not move one out of a
    branch. `step` is any number that is never negative, which XLA cannot know.
    """
    zeros = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), jax.eval_shape(make))
    return lax.cond(step >= 0, make, lambda: zeros)


@lru_cache
def _directions(dimension: int) -> tuple[int, ...]:
    """Return the first direction numbers of a dimension of the Sobol sequence."""
    from scipy.stats.qmc import Sobol

    points = Sobol(dimension + 1, scramble=False, bits=32).random(1 << NET)[:, dimension]
    whole = (points * 2**32).astype(np.uint64)
    # SciPy counts in Gray code: its neighbours 2^k - 1 and 2^k differ by direction k alone.
    return tuple(int(whole[1 << k] ^ whole[(1 << k) - 1]) for k in range(NET))
