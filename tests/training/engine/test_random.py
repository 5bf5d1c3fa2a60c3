"""Counter-based generators: known answers, and no pattern along any counter."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from nalm.training.engine.random import GENERATORS, finalised, hashed, high_half, philox, unit
from nalm.training.engine.streams import NOISE, TRAIN, Stream

MAX = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((MAX,) * 4, (MAX,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_matches_the_published_answers(counter, key, expected):
    words = philox(
        tuple(jnp.uint32(c) for c in counter),  # pyright: ignore[reportArgumentType]
        tuple(jnp.uint32(k) for k in key),  # pyright: ignore[reportArgumentType]
    )
    assert tuple(int(w) for w in words) == expected


@pytest.mark.parametrize("factor", [0xD2511F53, 0xCD9E8D57, 0xFFFFFFFF, 0])
def test_the_upper_word_of_a_product(factor):
    words = np.random.default_rng(0).integers(0, 2**32, 1000, dtype=np.uint64)
    words[:3] = 0, 0xFFFF, 0xFFFFFFFF
    found = high_half(factor, jnp.asarray(words, jnp.uint32))
    assert (np.asarray(found) == (np.uint64(factor) * words) >> np.uint64(32)).all()


def test_the_finaliser_matches_the_published_answers():
    """MurmurHash3 of no bytes is the finaliser of its seed."""
    published = {0: 0, 1: 0x514E28B7, MAX: 0x81F16F39}
    assert {seed: int(finalised(jnp.uint32(seed))) for seed in published} == published


def test_a_key_gives_every_place_its_own_word():
    key = jnp.uint32(0x243F6A88), jnp.uint32(0x85A308D3)
    words = np.asarray(hashed(jnp.arange(2**20, dtype=jnp.uint32), key))
    assert len(np.unique(words)) == 2**20


def numbers(name: str, number: int = TRAIN) -> np.ndarray:
    """Return uniforms over (run, step, lane, column), as training draws them."""
    key = jnp.stack([jnp.arange(16), jnp.zeros(16, int)], axis=1).astype(jnp.uint32)
    lane, stream = jnp.arange(64, dtype=jnp.uint32)[None, :], Stream(name, key, number)
    drawn = jax.jit(jax.vmap(lambda step: jnp.stack(stream.samples(lane, step, 4), axis=-1)))
    return np.asarray(drawn(jnp.arange(64))).swapaxes(0, 1).astype(np.float64)


def test_both_ways_to_draw_the_numbers_of_a_step_give_the_same():
    key = jnp.asarray([[3, 0], [4, 1]], jnp.uint32)
    for name in GENERATORS:
        stream = Stream(name, key, TRAIN)
        apart = stream.samples(jnp.arange(64, dtype=jnp.uint32)[None, :], jnp.int32(9), 7)
        np.testing.assert_array_equal(
            stream.sample_array(64, jnp.int32(9), 7), np.stack(apart, axis=1)
        )


def test_streams_of_a_run_share_no_numbers():
    train, noise = numbers("keyed"), numbers("keyed", NOISE)
    correlation = np.sum((train - 0.5) * (noise - 0.5)) * 12 / np.sqrt(train.size)
    assert abs(correlation) < 4.5
    assert np.mean(train == noise) < 1e-5


@pytest.mark.parametrize("name", GENERATORS)
def test_numbers_are_uniform_and_uncorrelated_along_every_axis(name):
    u = numbers(name)
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(u.ravel()[::7], "uniform").pvalue > 1e-3
    counts = np.histogram(u, bins=256, range=(0, 1))[0]
    assert stats.chisquare(counts).pvalue > 1e-3
    z = (u - 0.5) * np.sqrt(12)
    for axis in range(4):
        first, second = (np.delete(z, end, axis=axis) for end in (-1, 0))
        correlation = np.sum(first * second) / np.sqrt(first.size)
        assert abs(correlation) < 4.5, axis
    pairs = np.histogram2d(u[..., 0].ravel(), u[..., 1].ravel(), bins=16, range=[(0, 1)] * 2)[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-3


@pytest.mark.parametrize(("name", "highest_bit"), [("philox", 32), ("pcg4d", 20)])
def test_one_changed_bit_changes_half_of_the_output(name, highest_bit):
    """Counters count from 0: pcg4d mixes their first 20 bits as well as Philox mixes all."""
    zero = jnp.uint32(0)
    base = [3, 5, 7, 11, 13, 17]

    def bits(values):
        c0, c1, c2, c3, k0, k1 = (jnp.uint32(v) for v in values)
        words = GENERATORS[name].words((c0, c1, c2, c3), (k0, k1))
        return np.unpackbits(np.array([int(w + zero) for w in words], dtype=">u4").view(np.uint8))

    reference = bits(base)
    flips = []
    for place in range(6):
        for bit in range(0, highest_bit, 3):
            changed = list(base)
            changed[place] ^= 1 << bit
            flips.append(np.mean(bits(changed) != reference))
    assert np.mean(flips) == pytest.approx(0.5, abs=0.03)
    assert min(flips) > 0.25


def test_one_changed_bit_of_key_or_place_changes_half_of_a_hashed_word():
    place = jnp.arange(256, dtype=jnp.uint32)
    base = np.asarray(hashed(place, (jnp.uint32(13), jnp.uint32(17))))
    flips = []
    for changed in (jnp.uint32(1 << bit) for bit in range(32)):
        by_key = hashed(place, (jnp.uint32(13) ^ changed, jnp.uint32(17)))
        by_place = hashed(place ^ changed, (jnp.uint32(13), jnp.uint32(17)))
        words = np.stack([by_key, by_place]) ^ base
        flips += list(np.unpackbits(words.view(np.uint8), axis=1).mean(axis=1))
    assert np.mean(flips) == pytest.approx(0.5, abs=0.01)
    assert min(flips) > 0.4


def test_uniform_numbers_are_never_zero_a_half_or_one():
    """In 6 million draws a range such as [-2, 2) would otherwise hit a zero divisor."""
    cells = [0, 1, 2**22 - 1, 2**22, 2**22 + 1, 2**23 - 1]
    values = [float(unit(jnp.uint32(cell << 9))) for cell in cells]
    assert values == [(cell + 0.5) / 2**23 for cell in cells]
    assert min(values) > 0
    assert max(values) < 1
    assert all(-2 + 4 * np.float32(value) != 0 for value in values)
