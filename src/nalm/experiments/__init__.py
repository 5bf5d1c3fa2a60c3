"""The catalogue: published experiments as data, by their names."""

from nalm.experiments import (
    arithmetic_dataset,
    composition,
    division,
    logic,
    operands,
    single_module,
)
from nalm.experiments.experiment import Cell as Cell
from nalm.experiments.experiment import Experiment as Experiment
from nalm.experiments.experiment import runs_of as runs_of
from nalm.experiments.experiment import select as select

EXPERIMENTS: dict[str, Experiment] = {
    experiment.id: experiment
    for module in (single_module, arithmetic_dataset, division, operands, logic, composition)
    for experiment in module.EXPERIMENTS
}
"""Every experiment by its name."""
