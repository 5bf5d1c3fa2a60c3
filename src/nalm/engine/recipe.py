"""How a unit is trained, as data."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from nalm._input_checks import check_number, check_whole, not_negative, positive
from nalm.errors import InputError, unknown


@dataclass(frozen=True)
class Ramp:
    """A penalty scale that grows linearly from 0 at `start` to `scale` at `end`."""

    scale: float
    start: int
    end: int

    def __post_init__(self) -> None:
        not_negative("scale of a ramp", self.scale)
        check_whole("start of a ramp, a step,", self.start, 0)
        check_whole("end of a ramp, a step,", self.end, 1)
        if not self.start < self.end:
            raise InputError(f"A ramp has 0 <= start < end; received {self.start} to {self.end}.")


@dataclass(frozen=True)
class Growth:
    """A penalty scale that is multiplied by `factor` every `every` steps, up to `last`."""

    first: float
    last: float
    every: int = 10_000
    factor: float = 10.0

    def __post_init__(self) -> None:
        positive("first scale", self.first)
        positive("last scale", self.last)
        check_whole("every", self.every, 1)
        check_number("factor", self.factor, "above 1", lambda factor: factor > 1)
        if self.first > self.last:
            raise InputError(f"A scale grows from first to last by a factor above 1: {self}.")


@dataclass(frozen=True)
class Late:
    """A penalty scale that applies after a step, while the last validation error is low."""

    scale: float
    after: int
    below: float

    def __post_init__(self) -> None:
        not_negative("scale of a late penalty", self.scale)
        check_whole("after", self.after, 0)
        positive("below", self.below)


Schedule = Ramp | Growth | Late


@dataclass(frozen=True)
class Reinitialise:
    """Draw all parameters anew when training is stuck.

    Each step appends the last validation error to a list. Every `every` steps, once the list has
    more than `memory` values: if the mean of its first half is no more than the mean plus the
    standard deviation of its second half, and the mean of the second half is above `above`, the
    parameters are drawn anew and the list is emptied. The optimiser keeps its moments.
    """

    every: int = 10
    memory: int = 5000
    above: float = 1.0

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        check_whole("memory", self.memory, 1)
        not_negative("above", self.above)


@dataclass(frozen=True)
class Decay:
    """The learning rate is multiplied by `factor` every `every` steps."""

    every: int
    factor: float = 0.1

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        check_number("factor", self.factor, "above 0, at most 1", lambda factor: 0 < factor <= 1)


@dataclass(frozen=True)
class Snap:
    """Weights become discrete one after the other.

    From step `start` on, every `every` steps, the free weight that is nearest to -1, 0 or 1 is set
    to it for good; the others go on learning.
    """

    start: int
    every: int = 1

    def __post_init__(self) -> None:
        check_whole("start", self.start, 0)
        check_whole("every", self.every, 1)


LATER = {"later": True}
"""Marks a field that was added when results were stored already.

