"""How a unit is trained, as data."""

from dataclasses import dataclass
from typing import Literal

from nalm.errors import InputError


@dataclass(frozen=True)
class Ramp:
    """A penalty scale that grows linearly from 0 at `start` to `scale` at `end`."""

    scale: float
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InputError(f"A ramp has 0 <= start < end; received {self.start} to {self.end}.")


@dataclass(frozen=True)
class Growth:
    """A penalty scale that is multiplied by `factor` every `every` steps, up to `last`."""

    first: float
    last: float
    every: int = 10_000
    factor: float = 10.0

    def __post_init__(self) -> None:
        if not (0 < self.first <= self.last and self.every > 0 and self.factor > 1):
            raise InputError(f"A scale grows from first to last by a factor above 1: {self}.")


Schedule = Ramp | Growth


@dataclass(frozen=True)
class Recipe:
    """How a unit is trained.

    `penalties` pairs the name of a regulariser with the schedule of its scale. Gradients are
    clipped by norm, then by value, then noise of variance η/(1 + step)^0.55 is added.
    """

    learning_rate: float = 1e-3
    steps: int = 50_000
    batch: int = 128
    optimiser: Literal["adam", "sgd"] = "adam"
    momentum: float = 0.0
    penalties: tuple[tuple[str, Schedule], ...] = ()
    clip_norm: float | None = None
    clip_value: float | None = None
    gradient_noise: float = 0.0
    generator: Literal["philox", "pcg4d"] = "philox"
    log_every: int = 1000
    evaluation: int = 10_000

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "log_every", "evaluation"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1; received {value}.")
        if self.steps % self.log_every:
            raise InputError(
                f"steps must be a multiple of log_every={self.log_every}; received {self.steps}."
            )
        if not self.learning_rate > 0:
            raise InputError(f"learning_rate must be above 0; received {self.learning_rate}.")


UNPUBLISHED = {
    "inalu": "it needs reinitialisation, which the engine does not have",
    "inac": "it was not benchmarked alone",
    "imnac": "it was not benchmarked alone",
    "stgnmu": "the scale of its penalty is in no source",
}


def published(unit: str, op: str, inputs: int = 2) -> Recipe:
    """Return the settings of the single module benchmark for a unit, an operation and a size."""
    if unit in UNPUBLISHED:
        raise InputError(f"There is no published recipe for {unit} yet: {UNPUBLISHED[unit]}.")
    long = inputs > 2
    steps = 100_000 if long else 50_000
    ramp = (50_000, 75_000) if long else (20_000, 35_000)
    if unit == "nau":
        return Recipe(steps=steps, penalties=(("discretise", Ramp(0.01, *ramp)),))
    if unit in {"nmu", "snmu", "nac_mul_nmu"}:
        return Recipe(steps=steps, penalties=(("discretise", Ramp(10.0, *ramp)),))
    if unit in {"npu", "real_npu"}:
        first = 1e-9 if op in {"div", "reciprocal"} else 1e-7
        return Recipe(5e-3, steps, penalties=(("l1", Growth(first, 100 * first)),))
    if unit == "nru":
        rate = 1e-3 if long else 1.0
        return Recipe(rate, steps, penalties=(("discretise", Ramp(10.0, *ramp)),))
    if unit == "nmru":
        discretise = (("discretise", Ramp(10.0, *ramp)),)
        return Recipe(1e-2, steps, penalties=discretise, clip_norm=1.0)
    return Recipe(steps=steps)
