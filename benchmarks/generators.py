"""Write the random words that training draws to standard output, for test suites that read them.

`python benchmarks/generators.py GENERATOR FASTEST | RNG_test stdin32 -tlmax 1GB`

GENERATOR is a generator of recipes. FASTEST says along which axis words follow each other: `lanes`
of a sample, `columns` (inputs), `steps` or `seeds`. `--bits 23` keeps the bits that a uniform
number has, packed without gaps; all 32 are written otherwise. Words come from the stream of
training samples of the engine, for 100 inputs and a batch of 128 (two inputs with `--inputs 2`).
"""

import argparse
import sys

import jax
import jax.numpy as jnp
import numpy as np

from nalm.training.engine.random import GENERATORS
from nalm.training.engine.streams import TRAIN, Stream, groups_of

BATCH = 128
SEEDS = 225
AXES = ("seeds", "steps", "columns", "lanes")
SIZES = {
    "lanes": (1, 64),
    "columns": (1, 64),
    "steps": (1, 4096),
    "seeds": (SEEDS, 8),
}
"""How many seeds and steps are written at a time, by the axis that is the fastest."""
STEPS_PLACES = 64
"""Of how many places steps are written, if these are the fastest."""


def drawn(generator: str, inputs: int, fastest: str):
    """Yield arrays of words in their order."""
    seeds, steps = SIZES[fastest]
    groups = groups_of(inputs, BATCH)
    lane = jnp.arange(BATCH // groups, dtype=jnp.uint32)[None, :]
    key = jnp.stack([jnp.arange(seeds, dtype=jnp.uint32), jnp.zeros(seeds, jnp.uint32)], axis=1)
    stream = Stream(generator, key, TRAIN)

    @jax.jit
    def words(start):
        each = jax.vmap(lambda step: jnp.stack(stream.sample_words(lane, step, inputs * groups)))
        return each(start + jnp.arange(steps, dtype=jnp.int32))  # steps, columns, seeds, lanes

    for start in range(0, 2**31 - steps, steps):
        found = np.asarray(words(jnp.int32(start))).transpose(2, 0, 1, 3)
        if fastest == "steps":
            places = found.reshape(1, steps, -1)[:, :, :STEPS_PLACES]
            yield np.moveaxis(places, 1, -1)
        else:
            yield np.moveaxis(found, AXES.index(fastest), -1)


def packed(words: np.ndarray, bits: int) -> bytes:
    """Return the highest bits of words, without gaps."""
    if bits == 32:
        return np.ascontiguousarray(words, "<u4").tobytes()
    whole = np.ascontiguousarray(words.ravel(), ">u4").view(np.uint8).reshape(-1, 4)
    return np.packbits(np.unpackbits(whole, axis=1)[:, :bits].ravel()).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("generator", choices=GENERATORS)
    parser.add_argument("fastest", choices=AXES)
    parser.add_argument("--bits", type=int, default=32)
    parser.add_argument("--inputs", type=int, default=100)
    options = parser.parse_args()
    try:
        for words in drawn(options.generator, options.inputs, options.fastest):
            sys.stdout.buffer.write(packed(words, options.bits))
    except BrokenPipeError:  # the test suite has read enough
        sys.stderr.close()


if __name__ == "__main__":
    main()
