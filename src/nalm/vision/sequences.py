"""Sequences of digit pictures: a running product or sum is learnt, and must hold when longer."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from nalm._internal.checks import check_whole, shown
from nalm.errors import InputError
from nalm.vision.task import PictureTask

if TYPE_CHECKING:
    from nalm.training import Curves, Recipe
    from nalm.vision.lesson import Lesson

STARTS = {"mul": 1.0, "add": 0.0}
"""The operations that can run along a sequence, and the state before its first digit."""
HELD_OUT = 1 / 12
"""The share of the training pictures that is kept for validation: 5,000 of 60,000, as published."""
WORD = "length"
"""The word before a length in the names of ranges."""


@dataclass(frozen=True, init=False)
class DigitSequences(PictureTask):
    """A running product or sum of digits, one picture after the other.

    The network reads each picture as a number, and a cell around the unit accumulates them. It is
    told the right state after every picture. Trained on short sequences, it is tested on others.

    Parameters
    ----------
    target
        "mul" or "add".
    length
        How many pictures the sequences of the training have.
    lengths
        How many those of the tests have.
    lstm
        Whether an LSTM of one hidden number accumulates instead of the unit.
    start
        The state before the first picture; 1 for products and 0 for sums if absent.
    fixed
        Whether the pictures are cut into sequences once, as published, and not anew every epoch.
    passes
        How often a test goes through the test pictures, each time in another order.
    **options
        Those of `PictureTask`.

    Examples
    --------
    >>> from nalm.tasks import Grid
    >>> from nalm.vision import DigitSequences
    >>> task = DigitSequences("mul", data="digits", train=Grid(1, 9), lengths=(1, 2, 20))
    >>> task.op, task.label(20), task.epoch(16)
    ('mul', '8×8, length 20', 34)
    """

    length: int = 2
    lengths: tuple[int, ...] = (1, 2)
    lstm: bool = False
    start: float | None = None
    fixed: bool = True
    passes: int = 1

    described_as: ClassVar[str] = "vision.DigitSequences"

    def check(self) -> None:
        """Raise InputError unless its options fit."""
        super().check()
        if self.op not in STARTS:
            raise InputError(
                f"Along a sequence runs a product or a sum, 'mul' or 'add'; received {self.op!r}."
            )
        for name in ("length", "passes"):
            check_whole(name, getattr(self, name), 1)
        if not isinstance(self.lengths, tuple) or not self.lengths:
            raise InputError(
                f"lengths are whole numbers such as (1, 2, 20); received {shown(self.lengths)}."
            )
        for length in self.lengths:
            check_whole("a length of the test", length, 1)
        if self.length not in self.lengths:
            raise InputError(
                f"The length of the training is also tested: lengths has {self.length}; received "
                f"{shown(self.lengths)}."
            )
        for name in ("lstm", "fixed"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is True or False; received {shown(getattr(self, name))}.")
        if self.lstm and self.given:
            raise InputError("Either an LSTM accumulates or a given unit; received both.")

    @property
    def begins(self) -> float:
        """The state before the first picture."""
        return STARTS[self.op] if self.start is None else self.start

    @property
    def for_any_unit(self) -> Self:
        """The sequence with the start of its operation; the papers start that of a NALU at 0."""
        return replace(self, start=None)

    @property
    def learns_unit(self) -> bool:
        """Not if the unit is given, or an LSTM accumulates."""
        return not (self.given or self.lstm)

    @property
    def compared(self) -> bool:
        """Runs are judged by their errors, not by the formulas of their units, as published."""
        return False

    @property
    def counts_right(self) -> bool:
        """Runs are judged by their errors."""
        return False

    def label(self, length: int) -> str:
        """Return what a length of the test is called in tables."""
        return f"{'' if self.data == 'mnist' else '8×8, '}{WORD} {length}"

    def judged(self, curves: "Curves", range_label: str) -> "Curves":
        """Return curves whose test errors are those of the length that a range is called after."""
        name = f"test mse {range_label.rpartition(' ')[2]}"
        return replace(curves, test=curves.series[name]) if name in curves.series else curves

    def epoch(self, batch: int) -> int:
        """Return how many steps go once through the training sequences, about."""
        pictures = {"mnist": 55_000, "digits": 1235}[self.data] * (10 - self.first) // 10
        return max(1, pictures // self.length // batch)

    def cost(self) -> float:
        """Return about how many seconds a core takes for one training sequence."""
        return self.length * COSTS[self.precision][self.data]

    def usual_recipe(self, model: Any) -> "Recipe":
        """Return the published recipe, or one that suits the small digits."""
        from nalm.vision.recipes import sequence_recipe

        return sequence_recipe(self, model)

    def lesson(self, model: Any, recipe: "Recipe", seed: int) -> "Lesson":
        """Return the network of a run, its batches, and how it is judged."""
        from nalm.vision.sequence_lesson import SequenceLesson

        return SequenceLesson(self, model, recipe, seed)


COSTS = {
    "float32": {"mnist": 2.6e-4, "digits": 4e-5},
    "bfloat16": {"mnist": 1.8e-4, "digits": 4e-5},
}
"""Seconds of a picture on one core with AVX-512."""
