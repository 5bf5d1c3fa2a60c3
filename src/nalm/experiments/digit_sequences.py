"""Sequences of digit images: a cell around a unit accumulates what a network reads.

Whether a run is solved at a length is decided by reference runs, in which the accumulator is exact
and only the reading is learnt.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from nalm.experiments.digit_images import PictureExperiment, shown_options
from nalm.experiments.experiment import Experiment
from nalm.experiments.pictures import Pictures
from nalm.sweeps import Cell, CellRuns
from nalm.sweeps.statistics import best_evaluation
from nalm.tasks import Grid
from nalm.training import Recipe
from nalm.units import NAC, NALU, NAU, NMU, SNMU, Linear, NACMul, NACMulNMU, NACMulSigma, Unit
from nalm.vision import DigitSequences
from nalm.vision.recipes import sequence_recipe
from nalm.vision.sequences import STARTS

SEEDS = 10
EXACT: dict[str, Unit] = {"mul": NMU(2, 1), "add": NAU(2, 1)}
"""The units whose exact weights accumulate in the reference runs."""
LENGTHS = {
    "mul": tuple(range(1, 21)),
    "add": (1, 10, *range(100, 1001, 100)),
}
"""The published lengths of the tests."""
TRAINED = {"mul": 2, "add": 10}
"""The published lengths of the training."""
PASSES = {"mnist": 1, "digits": 22}
"""How often the tests go through the test pictures: about 10,000 of them in all."""
CONFIDENCE = 0.99
FAR = 10.0
"""A reference run does not count if its validation error is so many times the smallest."""
PCC_SHARE = 7500 / 386_000
"""After which share of training the correlation is followed by the mean squared error."""
NO_Z, WITH_Z = "no R_z", "R_z"


class SequenceExperiment(PictureExperiment):
    """An experiment on sequences; reference runs say which errors are a success."""

    def pictured(self, asked: Pictures) -> Experiment:
        """Return the experiment with other pictures, or computed otherwise."""
        shown = super().pictured(asked)
        return _Shown(self.name, self.title, self.source, self.seeds, shown.cells(), self.note)


class _Shown(Experiment):
    """An experiment on sequences whose pictures are chosen."""

    def references(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return a cell for each kind of sequence whose runs decide what is solved."""
        found = {}
        for cell in cells:
            reference = _reference(cell)
            found.setdefault(reference.described, reference)
        return list(found.values())

    def judged_by(self, cells: Sequence[Cell], references: Sequence[CellRuns]) -> list[Cell]:
        """Return the cells with the limits that the reference runs set, length by length."""
        known = {found.setup.described: found for found in references}
        return [
            replace(cell, threshold=limit(known[_reference(cell).described], _length(cell)))
            for cell in cells
        ]


def _reference(cell: Cell) -> Cell:
    """Return the cell of the reference runs of a cell: the same training, an exact accumulator."""
    task = replace(cell.task, given=True, lstm=False, start=None)
    recipe = cell.recipe.replace(penalties=(), loss="mse", mse_from=None)
    return Cell("exact", EXACT[task.op], task, recipe, cell.setting, 0.0, cell.range)


def _length(cell: Cell) -> int:
    return int(cell.key.range.rpartition(" ")[2])


def limit(reference: CellRuns, length: int) -> float:
    """Return the one-sided 99 % limit (Student) of the mean test error of reference runs.

    Runs that are far worse than the best in validation do not count: they settled on other numbers
    than the digits. With fewer than two runs the limit is 0, so nothing is solved.

    Parameters
    ----------
    reference
        Runs with an exact accumulator.
    length
        The length of the test sequences.
    """
    ends = [(run.curves, best_evaluation(run.curves)) for run in reference.runs]
    validation = np.array([curves.validation[best] for curves, best in ends], float)
    errors = np.array([curves.series[f"test mse {length}"][best] for curves, best in ends], float)
    known = np.isfinite(validation) & np.isfinite(errors)
    smallest = validation[known].min(initial=np.inf)
    return student_limit(errors[known & (validation <= FAR * smallest)])


def student_limit(errors: np.ndarray) -> float:
    """Return mean + t s / sqrt(n) with Student's t at 99 %; 0 for fewer than two errors.

    >>> round(student_limit(np.array([1.0, 2.0, 3.0])), 4)
    6.021
    """
    from scipy.special import stdtrit

    count = len(errors)
    if count < 2:
        return 0.0
    spread = float(np.std(errors, ddof=1)) / sqrt(count)
    return float(np.mean(errors)) + float(stdtrit(count - 1, CONFIDENCE)) * spread


