"""Laws to be found: formulas as functions of the columns, with what is drawn for them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

Formula = Callable[[np.ndarray], np.ndarray]
RANGES = (
    (-20, -10), (-2, -1), (-1.2, -1.1), (-0.2, -0.1), (-2, 2), (0.1, 0.2), (1, 2), (1.1, 1.2),
    (10, 20),
)  # fmt: skip
STEPS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: 1 / (a * b),
}


def chain(ops: str) -> Formula:
    """Return operations one after the other: the first on two columns, each next on one more."""

    def formula(x: np.ndarray) -> np.ndarray:
        value = x[:, 0]
        for i, op in enumerate(ops):
            value = STEPS[op](value, x[:, i + 1])
        return value

    return formula


def chains(steps: int) -> list[str]:
    return ["".join(ops) for ops in product("+-*/", repeat=steps)]


@dataclass(frozen=True)
class Law:
    name: str
    inputs: int
    formula: Formula


PHYSICS = (
    Law("kinetic", 4, lambda x: x[:, 0] * (x[:, 1] ** 2 + x[:, 2] ** 2 + x[:, 3] ** 2) / 2),
    Law("distance", 4, lambda x: np.hypot(x[:, 0] - x[:, 1], x[:, 2] - x[:, 3])),
    Law("mossotti", 2, lambda x: 1 + x[:, 0] * x[:, 1] / (1 - x[:, 0] * x[:, 1] / 3)),
    Law("lens", 3, lambda x: 1 / (1 / x[:, 0] + x[:, 2] / x[:, 1])),
    Law("centre", 4, lambda x: (x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3]) / (x[:, 0] + x[:, 2])),
    Law("velocities", 3, lambda x: (x[:, 0] + x[:, 1]) / (1 + x[:, 0] * x[:, 1] / x[:, 2] ** 2)),
    Law("coulomb", 4, lambda x: x[:, 0] * x[:, 1] / (4 * np.pi * x[:, 2] * x[:, 3] ** 2)),
    Law("energy", 3, lambda x: x[:, 0] * x[:, 1] ** 2 / 2 + 9.81 * x[:, 0] * x[:, 2]),
)
COEFFICIENTS = (
    Law("2.5ab+0.7c", 6, lambda x: 2.5 * x[:, 0] * x[:, 1] + 0.7 * x[:, 2]),
    Law("(a+2b)/(c-0.3d+3)", 6, lambda x: (x[:, 0] + 2 * x[:, 1]) / (x[:, 2] - 0.3 * x[:, 3] + 3)),
    Law("(a+1.5b)(c+d/2)", 6, lambda x: (x[:, 0] + 1.5 * x[:, 1]) * (x[:, 2] + x[:, 3] / 2)),
    Law("a/(b+c)+2.4d", 6, lambda x: x[:, 0] / (x[:, 1] + x[:, 2]) + 2.4 * x[:, 3]),
    Law("0.37a^1.5b/sqrt(c)", 6, lambda x: 0.37 * x[:, 0] ** 1.5 * x[:, 1] / np.sqrt(x[:, 2])),
)


def table(  # noqa: PLR0917
    formula: Formula,
    inputs: int,
    rows: int,
    low: float,
    high: float,
    seed: int,
    dtype: type = np.float64,
) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(seed).uniform(low, high, (rows, inputs)).astype(dtype)
    return x, formula(x.astype(np.float64)).astype(dtype)
