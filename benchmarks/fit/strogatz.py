"""The 14 Strogatz equations of SRBench's ground-truth track: the rates of seven systems.

The tables are made as SRBench's were: four starts near a point, 100 Euler steps of 0.1 from each,
and at every step the rate of change. Random starts have the published spread, but other numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import numpy as np
from benchmarks.fit.problem import evaluated

STARTS, STEPS, STEP = 4, 100, 0.1
NAMES = ("x", "y")
WIDE, NARROW = 10**0.05, 10**0.005
"""Standard deviations of noise with a power of 1 and 0.1 decibels."""

Start = Callable[[np.random.Generator, int], tuple[float, float]]


@dataclass(frozen=True)
class System:
    """Two states whose rates of change are formulas of both."""

    name: str
    rates: tuple[str, str]
    start: Start

    def states(self, seed: int) -> np.ndarray:
        """Return the states of all trajectories, one after the other."""
        rng = np.random.default_rng([seed, *map(ord, self.name)])
        found = []
        for number in range(STARTS):
            state = np.array([self.start(rng, number)])
            for _ in range(STEPS):
                found.append(state)
                state = state + STEP * np.hstack([evaluated(f, NAMES, state) for f in self.rates])
        return np.vstack(found)


@dataclass(frozen=True)
class Rate:
    """One rate of change of a system: a law, whose inputs are states."""

    system: System
    number: int
    names = NAMES

    @property
    def name(self) -> str:
        """Its name in SRBench."""
        return f"strogatz_{self.system.name}{self.number + 1}"

    @property
    def formula(self) -> str:
        """The law."""
        return self.system.rates[self.number]

    def table(self, rows: int, seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return states and rates; the noise is a share of the root mean square of the rates."""
        x = self.system.states(seed)[:rows]
        y = evaluated(self.formula, NAMES, x)
        noises = np.random.default_rng([seed, *map(ord, self.name)]).normal(0, 1, len(y))
        return x, y + noises * noise * np.sqrt(np.mean(y**2))


def near(x: float, y: float) -> Start:
    """Return a start that is random around a point."""
    return lambda rng, _: (x + WIDE * rng.normal(), y + NARROW * rng.normal())


def within(low: tuple[float, float], high: tuple[float, float]) -> Start:
    """Return a start that is random in a box."""
    return lambda rng, _: tuple(rng.uniform(low, high))


RESPIRATION = "x*y/(1 + 0.5*x**2)"
SYSTEMS = (
    System("bacres", (f"20 - x - {RESPIRATION}", f"10 - {RESPIRATION}"), near(5, 10)),
    System(
        "barmag",
        ("0.5*sin(x - y) - sin(x)", "0.5*sin(y - x) - sin(y)"),
        within((0, 0), (2 * pi, 2 * pi)),
    ),
    System("glider", ("-0.05*x**2 - sin(y)", "x - cos(y)/x"), near(5, 0)),
    System(
        "lv",
        ("3*x - 2*x*y - x**2", "2*y - x*y - y**2"),
        lambda _, number: ((1, 3), (4, 1), (8, 2), (3, 3))[number],
    ),
    System(
        "predprey",
        ("x*(4 - x - y/(1 + x))", "y*(x/(1 + x) - 0.075*y)"),
        near(5, 10),
    ),
    System(
        "shearflow",
        ("cos(y)/sin(y)*cos(x)", "(cos(y)**2 + 0.1*sin(y)**2)*sin(x)"),
        within((-pi, -pi / 2), (pi, pi / 2)),
    ),
    System("vdp", ("10*(y - (x**3 - x)/3)", "-x/10"), within((0, 0), (1, 1))),
)


def rates() -> list[Rate]:
    """Return both rates of each system."""
    return [Rate(system, number) for system in SYSTEMS for number in range(2)]
