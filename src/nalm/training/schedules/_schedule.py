"""What a schedule is."""

from abc import ABC, abstractmethod
from typing import Self

from nalm._internal.types import Array, Namespace


class Schedule(ABC):
    """A number that changes with the steps of training: a frozen dataclass with these methods.

    A penalty of a recipe is multiplied by its schedule, and so is the learning rate if the recipe
    has a `decay`.

    Examples
    --------
    A custom schedule needs `value` and `stretched`:

    >>> from dataclasses import dataclass, replace
    >>> from nalm.training import Recipe, Schedule
    >>> @dataclass(frozen=True)
    ... class Jump(Schedule):
    ...     at: int
    ...     def value(self, xp, step, validation):
    ...         return xp.where(step >= self.at, 1.0, 0.0)
    ...     def stretched(self, share):
    ...         return replace(self, at=int(self.at * share))
    >>> Recipe(penalties=(("l1", Jump(40_000)),)).stretched(5_000).penalties
    (('l1', Jump(at=4000)),)
    """

    @abstractmethod
    def value(self, xp: Namespace, step: Array, validation: Array) -> Array:
        """Return the number at a step.

        Parameters
        ----------
        xp
            The namespace of the arrays: NumPy or `jax.numpy`. Under JAX the arrays are traced, so
            write `xp.where` in place of `if`.
        step
            The step, from 0.
        validation
            The validation error of the last evaluation; NaN if it was not finite.
        """

    @abstractmethod
    def stretched(self, share: float) -> Self:
        """Return the schedule for training that takes `share` times as many steps."""

    @property
    def words(self) -> str:
        """What it is, as a report says it."""
        return repr(self)

    def split(self) -> "tuple[float, Schedule]":
        """Return a factor and the schedule without it: their product is this schedule.

        Runs whose schedules differ in the factor only are trained by one compiled program.
        A schedule with a `scale` overrides this for that reason.
        """
        return 1.0, self
