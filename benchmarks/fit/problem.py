"""A law to be found, and the tables that are drawn from it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

TEST_ROWS = 1000
KINDS = ("moved decimal point", "wrong sign", "far off", "another row's result", "zero")
"""What a wrong row is."""
NAMESPACE = {
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log, "tanh": np.tanh,
    "abs": np.abs, "where": np.where, "ln": np.log, "tan": np.tan, "cosh": np.cosh,
    "arcsin": np.arcsin, "arccos": np.arccos, "arctan": np.arctan, "pi": np.pi,
}  # fmt: skip


FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "arcsin", "arccos", "arctan", "abs")


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
    wrong: int = 0
    """How many rows have a wrong result."""
    findable: bool = True
    """Whether it is a formula of + − × ÷ √; others test whether a method knows that it failed."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions of the law; other tools are given these, nalm is not."""
        return tuple(name for name in FUNCTIONS if re.search(rf"\b{name}\(", self.formula))


@dataclass(frozen=True)
class Data:
    """Rows to learn from, and rows to be judged by."""

    x: np.ndarray
    y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    wrong: np.ndarray
    """The rows whose result is wrong."""


def data(problem: Problem, seed: int) -> Data:
    """Draw the rows of a problem; results are those of the rounded inputs, rounded."""
    rng = np.random.default_rng([seed, crc32(problem.name.encode()), len(problem.names)])
    x, y = _rows(problem, problem.train, problem.rows, rng, problem.dtype)
    test_x, test_y = _rows(problem, problem.test, TEST_ROWS, rng, "float64")
    noisy = y + problem.noise * np.std(y) * rng.standard_normal(len(y))
    noisy, wrong = spoiled(noisy, problem.wrong, rng)
    return Data(x, noisy.astype(problem.dtype), test_x, test_y, wrong)


def spoiled(y: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return results of which some are wrong by at least a third of their spread, and which."""
    spread, wrong = float(np.std(y)), y.copy()
    which = np.sort(rng.permutation(len(y))[:count])
    for row in which:
        for _ in range(100):
            kind = KINDS[rng.integers(len(KINDS))]
            other = {
                "moved decimal point": y[row] * rng.choice([0.1, 10.0]),
                "wrong sign": -y[row],
                "far off": y[row] + spread * rng.uniform(1, 20) * rng.choice([-1, 1]),
                "another row's result": y[rng.integers(len(y))],
                "zero": 0.0,
            }[kind]
            if abs(other - y[row]) > spread / 3:
                wrong[row] = other
                break
    return wrong, which


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
