"""What is to be learnt: one file for each kind of target."""

from nalm.tasks.targets._target import Needs, Target
from nalm.tasks.targets.column import Column
from nalm.tasks.targets.composition import Composition
from nalm.tasks.targets.function import Function
from nalm.tasks.targets.scattered import Scattered
from nalm.tasks.targets.subsets import TRUTH, Subsets

__all__ = [
    "TARGETS",
    "TRUTH",
    "Column",
    "Composition",
    "Function",
    "Needs",
    "Scattered",
    "Subsets",
    "Target",
]

TARGETS: dict[str, type[Target]] = {
    cls.__name__: cls for cls in (Subsets, Scattered, Composition, Function, Column)
}
"""All kinds of targets by name."""
