"""A law to be found, and the tables that are drawn from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

TEST_ROWS = 1000
NAMESPACE = {
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log, "tanh": np.tanh,
    "abs": np.abs, "where": np.where, "ln": np.log, "tan": np.tan, "cosh": np.cosh,
    "arcsin": np.arcsin, "arccos": np.arccos, "arctan": np.arctan, "pi": np.pi,
}  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """A law, where its inputs come from, and how many rows of which precision show it."""

    family: str
    group: str
    """What of the family it belongs to: a row of the table."""
    name: str
    formula: str
    """Python text of the names of the inputs."""
    names: tuple[str, ...]
    train: Any
    """A distribution of all inputs, or a tuple of one for each."""
    test: Any
    """Where the formula must hold: beyond the rows that are shown."""
    rows: int = 128
    dtype: str = "float32"
    noise: float = 0.0
    """The standard deviation of what is added to the results, as a share of theirs."""
    findable: bool = True
    """Whether it is a formula of + − × ÷ √; others test whether a method knows that it failed."""

    @property
    def roots(self) -> bool:
        """Whether it takes a root; other tools are given this, nalm is not."""
        return "sqrt" in self.formula


@dataclass(frozen=True)
class Data:
    """Rows to learn from, and rows to be judged by."""

    x: np.ndarray
    y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray


def data(problem: Problem, seed: int) -> Data:
    """Draw the rows of a problem; results are those of the rounded inputs, rounded."""
    rng = np.random.default_rng([seed, crc32(problem.name.encode()), len(problem.names)])
    x, y = _rows(problem, problem.train, problem.rows, rng, problem.dtype)
    test_x, test_y = _rows(problem, problem.test, TEST_ROWS, rng, "float64")
    noisy = y + problem.noise * np.std(y) * rng.standard_normal(len(y))
    return Data(x, noisy.astype(problem.dtype), test_x, test_y)


def _rows(
    problem: Problem, source: Any, count: int, rng: np.random.Generator, dtype: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose result is a number, and their results as float64."""
    xs, ys, found = [], [], 0
    for _ in range(100):
        x = drawn(source, rng.random((count, len(problem.names)))).astype(dtype)
        y = evaluated(problem.formula, problem.names, x)
        good = np.isfinite(y) & np.isfinite(y.astype(dtype))
        xs.append(x[good])
        ys.append(y[good])
        found += int(good.sum())
        if found >= count:
            return np.concatenate(xs)[:count], np.concatenate(ys)[:count]
    raise ValueError(f"{problem.name} has hardly any row with a result.")


def drawn(source: Any, u: np.ndarray) -> np.ndarray:
    """Return the inputs of uniform numbers, `(rows, inputs)`."""
    if isinstance(source, tuple):
        pairs = zip(source, u.T, strict=True)
        return np.stack([each.quantile(np, column) for each, column in pairs], axis=1)
    return source.sample(u)


def evaluated(
    text: str, names: Sequence[str], x: np.ndarray, functions: Mapping[str, Any] = NAMESPACE
) -> np.ndarray:
    """Return the values of a formula in float64; NaN or infinity where it has none."""
    columns = dict(zip(names, x.astype(np.float64).T, strict=True))
    with np.errstate(all="ignore"):
        value = eval(text, {"__builtins__": {}, **functions}, columns)
    return np.broadcast_to(np.asarray(value, np.float64), len(x)).copy()
