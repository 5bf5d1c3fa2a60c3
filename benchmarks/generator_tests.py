"""Statistical tests of the random words that training draws, in NumPy.

`python benchmarks/generator_tests.py GENERATOR FASTEST` prints a line for every test whose p-value
is below 1e-3, and the smallest of all. The words are those of `generators.py`. The tests are small
ones of the kinds of Knuth, Marsaglia and TestU01: frequencies of bits, bytes, pairs and triples,
serial correlations, birthday spacings, collisions, ranks of binary matrices, orders of four, the
largest of eight, runs and Hamming weights.
"""

import argparse
import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy import stats

from generators import AXES, drawn

LAGS = (1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 127, 128, 225, 256, 1000, 4096, 12_800)
BIRTHDAYS = 2**12
NOTABLE = 1e-3
Test = tuple[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("generator")
    parser.add_argument("fastest", choices=AXES)
    parser.add_argument("--words", type=int, default=2**22)
    parser.add_argument("--inputs", type=int, default=100)
    options = parser.parse_args()
    words = first(drawn(options.generator, options.inputs, options.fastest), options.words)
    found = sorted(tests(words), key=lambda test: test[1])
    for name, p in found:
        if p < NOTABLE:
            print(f"  {name}: p = {p:.2g}")
    print(
        f"{options.generator}, {options.inputs} inputs, {options.fastest} fastest: "
        f"{len(found)} tests of {words.size:,} words, smallest p = {found[0][1]:.2g} "
        f"({found[0][0]})"
    )


def first(arrays: Iterator[np.ndarray], count: int) -> np.ndarray:
    """Return the first words."""
    parts, have = [], 0
    for array in arrays:
        parts.append(np.ascontiguousarray(array).ravel())
        have += parts[-1].size
        if have >= count:
            break
    return np.concatenate(parts)[:count]


def tests(words: np.ndarray) -> Iterator[Test]:
    """Yield the p-values of all tests."""
    yield from frequencies(words)
    yield from correlations(words)
    yield "birthday spacings", birthdays(words)
    yield "birthday spacings, low bits first", birthdays(words.byteswap())
    yield "collisions", collisions(words)
    for shift in (0, 9):
        yield f"ranks of matrices, bits from {shift}", ranks(words, shift)
    yield "orders of four", orders(words)
    yield "largest of eight", largest(words)
    yield "runs", runs(words)
    yield "Hamming weights of neighbours", weights(words)


def frequencies(words: np.ndarray) -> Iterator[Test]:
    count = words.size
    z = [(2 * np.count_nonzero(words >> b & 1) - count) / math.sqrt(count) for b in range(32)]
    yield "bits", float(stats.chi2.sf(np.sum(np.square(z)), 32))
    for shift in (0, 8, 16, 24):
        yield f"byte from bit {shift}", even(words >> shift & 255, 256)
    for shift in (9, 16, 24):
        part = (words >> shift & 255).astype(np.int64)
        yield f"pairs from bit {shift}", even(part[0::2] * 256 + part[1::2], 2**16)
    for shift in (9, 27):
        part = (words[: count // 3 * 3] >> shift & 31).astype(np.int64).reshape(-1, 3)
        yield f"triples from bit {shift}", even(part @ [1024, 32, 1], 2**15)


def even(values: np.ndarray, bins: int) -> float:
    """Return the p-value of the hypothesis that all values are equally frequent."""
    return float(stats.chisquare(np.bincount(values, minlength=bins)).pvalue)


def correlations(words: np.ndarray) -> Iterator[Test]:
    for name, part in (("", words >> 9), (" of low bits", words & 511)):
        x = part.astype(np.float32)
        x = (x - x.mean()) / x.std()
        for lag in LAGS:
            z = float(np.dot(x[:-lag], x[lag:])) / math.sqrt(x.size - lag)
            yield f"correlation{name} at lag {lag}", two_sided(z)


def two_sided(z: float) -> float:
    return float(2 * stats.norm.sf(abs(z)))


def poisson(count: int, mean: float) -> float:
    """Return the two-sided p-value of a count."""
    return float(
        min(1.0, 2 * min(stats.poisson.cdf(count, mean), stats.poisson.sf(count - 1, mean)))
    )


def birthdays(words: np.ndarray) -> float:
    """Return the p-value of the number of equal spacings between sorted words."""
    years = np.sort(words[: words.size // BIRTHDAYS * BIRTHDAYS].reshape(-1, BIRTHDAYS), axis=1)
    spacings = np.sort(np.diff(years, axis=1), axis=1)
    equal = int(np.count_nonzero(np.diff(spacings, axis=1) == 0))
    return poisson(equal, len(years) * BIRTHDAYS**3 / 2**34)


def collisions(words: np.ndarray) -> float:
    return poisson(words.size - np.unique(words).size, words.size**2 / 2**33)


def ranks(words: np.ndarray, shift: int) -> float:
    """Return the p-value of the ranks of square matrices whose rows are words."""
    size = 32 - shift
    rows = (words[: words.size // (4 * size) * size] >> shift).reshape(-1, size).copy()
    rank = np.zeros(len(rows), int)
    each = np.arange(len(rows))
    for bit in range(size):
        has = (rows >> np.uint32(bit) & 1).astype(bool)
        found = has.any(axis=1)
        pivot = has.argmax(axis=1)
        row = np.where(found, rows[each, pivot], 0)
        rows ^= np.where(has, row[:, None], 0).astype(np.uint32)
        rank += found
    chance = [rank_chance(size, size - lost) for lost in range(3)]
    observed = [int(np.count_nonzero(rank == size - lost)) for lost in range(3)]
    observed.append(len(rows) - sum(observed))
    expected = np.array([*chance, 1 - sum(chance)]) * len(rows)
    return float(stats.chisquare(observed, expected).pvalue)


def rank_chance(size: int, rank: int) -> float:
    """Return the chance that a random square binary matrix has a rank."""
    found = 2.0 ** (rank * (2 * size - rank) - size * size)
    for i in range(rank):
        found *= (1 - 2.0 ** (i - size)) ** 2 / (1 - 2.0 ** (i - rank))
    return found


def orders(words: np.ndarray) -> float:
    four = words[: words.size // 4 * 4].reshape(-1, 4)
    codes = np.argsort(four, axis=1, kind="stable") @ [64, 16, 4, 1]
    known = [np.dot(order, [64, 16, 4, 1]) for order in itertools.permutations(range(4))]
    counts = np.bincount(codes, minlength=256)[known]
    return float(stats.chisquare(counts).pvalue)


def largest(words: np.ndarray) -> float:
    top = words[: words.size // 8 * 8].reshape(-1, 8).max(axis=1)
    share = ((top.astype(np.float64) + 0.5) / 2**32) ** 8
    return even((share * 1024).astype(np.int64), 1024)


def runs(words: np.ndarray) -> float:
    above = words >> 31
    changes = int(np.count_nonzero(above[1:] != above[:-1]))
    return two_sided((2 * changes - (words.size - 1)) / math.sqrt(words.size - 1))


def weights(words: np.ndarray) -> float:
    ones = np.bitwise_count(words).astype(np.float32) - 16
    z = float(np.dot(ones[:-1], ones[1:])) / (8 * math.sqrt(words.size - 1))
    return two_sided(z)


if __name__ == "__main__":
    main()
