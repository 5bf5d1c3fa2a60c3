"""The numbers of a law: their values, how sure they are, and what they may stand for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, inf, isfinite, log10
from typing import NamedTuple

import numpy as np

from nalm.fitting.evidence.assess import assess
from nalm.fitting.evidence.closed_numbers import closed_number
from nalm.fitting.evidence.refit import refit
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Number, Tree
from nalm.fitting.tree.number import is_measured
from nalm.fitting.tree.text import number_text
from nalm.fitting.units import Units

CONFIDENCE = 0.95
"""How probable it is that an interval holds the number, if the law is right."""

LAST_DIGIT = 2.0**-52
"""The share of a number that its last digit is: no number is known better."""


@dataclass(frozen=True)
class Constant:
    """A number of a law.

    Parameters
    ----------
    name
        Its name in the form that was given; c1, c2, … of a law that was found.
    value
        A fraction or a multiple of π, e or a root if it is exact, a float if it is measured.
    error
        The standard error; 0 if it is exact, infinite if the rows do not determine it.
    interval
        Where the number is with a probability of 95 %, if the law is right.
    unit
        Its unit, if those of the columns are known and determine it; "" for a pure number.

    Examples
    --------
    >>> print(Constant("g", 9.8123, 0.0131, (9.786, 9.838)))
    g = 9.812 ± 0.013 (standard gravity, 9.80665?)
    """

    name: str
    value: Number
    error: float
    interval: tuple[float, float]
    unit: str | None = None

    @property
    def exact(self) -> bool:
        """Whether the number is a fraction, or a multiple of π, e or a root."""
        return not is_measured(self.value)

    @cached_property
    def hint(self) -> str | None:
        """A constant of physics that it may be: only a hint, for many numbers look alike."""
        from nalm.fitting.physics import physical_constant

        return physical_constant(self.value, self.error)

    def __str__(self) -> str:
        hint = f" ({self.hint}?)" if self.hint else ""
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.name} = {self.text()}{unit}{hint}"

    def text(self) -> str:
        """Return the value with its error."""
        if self.exact:
            return number_text(self.value)
        if not isfinite(self.error):
            return f"{self.value:.6g}, not determined by the rows"
        if self.error <= LAST_DIGIT * abs(self.value):
            return f"{self.value:.15g}"
        places = max(0, 1 - floor(log10(self.error)))
        if places > 15 or abs(self.value) >= 1e6 or 0 < abs(self.value) < 1e-4:
            digits = floor(log10(abs(self.value) or 1.0)) - floor(log10(self.error)) + 1
            return f"{self.value:.{min(max(digits, 0), 16)}e} ± {self.error:.1e}"
        return f"{self.value:.{places}f} ± {self.error:.{places}f}"


class Known(NamedTuple):
    """A formula and its numbers."""

    tree: Tree
    constants: tuple[Constant, ...]


def with_constants(tree: Tree, rows: Rows, epsilon: float, units: Units | None = None) -> Known:
    """Return a formula with π, e and roots recognised, and its numbers with their errors."""
    _, errors = refit(tree, rows, epsilon, 0)
    tree = _recognised(tree, errors, lambda other: _as_good(other, tree, rows, epsilon))
    _, errors = refit(tree, rows, epsilon, 0)
    shown = _shown(tree)
    rest = iter(errors.tolist())
    sure = [next(rest) if is_measured(n) else 0.0 for n in tree.numbers()]
    known = units.of_numbers(tree) if units else [None] * len(sure)
    parts = zip(tree.numbers(), sure, known, shown, strict=True)
    found = [(number, error, unit) for number, error, unit, show in parts if show]
    free = len(rows) - len(errors)
    made = (
        replace(constant(f"c{k}", number, error, free), unit=unit)
        for k, (number, error, unit) in enumerate(found, 1)
    )
    return Known(tree, tuple(made))


def constant(name: str, value: Number, error: float, free: int) -> Constant:
    """Return a number with its interval; `free` is the number of rows beyond those of numbers."""
    if not is_measured(value):
        return Constant(name, value, 0.0, (float(value), float(value)))
    from scipy.special import stdtrit

    if free < 1 or not isfinite(error):
        return Constant(name, value, inf, (-inf, inf))
    error = max(error, LAST_DIGIT * abs(float(value)))
    width = float(stdtrit(free, (1 + CONFIDENCE) / 2)) * error
    return Constant(name, value, error, (value - width, value + width))


def _shown(tree: Tree) -> list[bool]:
    """Return which numbers are constants of the law: not 0, not ±1, no exact powers."""
    powers = iter(_is_power(tree))
    return [
        is_measured(number) or (not next_power and abs(number) not in (0, 1))
        for number, next_power in zip(tree.numbers(), powers, strict=True)
    ]


def _is_power(tree: Tree) -> list[bool]:
    """Return which numbers are powers, by putting marks in their places."""
    count = len(tree.numbers())
    marked = tree.with_numbers([float(i + 2) for i in range(count)])
    powers = {float(p) for p in marked.powers()}
    return [float(i + 2) in powers for i in range(count)]


def _recognised(tree: Tree, errors: np.ndarray, agrees: Callable[[Tree], bool]) -> Tree:
    """Return the formula with measured numbers replaced by multiples of π, e and roots."""
    rest = iter(errors.tolist())
    sure = [next(rest) if is_measured(n) else 0.0 for n in tree.numbers()]
    powers = _is_power(tree)
    for place, number in enumerate(tree.numbers()):
        if is_measured(number) and not powers[place]:
            near = closed_number(number, sure[place])
            if near is not None:
                trial = tree.with_numbers(
                    [*tree.numbers()[:place], near, *tree.numbers()[place + 1 :]]
                )
                tree = trial if agrees(trial) else tree
    return tree


def _as_good(trial: Tree, tree: Tree, rows: Rows, epsilon: float) -> bool:
    known, other = assess(tree, rows, epsilon), assess(trial, rows, epsilon)
    if known.exact:
        return other.exact
    return other.rms**2 <= known.rms**2 * (1 + 9 / max(len(rows), 1))


def listed(constants: Sequence[Constant]) -> list[str]:
    """Return measured numbers, and exact ones that may be known constants, one line each."""
    return [str(c) for c in constants if not c.exact or c.hint or c.unit]
