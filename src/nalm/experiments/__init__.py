"""Experiments: published ones as data, and what is needed to write your own.

`names()` lists the published experiments, `get(name)` returns one, `nalm.bench(name)` runs it.
"""

from nalm.experiments.catalogue import EXPERIMENTS, get, names
from nalm.experiments.experiment import Experiment
from nalm.experiments.selection import Selection
from nalm.sweeps.cell import Cell

__all__ = ["EXPERIMENTS", "Cell", "Experiment", "Selection", "get", "names"]
