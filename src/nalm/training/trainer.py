"""Who trains a run: the engine, unless its task says otherwise."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from nalm.training.saving import Saving

if TYPE_CHECKING:
    from nalm.training.recipe import Recipe
    from nalm.training.run import Curves, Run

Progress = Callable[[int, Any], None]
"""Called now and then with the number of steps done, and the test errors."""


class Trainer(Protocol):
    """Trains the runs of a kind of task in a process of their own."""

    def check(self, run: "Run") -> None:
        """Raise InputError unless it can train a run."""
        ...

    def seconds(self, run: "Run") -> float | None:
        """Return about how long a run takes on one core if it is a block of its own.

        None where runs share blocks.
        """
        ...

    def recipe(self, model: Any, task: Any) -> "Recipe | None":
        """Return how a model is trained on a task if nobody says how; None for the usual way."""
        ...

    def train(self, block: "Sequence[Run]", progress: Progress, saving: Saving) -> "list[Curves]":
        """Train a block, and return the curves of each run."""
        ...


class Engine:
    """Trains blocks of runs that share a compiled program."""

    def check(self, run: "Run") -> None:
        """Raise InputError if the recipe starts at weights that the model does not have."""
        from nalm.training.engine.warm import warmed

        if run.recipe.warm_start:
            warmed(run.model, run.task)

    def seconds(self, run: "Run") -> None:
        """Return None: runs share blocks, whose costs `nalm.sweeps.duration` knows."""

    def recipe(self, model: Any, task: Any) -> None:
        """Return None: `nalm.sweeps.default_recipe` is the usual way."""

    def train(self, block: "Sequence[Run]", progress: Progress, saving: Saving) -> "list[Curves]":
        """Train a block, and return the curves of each run."""
        from nalm.training.engine.train import train_block

        return train_block(block, progress, saving=saving)


ENGINE = Engine()