def _task(asked: Pictures, op: str, **options: Any) -> DigitSequences:
    return DigitSequences(
        op,
        train=Grid(1 if op == "mul" else 0, 9),
        length=TRAINED[op],
        lengths=LENGTHS[op],
        fixed=asked.data == "mnist",
        passes=PASSES[asked.data],
        **shown_options(asked),
        **options,
    )


def _cells(
    asked: Pictures,
    name: str,
    unit: Unit,
    task: DigitSequences,
    recipe: Recipe,
    *,
    setting: str = "",
) -> Iterator[Cell]:
    """Return a cell for each length of the test; all of them are judged of the same runs."""
    lower = () if asked.precision == "float32" else (asked.precision,)
    full = ", ".join(part for part in (setting, *lower) if part)
    for length in task.lengths:
        yield Cell(name, unit, task, recipe, full, 0.0, task.label(length))


def _learnt(asked: Pictures, op: str, name: str, unit: Unit, **options: Any) -> Iterator[Cell]:
    """Return the cells of a unit; NALU starts at 0, as published."""
    start = 0.0 if name == "nalu" and STARTS[op] else None
    task = _task(asked, op, start=start)
    setting = options.pop("setting", "")
    recipe = sequence_recipe(task, unit, **options)
    yield from _cells(asked, name, unit, task, recipe, setting=setting)


def _baselines(asked: Pictures, op: str) -> Iterator[Cell]:
    """Return the cells of the exact accumulator and of the LSTM."""
    exact = _task(asked, op, given=True)
    yield from _cells(asked, "exact", EXACT[op], exact, sequence_recipe(exact, EXACT[op]))
    lstm, nominal = _task(asked, op, lstm=True), Linear(2, 1)
    yield from _cells(asked, "lstm", nominal, lstm, sequence_recipe(lstm, nominal))


def products(asked: Pictures) -> Iterable[Cell]:
    """The published units, with and without R_z, and with other losses."""
    yield from _baselines(asked, "mul")
    learnt = partial(_learnt, asked, "mul")
    yield from learnt("nac_mul", NACMul(2, 1))
    yield from learnt("nac_mul_sigma", NACMulSigma(2, 1))
    yield from learnt("nac_mul_nmu", NACMulNMU(2, 1))
    yield from learnt("nac_mul_nmu", NACMulNMU(2, 1), z=0.0, setting=NO_Z)
    yield from learnt("nalu", NALU(2, 1))
    yield from learnt("nmu", NMU(2, 1))
    yield from learnt("nmu", NMU(2, 1), z=0.0, setting=NO_Z)
    yield from learnt("snmu", SNMU(2, 1))
    yield from learnt("snmu batch", SNMU(2, 1, noise_range="batch"))
    for name, unit in (("nmu", NMU(2, 1)), ("snmu", SNMU(2, 1))):
        yield from learnt(name, unit, loss="mape", setting="MAPE")
        yield from learnt(name, unit, loss="pcc", mse_from=PCC_SHARE, setting="PCC, then MSE")


def sums(asked: Pictures) -> Iterable[Cell]:
    """The published units, with and without R_z."""
    yield from _baselines(asked, "add")
    learnt = partial(_learnt, asked, "add")
    yield from learnt("nac", NAC(2, 1), z=0.0)
    yield from learnt("nac", NAC(2, 1), setting=WITH_Z)
    yield from learnt("nalu", NALU(2, 1))
    yield from learnt("nau", NAU(2, 1))
    yield from learnt("nau", NAU(2, 1), z=0.0, setting=NO_Z)


RULE = (
    "A run is solved at a length if its test error is below the one-sided 99 % limit (Student) of "
    "runs whose accumulator is exact, which are trained first. "
)
SMALL = (
    "The small digits are drawn into new sequences every epoch, and tested in 22 orders of the "
    "same 450 pictures."
)
EXPERIMENTS = (
    SequenceExperiment(
        "mnist-sequential-product", "Running product of digit pictures, trained on two of them",
        "madsen2020, section 4.2; mistry2023, sections 4.6.2 and 6.3", SEEDS, products,
        f"{RULE}NALU and LSTM start at 0, the others at 1. {SMALL}",
    ),
    SequenceExperiment(
        "mnist-sequential-sum", "Running sum of digit pictures, trained on ten of them",
        "madsen2020, appendix D", SEEDS, sums, f"{RULE}{SMALL}",
    ),
)  # fmt: skip
