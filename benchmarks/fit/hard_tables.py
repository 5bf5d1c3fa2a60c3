"""Tables as they come from a laboratory: a few wrong rows, or many columns that do not matter."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from benchmarks.fit.problem import Problem

from nalm.tasks import Uniform

Spans = dict[str, tuple[float, float]]

LAWS: dict[str, tuple[str, Spans]] = {
    "product": ("a*b", {"a": (1, 4), "b": (1, 4)}),
    "line": ("2*a - 3*b + 1", {"a": (-3, 3), "b": (-3, 3)}),
    "quotient": ("a*b/c", {"a": (1, 4), "b": (1, 4), "c": (1, 4)}),
    "kinetic": ("a*b**2/2", {"a": (1, 5), "b": (1, 5)}),
    "parallel": ("a*b/(a + b)", {"a": (1, 5), "b": (1, 5)}),
    "Kepler": ("sqrt(a**3/(b + c))", {"a": (1, 20), "b": (1, 3), "c": (0.2, 2)}),
    "hypotenuse": ("sqrt(a**2 + b**2)", {"a": (1, 5), "b": (1, 5)}),
    "two products": ("a*b + c*d", {"a": (1, 3), "b": (1, 3), "c": (1, 3), "d": (1, 3)}),
    "saturation": ("3.5*a*b/(1.8 + b)", {"a": (1, 4), "b": (0.5, 6)}),
    "parabola": ("1.5 + 2*a - 4.9*a**2", {"a": (0, 3), "b": (0, 1)}),
    "difference": ("(a - b)*c", {"a": (1, 5), "b": (1, 5), "c": (1, 3)}),
    "inverse square": ("a*b/c**2", {"a": (1, 5), "b": (1, 5), "c": (1, 4)}),
    "decay": ("a*exp(-b)", {"a": (1, 4), "b": (0.2, 3)}),
    "wave": ("a*sin(b)", {"a": (1, 4), "b": (0, 6)}),
    "logarithm": ("a*log(b)", {"a": (1, 4), "b": (1, 9)}),
    "Arrhenius": ("a*exp(-b/c)", {"a": (1, 5), "b": (1, 4), "c": (1, 3)}),
    "interference": (
        "a + b + 2*sqrt(a*b)*cos(c)", {"a": (1, 4), "b": (1, 4), "c": (0, 6)},
    ),
    "lens": ("1/(1/a + 1/b)", {"a": (1, 5), "b": (1, 5)}),
    "weighted mean": (
        "(a*b + c*d)/(a + c)", {"a": (1, 4), "b": (1, 4), "c": (1, 4), "d": (1, 4)},
    ),
    "Doppler": ("a/(1 - b/c)", {"a": (1, 5), "b": (1, 2), "c": (4, 10)}),
}  # fmt: skip
"""Laws of one to four columns, and their ranges."""

LEVELS = (0.0, 0.01, 0.03)
ROWS = 150
WIDTHS = (20, 30, 50, 100, 200)


def outliers(seed: int) -> Iterator[Problem]:
    """Twenty laws, three levels of noise, one to five wrong rows of 150."""
    for (name, (formula, spans)), level in product(LAWS.items(), LEVELS):
        for count in range(1, 6):
            yield Problem(
                "outliers", f"noise {level:.0%}", f"{name}, {count} wrong, noise {level:.0%}",
                formula, tuple(spans), _drawn(spans), _beyond(spans), ROWS, "float64", level,
                wrong=count,
            )  # fmt: skip
    del seed


def many_columns(seed: int) -> Iterator[Problem]:
    """Twenty laws in tables of 20 to 200 columns, with noise in every second one."""
    for (number, (name, (formula, spans))), width in product(enumerate(LAWS.items()), WIDTHS):
        level = 0.01 if (number + WIDTHS.index(width)) % 2 else 0.0
        rng = np.random.default_rng([17, seed, number, width])
        idle = [f"z{i + 1}" for i in range(width - len(spans))]
        named: Spans = spans | {
            z: ((0.0, 1.0), (1.0, 4.0), (-2.0, 2.0))[rng.integers(3)] for z in idle
        }
        order = rng.permutation(list(named))
        mixed = {str(key): named[str(key)] for key in order}
        yield Problem(
            "many columns", f"{width} columns", f"{name}, {width} columns, noise {level:.0%}",
            formula, tuple(mixed), _drawn(mixed), _beyond(mixed), 500, "float64", level,
        )  # fmt: skip


def _drawn(spans: Spans) -> tuple[Uniform, ...]:
    return tuple(Uniform(low, high) for low, high in spans.values())


def _beyond(spans: Spans) -> tuple[Uniform, ...]:
    """Return ranges half as long again."""
    return tuple(Uniform(low, high + (high - low) / 2) for low, high in spans.values())