At its default it is left out of the JSON of a run, so that those results are found again.
"""
SECOND_ORDER = {
    "loss": "mse",
    "scaling": None,
    "input_noise": 0.0,
    "penalties": (),
    "clip_norm": None,
    "clip_value": None,
    "gradient_noise": 0.0,
}
"""What second-order steps can train with: the square of what the model itself is off, alone."""
PARTS = {"reinitialise": Reinitialise, "decay": Decay, "snap": Snap}
CHOICES = {
    "optimiser": ("adam", "sgd", "rmsprop", "lm"),
    "loss": ("mse", "mae", "mape", "huber", "pcc"),
    "scaling": (None, "min-max", "feyn", "z-score"),
    "generator": ("philox", "pcg4d"),
}


@dataclass(frozen=True)
class Recipe:
    """How a unit is trained.

    `penalties` pairs the name of a regulariser with the schedule of its scale. Gradients are
    clipped by norm, then by value, then noise of variance η/(1 + step)^0.55 is added. From step
    `mse_from` on the loss is the mean squared error. `scaling` makes the inputs of the model
    standard (z-score) or spread over [-1, 1] around their mean (min-max), and its outputs like
    the targets, by the statistics of one fixed set of training samples; feyn is min-max with the
    spread of the inputs at hand, so that those of the test are divided by their own. `input_noise`
    is the standard deviation of normal noise on what the model sees in training; targets are those
    of the inputs without it. The optimiser lm takes second-order steps (`second_order`), which
    know no learning rate, penalty or clipping; with `warm_start` it begins at the least-squares
    weights of the first batch, between logarithms for units that multiply. A `population` trains
    so many members from other initial weights on the same batches; at each evaluation the run is
    the member with the smallest validation error. `snap` makes weights discrete while it trains.
    """

    learning_rate: float = 1e-3
    steps: int = 50_000
    batch: int = 128
    optimiser: Literal["adam", "sgd", "rmsprop", "lm"] = "adam"
    momentum: float = 0.0
    loss: Literal["mse", "mae", "mape", "huber", "pcc"] = "mse"
    mse_from: int | None = None
    scaling: Literal["min-max", "feyn", "z-score"] | None = None
    penalties: tuple[tuple[str, Schedule], ...] = ()
    clip_norm: float | None = None
    clip_value: float | None = None
    gradient_noise: float = 0.0
    reinitialise: Reinitialise | None = None
    generator: Literal["philox", "pcg4d"] = "philox"
    log_every: int = 1000
    evaluation: int = 10_000
    decay: Decay | None = field(default=None, metadata=LATER)
    input_noise: float = field(default=0.0, metadata=LATER)
    warm_start: bool = field(default=False, metadata=LATER)
    population: int = field(default=1, metadata=LATER)
    snap: Snap | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_parts()
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise unknown(name, str(getattr(self, name)), [c for c in choices if c])
        if self.steps % self.log_every:
            raise InputError(
                f"steps are a multiple of log_every; received {self.steps} and {self.log_every}. "
                f"Write log_every={self.steps}, for example."
            )
        if self.population > 1 and (self.reinitialise or self.warm_start):
            raise InputError("A population has its own starts: no warm one, and none anew later.")
        if self.optimiser == "lm":
            self._check_second_order()
        elif self.warm_start:
            raise InputError(f"A warm start is for the optimiser lm; received {self.optimiser}.")

    def _check_numbers(self) -> None:
        positive("learning_rate", self.learning_rate)
        for name in ("steps", "batch", "log_every", "evaluation", "population"):
            check_whole(name, getattr(self, name), 1)
        check_number("momentum", self.momentum, "of at least 0, below 1", lambda m: 0 <= m < 1)
        not_negative("gradient_noise", self.gradient_noise)
        not_negative("input_noise", self.input_noise)
        if self.mse_from is not None:
            check_whole("mse_from", self.mse_from, 0)
        for name in ("clip_norm", "clip_value"):
            if getattr(self, name) is not None:
                positive(name, getattr(self, name))

    def _check_parts(self) -> None:
        for name, kind in PARTS.items():
            part = getattr(self, name)
            if not isinstance(part, kind | None):
                raise InputError(f"{name} is None or a nalm.{kind.__name__}; received {part!r}.")
        pairs = self.penalties
        if not isinstance(pairs, tuple) or not all(map(_is_penalty, pairs)):
            raise InputError(
                "penalties are pairs of a name and a schedule, such as "
                f'(("discretise", nalm.Ramp(1.0, 20_000, 35_000)),); received {pairs!r}.'
            )
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise InputError(f"A penalty has one schedule; received {', '.join(names)}.")

    def _check_second_order(self) -> None:
        for name, known in SECOND_ORDER.items():
            if getattr(self, name) != known:
                raise InputError(
                    f"Second-order steps (lm) are for {name} {known!r}; received "
                    f"{getattr(self, name)!r}. Train this with another optimiser."
                )


def _is_penalty(pair: object) -> bool:
    if not isinstance(pair, tuple) or len(pair) != 2:
        return False
    return isinstance(pair[0], str) and isinstance(pair[1], get_args(Schedule))


def scale_of(schedule: Schedule) -> float:
    """Return the scale of a schedule, which may differ between the runs of a program."""
    return 1.0 if isinstance(schedule, Growth) else schedule.scale


def compiled(recipe: Recipe) -> Recipe:
    """Return what a program depends on: learning rate and scales of penalties are set to 1.

    >>> compiled(Recipe(learning_rate=0.1, penalties=(("l1", Ramp(10.0, 0, 100)),))).penalties
    (('l1', Ramp(scale=1.0, start=0, end=100)),)
    """
    penalties = tuple(
        (name, schedule if isinstance(schedule, Growth) else replace(schedule, scale=1.0))
        for name, schedule in recipe.penalties
    )
    return replace(recipe, learning_rate=1.0, penalties=penalties)


def second_order(recipe: Recipe, warm_start: bool = False) -> Recipe:
    """Return a recipe with second-order steps instead: few, and judged often."""
    return Recipe(
        optimiser="lm",
        loss=recipe.loss,
        scaling=recipe.scaling,
        input_noise=recipe.input_noise,
        steps=400,
        log_every=10,
        batch=recipe.batch,
        generator=recipe.generator,
        evaluation=recipe.evaluation,
        warm_start=warm_start,
    )


def lasting(recipe: Recipe, steps: int) -> Recipe:
    """Return the recipe with another number of steps, its schedules in proportion.

    >>> lasting(Recipe(penalties=(("l1", Ramp(1.0, 20_000, 35_000)),)), 10_000).penalties
    (('l1', Ramp(scale=1.0, start=4000, end=7000)),)
    """
    check_whole("steps", steps, 1)
    share = steps / recipe.steps

    def shortened(schedule: Schedule) -> Schedule:
        if isinstance(schedule, Ramp):
            start = int(schedule.start * share)
            return replace(schedule, start=start, end=max(start + 1, int(schedule.end * share)))
        if isinstance(schedule, Growth):
            return replace(schedule, every=max(1, int(schedule.every * share)))
        return replace(schedule, after=int(schedule.after * share))

    penalties = tuple((name, shortened(schedule)) for name, schedule in recipe.penalties)
    switch = None if recipe.mse_from is None else int(recipe.mse_from * share)
    snap = recipe.snap and Snap(
        int(recipe.snap.start * share), max(1, int(recipe.snap.every * share))
    )
    decay = recipe.decay and replace(recipe.decay, every=max(1, int(recipe.decay.every * share)))
    log_every = next(n for n in range(min(recipe.log_every, steps), 0, -1) if steps % n == 0)
    return replace(
        recipe,
        steps=steps,
        log_every=log_every,
        penalties=penalties,
        mse_from=switch,
        decay=decay,
        snap=snap,
    )
