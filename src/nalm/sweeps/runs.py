"""Cells with their finished runs, judged once, whether just trained or read from a store."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm.networks import Model
from nalm.networks.layers import has_sparsity_error, unflatten
from nalm.sweeps.cell import Cell, Described
from nalm.sweeps.formulas import UNKNOWN, Formulas, has_formula, weights_read
from nalm.sweeps.sources import Source
from nalm.sweeps.statistics import (
    NONE,
    Estimate,
    Outcome,
    Verdicts,
    best_evaluation,
    judge,
    student,
)
from nalm.sweeps.summary import summarize
from nalm.sweeps.types import CellKey, CellSummary, Note
from nalm.tasks import Task
from nalm.training import Recipe
from nalm.training.run import Curves

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Setup:
    """What the runs of a cell have in common."""

    experiment: str
    """The name of the experiment; empty for `nalm.train`."""
    key: CellKey
    steps: int
    threshold: float
    """The test error below which a run is solved."""
    model: Model | None
    """None where its custom code is not defined in this process."""
    task: Task | None
    recipe: Recipe | None
    described: Described
    """Model, task and recipe as JSON."""

    @cached_property
    def sparse(self) -> bool:
        """Whether its runs have a sparsity error, as far as that is known."""
        return self.model is None or has_sparsity_error(self.model)

    def judged(self, curves: Curves) -> Curves:
        """Return the curves by which a run of this cell is judged."""
        return curves if self.task is None else self.task.judged(curves, self.key.range)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class RunResult:
    """One finished run: what it came to, its curves, its weights and its formula.

    Parameters
    ----------
    setup
        What it shares with the other runs of its cell.
    seed
        Its seed.
    outcome
        Whether and when it was solved.
    source
        Where its curves are.
    """

    setup: Setup
    seed: int
    outcome: Outcome
    source: Source
    environment: str = ""
    """What it was made with, as JSON."""
    finished: str = ""
    """When, as an ISO date and time."""
    formulas: Formulas = field(default_factory=Formulas)
    """Reads its formula, and knows those of others."""

    def __repr__(self) -> str:
        state = f"solved at {self.solved_at}" if self.success else "not solved"
        return f"RunResult({self.key}, seed {self.seed}, {state})"

    @property
    def key(self) -> CellKey:
        """Its cell."""
        return self.setup.key

    @property
    def curves(self) -> Curves:
        """What was measured during training, one element per evaluation."""
        return self.setup.judged(self.source.curves(self.seed))

    @property
    def success(self) -> bool:
        """Whether the test error at the best validation error is below the threshold."""
        return self.outcome.success

    @property
    def solved_at(self) -> int | None:
        """The step of the first evaluation with a test error below the threshold."""
        return self.outcome.solved_at

    @property
    def test_error(self) -> float:
        """The mean squared test error at the best validation error."""
        return self.outcome.test

    @property
    def validation_error(self) -> float:
        """The smallest mean squared error on the training range."""
        curves = self.curves
        return float(curves.validation[best_evaluation(curves)])

    @property
    def label(self) -> str:
        """Whether its errors are below the threshold, on the training and on the test range.

        Each is T or F, as Mistry et al. label networks: "TF" is exact inside and wrong outside.
        """
        inside = self.validation_error < self.setup.threshold
        return "".join("T" if below else "F" for below in (inside, self.success))

    @property
    def score(self) -> float:
        """The test error as a share of that before training, the score of Trask et al."""
        return self.test_error / float(self.curves.test[0])

    @property
    def sparsity_error(self) -> float:
        """How far the weights are from discrete; NaN where the model has no such error."""
        return self.outcome.sparsity

    @property
    def diverged(self) -> bool:
        """Whether a number stopped being finite."""
        return self.outcome.diverged

    @property
    def weights(self) -> Any:
        """The parameters that the formula is read from, as the model takes them."""
        flat = self._flat_weights()
        return flat if self.setup.model is None else unflatten(self.setup.model, flat)

    def _flat_weights(self) -> dict[str, np.ndarray]:
        curves, task = self.curves, self.setup.task
        return curves.best if task is None else weights_read(task, curves)

    @property
    def formula(self) -> str:
        """The formula of its weights, or why there is none."""
        setup = self.setup
        if setup.task is None or setup.recipe is None:
            return UNKNOWN
        return self.formulas.text(setup.model, setup.task, setup.recipe, self.curves)

    @property
    def expression(self) -> "sympy.Basic | None":
        """The formula as a sympy expression; None if the weights are not discrete."""
        setup = self.setup
        if setup.model is None or setup.task is None:
            return None
        return self.formulas.expression(setup.model, setup.task, self.curves)


@dataclass(frozen=True, eq=False)
class CellRuns:
    """A cell with its finished runs."""

    setup: Setup
    planned: Sequence[int]
    """The planned seeds."""
    runs: tuple[RunResult, ...]
    """The finished runs, by seed."""
    notes: tuple[Note, ...] = ()
    """What was damaged in its results file, and what became of it."""

    @property
    def key(self) -> CellKey:
        """What identifies it within its experiment."""
        return self.setup.key

    @property
    def missing(self) -> int:
        """How many planned runs are not finished."""
        return len(self.planned) - len(self.runs)

    @cached_property
    def summary(self) -> CellSummary:
        """The statistics of its runs, of which there must be one."""
        outcomes = [run.outcome for run in self.runs]
        model = self.setup.model
        readable = model is None or has_formula(model)
        found = summarize(self.key, self.setup.steps, outcomes)
        return replace(found, has_formula=readable, accuracy=self._accuracy())

    def _accuracy(self) -> Estimate:
        """Return the mean share of right test results, of tasks that count them."""
        task = self.setup.task
        if task is None or not task.counts_right:
            return NONE
        return student([task.accuracy(run.curves) for run in self.runs], 0.0, 1.0)

    @cached_property
    def with_errors(self) -> CellSummary:
        """The same with the test and validation errors of every run, read from their curves."""
        return replace(
            self.summary,
            test_each=tuple(run.test_error for run in self.runs),
            validation_each=tuple(run.validation_error for run in self.runs),
        )

    def formulas(self, most: int | None = None) -> list[tuple[str, int]]:
        """Return what was learnt with the number of runs, the most frequent first.

        Parameters
        ----------
        most
            How many runs are read, the first ones; all if absent.
        """
        return Counter(run.formula for run in self.runs[:most]).most_common()


class Judge:
    """Judges runs by the published rules, and by algebra where targets are compared so."""

    def __init__(self) -> None:
        self.verdicts = Verdicts()

    def outcome(self, setup: Setup, curves: Curves) -> Outcome:
        """Return what a run came to."""
        model, task = setup.model, setup.task
        curves = setup.judged(curves)
        outcome = judge(curves, setup.threshold, sparse=setup.sparse)
        if model is None or task is None or not task.compared:
            return outcome
        return replace(outcome, equal=self.verdicts.of(model, task, curves))


def setup_of(experiment: str, cell: Cell) -> Setup:
    """Return what the runs of a cell of this process have in common."""
    return Setup(
        experiment,
        cell.key,
        cell.recipe.steps,
        cell.limit,
        cell.model,
        cell.task,
        cell.recipe,
        cell.described,
    )
