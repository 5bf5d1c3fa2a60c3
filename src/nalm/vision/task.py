"""Tasks whose inputs are shown as pictures of digits: only the result is given, never a digit."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from nalm._internal.checks import check_whole, shown
from nalm.errors import InputError, unknown
from nalm.tasks import Distribution, Grid, Target, Task
from nalm.vision.data import SIDES, TITLES, check_name, prepare

if TYPE_CHECKING:
    from nalm.training import Curves, Recipe
    from nalm.vision.lesson import Lesson
    from nalm.vision.recipes import Size
    from nalm.vision.trainer import PictureTrainer

Measure = Literal["exact", "rounded", "decimals"]
MEASURES = ("exact", "rounded", "decimals")
Precision = Literal["float32", "bfloat16"]
PRECISIONS = ("float32", "bfloat16")
SHOWN = (Grid(0, 9), Grid(1, 9))
"""The digits that pictures can show: all of them, or all but 0."""
LAST = 10
"""Among how many of the last evaluations the reported quotients are chosen."""
SOLVED = 0.05
"""A run is solved if a smaller share of its test results is wrong."""


@dataclass(frozen=True, init=False)
class PictureTask(Task, ABC):
    """A task whose inputs are digits that a network reads off pictures.

    The unit computes with what the network reads. Both are trained at once, by the error of the
    result alone.

    Parameters
    ----------
    target
        The operation.
    inputs
        How many digits.
    train, test
        The digits: a `Grid` from the smallest to 9.
    data
        "mnist" or "digits".
    measure
        When a result is right: if it is "exact"ly the target, if it is "rounded" to the whole
        number, or if both agree to five "decimals".
    given
        Whether the unit computes the operation from the start, so that only the reading is learnt.
    through_one
        Whether the unit gets (1 + x) - 1 instead of x, each sum rounded. The published code of the
        NMU adds in this order, x W + 1 - W, so with W = 1 it sees x rounded to the precision of
        1 + x, and 0 for an x below 6e-8.
    precision
        In what the layers that see pictures are computed, all but the last. All else is float32.
    device
        Where PyTorch computes: "cpu", "cuda", "cuda:1", "mps".
    """

    data: str = "mnist"
    right: Measure = "exact"
    given: bool = False
    through_one: bool = False
    precision: Precision = "float32"
    device: str = "cpu"

    described_as: ClassVar[str] = ""

    def __init__(  # noqa: PLR0917 (all are named by those who call it)
        self,
        target: str | Target | Callable[..., Any],
        inputs: int | None = 2,
        train: Distribution | str = Grid(0, 9),  # noqa: B008 (it cannot be changed)
        test: Distribution | str | None = None,
        name: str | None = None,
        threshold: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            target, inputs, train, train if test is None else test, name=name, threshold=threshold
        )
        names = {field.name for field in fields(Task)}
        own = [field for field in fields(self) if field.name not in names]
        for option in options:
            if option not in {field.name for field in own}:
                raise unknown("option of a picture task", option, [field.name for field in own])
        for field in own:
            object.__setattr__(self, field.name, options.get(field.name, field.default))
        self.check()

    def check(self) -> None:
        """Raise InputError unless its options fit."""
        check_name(self.data)
        for name, choices in (("right", MEASURES), ("precision", PRECISIONS)):
            if getattr(self, name) not in choices:
                raise unknown(f"{name} of a picture task", getattr(self, name), choices)
        for name in ("given", "through_one"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is True or False; received {shown(getattr(self, name))}.")
        if not isinstance(self.device, str):
            raise InputError(f"device is text such as 'cpu'; received {shown(self.device)}.")
        if self.train not in SHOWN or self.train != self.test:
            raise InputError(
                "Pictures show the digits from 0 or 1 to 9, in training and test: "
                f"nalm.tasks.Grid(0, 9); received {shown(self.train)}."
            )
        if self.divides_by_zero:
            raise InputError(
                "A quotient is learnt from the digits 1 to 9, for 0 divides nothing. Write "
                "train=nalm.tasks.Grid(1, 9)."
            )

    @property
    def first(self) -> int:
        """The smallest digit."""
        return SHOWN.index(self.train)

    @property
    def side(self) -> int:
        """The length of a side of its pictures in pixels."""
        return SIDES[self.data]

    @property
    def range(self) -> str:
        """What its pictures are called in tables."""
        return TITLES[self.data]

    @property
    def ranges(self) -> str:
        """The same."""
        return self.range

    @property
    def trainer(self) -> "PictureTrainer":
        """Trains networks that see pictures, with PyTorch."""
        from nalm.vision.trainer import TRAINER

        return TRAINER

    @property
    def learns_unit(self) -> bool:
        """Not if the unit is given."""
        return not self.given

    @property
    def compared(self) -> bool:
        """Formulas of weights are compared with the target, unless the unit was given."""
        return not self.given

    @property
    def counts_right(self) -> bool:
        """Runs have an accuracy."""
        return True

    def accuracy(self, curves: "Curves") -> float:
        """Return the share of right test results at the end.

        Quotients are taken where most training results are right among the last ten evaluations,
        as published.
        """
        tested = curves.series[f"test output {self.right}"]
        if self.right != "decimals":
            return float(tested[-1])
        trained = curves.series[f"train output {self.right}"][-LAST:]
        return float(tested[-LAST:][int(trained.argmax())])

    def prepare(self, *, shown: bool = False) -> None:
        """Have the pictures on this machine."""
        prepare(self.data, shown=shown)

    def check_run(self, model: Any, seed: int) -> None:  # noqa: ARG002 (not every task has folds)
        """Raise InputError unless a run of a model with a seed can be made."""
        if self.given and self.op not in getattr(model, "ops", ()):
            raise InputError(
                f"A unit that is given computes {self.op} exactly; received {shown(model)}."
            )

    @abstractmethod
    def epoch(self, batch: int) -> int:
        """Return how many steps go once through the training samples."""

    @abstractmethod
    def cost(self) -> float:
        """Return about how many seconds a core takes for one training sample."""

    @abstractmethod
    def usual_recipe(self, model: Any) -> "Recipe":
        """Return how a model is trained if nobody says how."""

    @abstractmethod
    def lesson(self, model: Any, recipe: "Recipe", seed: int) -> "Lesson":
        """Return the network of a run, its batches, and how it is judged."""


@dataclass(frozen=True, init=False)
class DigitPairs(PictureTask):
    """An operation on two digits, each on a picture of its own.

    All ordered pairs of digits are divided into folds; the seed of a run is its fold. Its test
    pairs are never seen in training.

    Parameters
    ----------
    target
        The operation, such as "mul".
    folds
        Into how many folds the pairs are divided.
    each
        How many samples of each pair are drawn.
    **options
        Those of `PictureTask`.

    Examples
    --------
    >>> from nalm.vision import DigitPairs
    >>> task = DigitPairs("mul", data="digits", each=100)
    >>> task.op, task.range, task.epoch(32)
    ('mul', '8×8 digits', 281)
    """

    folds: int = 10
    each: int = 1000

    described_as: ClassVar[str] = "vision.DigitPairs"

    def check(self) -> None:
        """Raise InputError unless its options fit."""
        super().check()
        pairs = (10 - self.first) ** 2
        check_whole("each", self.each, 1)
        if self.inputs != 2:
            raise InputError(f"A pair has two digits; received inputs={self.inputs}.")
        if isinstance(self.folds, bool) or not isinstance(self.folds, int):
            raise InputError(f"folds is a whole number; received {shown(self.folds)}.")
        if not 2 <= self.folds <= pairs:
            raise InputError(
                f"Pairs are divided into 2 to {pairs} folds, one for the test and the others for "
                f"training; received {self.folds}."
            )

    def check_run(self, model: Any, seed: int) -> None:
        """Raise InputError unless a run of a model with a seed can be made."""
        super().check_run(model, seed)
        if seed >= self.folds:
            raise InputError(
                f"The seed of a run is its fold, so it is below {self.folds}; received {seed}. Ask "
                f"for at most {self.folds} folds."
            )

    def epoch(self, batch: int) -> int:
        """Return how many steps go once through the training samples of the smallest fold."""
        pairs = (10 - self.first) ** 2
        return max(1, (pairs - -(-pairs // self.folds)) * self.each // batch)

    def cost(self) -> float:
        """Return about how many seconds a core takes for one training sample."""
        return COSTS[self.precision][self.data]

    @property
    def size(self) -> "Size":
        """How long it is trained if nobody says how long."""
        from nalm.vision.recipes import PAIRS

        return PAIRS[self.data]

    def usual_recipe(self, model: Any) -> "Recipe":
        """Return the published recipe, or one that suits the small digits."""
        from nalm.vision.recipes import pair_recipe

        return pair_recipe(self, model)

    def lesson(self, model: Any, recipe: "Recipe", seed: int) -> "Lesson":
        """Return the network of a run, its batches, and how it is judged."""
        from nalm.vision.pair_lesson import PairLesson

        return PairLesson(self, model, recipe, seed)


@dataclass(frozen=True, init=False)
class DigitChannels(DigitPairs):
    """An operation on two digits in one picture, a channel each: they must be found first.

    Each digit is turned, scaled and put somewhere on a larger picture, anew whenever it is shown.

    Parameters
    ----------
    target
        The operation, such as "mul".
    folds, each
        As those of `DigitPairs`.
    identity
        Whether the network starts with pictures that are not moved. The published code draws all
        parameters anew after it has set them so.
    **options
        Those of `PictureTask`.

    Examples
    --------
    >>> from nalm.vision import DigitChannels
    >>> DigitChannels("mul").epoch(256)
    241
    """

    right: Measure = "rounded"
    folds: int = 3
    each: int = 1100
    identity: bool = False

    described_as: ClassVar[str] = "vision.DigitChannels"

    def check(self) -> None:
        """Raise InputError unless its options fit."""
        super().check()
        if not isinstance(self.identity, bool):
            raise InputError(f"identity is True or False; received {shown(self.identity)}.")

    def epoch(self, batch: int) -> int:
        """Return how many steps go once through the training samples of the smallest fold."""
        pairs = (10 - self.first) ** 2
        samples = (pairs - -(-pairs // self.folds)) * self.each
        return max(1, (samples - int(0.15 * samples)) // batch)

    def cost(self) -> float:
        """Return about how many seconds a core takes for one training sample."""
        return CHANNEL_COST

    @property
    def size(self) -> "Size":
        """How long it is trained if nobody says how long."""
        from nalm.vision.recipes import CHANNELS

        return CHANNELS[self.data]

    def lesson(self, model: Any, recipe: "Recipe", seed: int) -> "Lesson":
        """Return the network of a run, its batches, and how it is judged."""
        from nalm.vision.channel_lesson import ChannelLesson

        return ChannelLesson(self, model, recipe, seed)


COSTS = {
    "float32": {"mnist": 2.6e-3, "digits": 1.2e-4},
    "bfloat16": {"mnist": 1.3e-3, "digits": 1.0e-4},
}
"""Seconds of a pair, measured by `benchmarks/vision.py` on one core with AVX-512."""
CHANNEL_COST = 3e-3
"""Seconds of a picture of two digits on the same core, from 20 steps of 32 in float32."""
