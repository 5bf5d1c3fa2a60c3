"""How a model is trained, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import lru_cache
from typing import Any, Literal, Self, final

from nalm._internal.checks import check_whole, not_negative, positive, shown
from nalm.errors import InputError, unknown
from nalm.training._choice import Choice
from nalm.training._options import changed
from nalm.training.losses import Loss, loss_of
from nalm.training.optimizers import Optimizer, optimizer_of
from nalm.training.rules import Reinitialize, Snap
from nalm.training.schedules import Schedule

LATER = {"later": True}
"""Marks a field that was added when results were stored already.

At its default it is left out of the JSON of a run, so that those results are found again.
"""
PARTS: dict[str, type] = {"reinitialize": Reinitialize, "decay": Schedule, "snap": Snap}
CHOICES = {
    "scaling": (None, "min-max", "feyn", "feyn-batch", "z-score"),
    "generator": ("keyed", "philox", "pcg4d"),
}
SECOND_ORDER_STEPS, SECOND_ORDER_LOG = 400, 10
"""Second-order steps are few, and judged often."""


@final
@dataclass(frozen=True)
class Recipe:
    """How a model is trained: optimizer, loss, penalties, steps.

    Gradients are clipped by their norm, then by value; then noise is added, then the optimizer
    makes its step, then parameters are clamped into their intervals.

    Parameters
    ----------
    learning_rate : float
        The learning rate of the optimizer, above 0.
    steps : int
        The number of updates, a multiple of `log_every`.
    batch : int
        The number of samples of each update; every update draws new ones.
    optimizer : str or Optimizer
        The name of any optimizer of optax ("adam", "sgd", "adamw", "lion", ...), or an
        `Optimizer` with options such as `Optimizer("sgd", momentum=0.9)`. "lm" makes
        Levenberg-Marquardt steps, which have no learning rate, penalty or clipping.
    loss : str or Loss
        What is minimized: "mse", "mae", "mape", "huber", "pcc", or a custom `Loss`.
    mse_from : int or None
        From this step on the loss is the mean squared error.
    scaling : {"min-max", "feyn", "feyn-batch", "z-score"} or None
        How inputs are scaled for the model, and its outputs back to the targets, by the statistics
        of one fixed set of training samples. "z-score" gives inputs mean 0 and standard deviation
        1; "min-max" spreads them over [-1, 1] around their mean; "feyn" does so with the spread of
        the inputs at hand, so that test inputs are divided by their own; "feyn-batch" also
        divides each training batch by its own.
    penalties : tuple of (str, Schedule)
        Penalties that are added to the loss, each with the schedule of its scale.
    clip_norm : float or None
        The largest norm of the gradient.
    clip_value : float or None
        The largest size of an element of the gradient.
    gradient_noise : float
        η of the normal noise of variance η / (1 + step)^0.55 that is added to gradients.
    reinitialize : Reinitialize or None
        When a run that is stuck is drawn anew.
    generator : {"keyed", "philox", "pcg4d"}
        The generator of random numbers. "philox" makes every number by Philox4x32-10; "keyed" makes
        two words of each run and step so, and the numbers of the step by a hash that they key. It
        is faster and passes the same tests. "pcg4d" fails some of them.
    log_every : int
        After how many steps a run is evaluated.
    evaluation : int
        The number of validation samples, and of test samples.
    decay : Schedule or None
        What the learning rate is multiplied by, such as `Decay(10_000)`.
    input_noise : float
        The standard deviation of normal noise on what the model sees in training. Targets are
        those of the inputs without noise.
    warm_start : bool
        Begin at the least-squares weights of the first batch, between logarithms for units that
        multiply. For "lm" only.
    population : int
        How many members a run trains on the same batches from different initial weights. At each
        evaluation the run is the member with the smallest validation error.
    snap : Snap or None
        How weights are made discrete one after the other.

    Examples
    --------
    >>> from nalm.training import Ramp, Recipe
    >>> recipe = Recipe(learning_rate=1e-2, penalties=(("discretise", Ramp(1.0, 20_000, 35_000)),))
    >>> recipe.replace(optimizer="adamw").optimizer
    Optimizer('adamw')
    """

    learning_rate: float = 1e-3
    steps: int = 50_000
    batch: int = 128
    optimizer: Choice[str | Optimizer, Optimizer] = Choice(optimizer_of, "adam")  # noqa: RUF009
    loss: Choice[str | Loss, Loss] = Choice(loss_of, "mse")  # noqa: RUF009
    mse_from: int | None = None
    scaling: Literal["min-max", "feyn", "feyn-batch", "z-score"] | None = None
    penalties: tuple[tuple[str, Schedule], ...] = ()
    clip_norm: float | None = None
    clip_value: float | None = None
    gradient_noise: float = 0.0
    reinitialize: Reinitialize | None = None
    generator: Literal["keyed", "philox", "pcg4d"] = "keyed"
    log_every: int = 1000
    evaluation: int = 10_000
    decay: Schedule | None = field(default=None, metadata=LATER)
    input_noise: float = field(default=0.0, metadata=LATER)
    warm_start: bool = field(default=False, metadata=LATER)
    population: int = field(default=1, metadata=LATER)
    snap: Snap | None = field(default=None, metadata=LATER)

    def __new__(cls, *_: Any, **options: Any) -> Self:
        """Refuse fields that do not exist, and name the nearest."""
        for name in options:
            if name not in cls.__dataclass_fields__:
                raise unknown("recipe field", name, cls.__dataclass_fields__)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_parts()
        for name, choices in CHOICES.items():
            chosen = getattr(self, name)
            if chosen not in choices:
                received = chosen if isinstance(chosen, str) else shown(chosen)
                raise unknown(name, received, [c for c in choices if c])
        if self.steps % self.log_every:
            raise InputError(
                f"steps must be a multiple of log_every; received {self.steps} and "
                f"{self.log_every}. Write log_every={self.steps}, for example."
            )
        if self.population > 1 and (self.reinitialize or self.warm_start):
            raise InputError(
                "A population has its own starts: leave out warm_start and reinitialize."
            )
        self.optimizer.check(self)

    def _check_numbers(self) -> None:
        positive("learning_rate", self.learning_rate)
        for name in ("steps", "batch", "log_every", "evaluation", "population"):
            check_whole(name, getattr(self, name), 1)
        not_negative("gradient_noise", self.gradient_noise)
        not_negative("input_noise", self.input_noise)
        if self.mse_from is not None:
            check_whole("mse_from", self.mse_from, 0)
        for name in ("clip_norm", "clip_value"):
            if getattr(self, name) is not None:
                positive(name, getattr(self, name))
        if not isinstance(self.warm_start, bool):
            raise InputError(f"warm_start is True or False; received {shown(self.warm_start)}.")

    def _check_parts(self) -> None:
        for name, kind in PARTS.items():
            part = getattr(self, name)
            if not isinstance(part, kind | None):
                raise InputError(
                    f"{name} is None or a nalm.training.{kind.__name__}; received {shown(part)}."
                )
        pairs = self.penalties
        if not isinstance(pairs, tuple) or not all(map(_is_penalty, pairs)):
            raise InputError(
                "penalties are pairs of a name and a schedule, such as "
                '(("discretise", nalm.training.Ramp(1.0, 20_000, 35_000)),), or of a name and '
                f"Constant(0.01) for a scale that never changes; received {shown(pairs)}."
            )
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise InputError(f"A penalty has one schedule; received {', '.join(names)}.")

    def replace(self, **changes: Any) -> Self:
        """Return the recipe with other values of some fields.

        Parameters
        ----------
        **changes
            Values by the names of fields. A name that is not a field raises an error that names
            the nearest.

        Returns
        -------
        Recipe

        Examples
        --------
        >>> from nalm.training import Recipe
        >>> Recipe().replace(learning_rate=5e-3).learning_rate
        0.005
        """
        return replaced(self, **changes)

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return the recipe with options that are given as text, as on a command line.

        Parameters
        ----------
        options
            Values, or their text, by the names of fields. A dot leads into a field:
            "optimizer.momentum", "decay.every", "penalties.discretise.scale".

        Returns
        -------
        Recipe

        Examples
        --------
        >>> from nalm.training import Recipe
        >>> recipe = Recipe().with_options({"learning_rate": "5e-3", "optimizer": "lion"})
        >>> recipe.learning_rate, recipe.optimizer
        (0.005, Optimizer('lion'))
        """
        recipe = self
        for name, value in options.items():
            recipe = changed(recipe, name, value)
        return recipe

    def changed_by(self, given: "Recipe | Mapping[str, Any]") -> "Recipe":
        """Return the recipe that is given, or this one with other values of the fields given.

        Parameters
        ----------
        given
            A recipe, or values as `with_options` takes them.

        Examples
        --------
        >>> from nalm.training import Recipe
        >>> Recipe(steps=9000).changed_by({"learning_rate": 5e-3}).steps
        9000
        """
        return given if isinstance(given, Recipe) else self.with_options(given)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return the default recipe with these options; see `with_options`.

        Examples
        --------
        >>> from nalm.training import Recipe
        >>> Recipe.from_options({"clip_norm": "1"}).clip_norm
        1.0
        """
        return cls().with_options(options)

    def stretched(self, steps: int) -> Self:
        """Return the recipe with another number of steps, its schedules in proportion.

        Examples
        --------
        >>> from nalm.training import Ramp, Recipe
        >>> Recipe(penalties=(("l1", Ramp(1.0, 20_000, 35_000)),)).stretched(10_000).penalties
        (('l1', Ramp(scale=1.0, start=4000, end=7000)),)
        """
        check_whole("steps", steps, 1)
        share = steps / self.steps
        log_every = next(n for n in range(min(self.log_every, steps), 0, -1) if steps % n == 0)
        return replaced(
            self,
            steps=steps,
            log_every=log_every,
            penalties=tuple((name, s.stretched(share)) for name, s in self.penalties),
            mse_from=None if self.mse_from is None else int(self.mse_from * share),
            decay=self.decay and self.decay.stretched(share),
            snap=self.snap and self.snap.stretched(share),
        )

    def with_second_order(self, warm_start: bool = False) -> Self:
        """Return the recipe with second-order steps instead: few, and judged often.

        Parameters
        ----------
        warm_start
            Whether to begin at the least-squares weights of the first batch.

        Examples
        --------
        >>> from nalm.training import Recipe
        >>> Recipe(batch=64).with_second_order().steps
        400
        """
        return type(self)(
            optimizer="lm",
            loss=self.loss,
            scaling=self.scaling,
            input_noise=self.input_noise,
            steps=SECOND_ORDER_STEPS,
            log_every=SECOND_ORDER_LOG,
            batch=self.batch,
            generator=self.generator,
            evaluation=self.evaluation,
            warm_start=warm_start,
        )

    @property
    def penalty_scales(self) -> tuple[float, ...]:
        """The scales of the penalties, which may differ between the runs of a program."""
        return tuple(schedule.split()[0] for _, schedule in self.penalties)

    @lru_cache(maxsize=1024)  # noqa: B019 - recipes are few, and every run of a plan asks
    def compiled(self) -> "Recipe":
        """Return what a program depends on: learning rate and scales of penalties are set to 1.

        Examples
        --------
        >>> from nalm.training import Ramp, Recipe
        >>> Recipe(learning_rate=0.1, penalties=(("l1", Ramp(10.0, 0, 9)),)).compiled().penalties
        (('l1', Ramp(scale=1.0, start=0, end=9)),)
        """
        penalties = tuple((name, schedule.split()[1]) for name, schedule in self.penalties)
        return replaced(self, learning_rate=1.0, penalties=penalties)


def _is_penalty(pair: object) -> bool:
    if not isinstance(pair, tuple) or len(pair) != 2:
        return False
    return isinstance(pair[0], str) and isinstance(pair[1], Schedule)
