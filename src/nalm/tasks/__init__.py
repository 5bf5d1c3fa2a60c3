"""What is to be learnt: targets over input distributions, and when they count as learnt.

`Task` joins a target (an operation, a composition) with where its inputs come from.
`nalm.units.initial` has the distributions of initial weights; those here are of inputs.
"""

from nalm.tasks.distributions import (
    DISTRIBUTIONS,
    Benford,
    Distribution,
    Exponential,
    Grid,
    Halves,
    Joint,
    Near,
    Rows,
    Sobol,
    Tied,
    TruncatedNormal,
    Uniform,
    Union,
    parse,
)
from nalm.tasks.expression import Expression, trace
from nalm.tasks.published import arithmetic_dataset, composition, single_module
from nalm.tasks.ranges import RANGES, default_test, range_pair
from nalm.tasks.targets import (
    TARGETS,
    TRUTH,
    Column,
    Composition,
    Function,
    Needs,
    Scattered,
    Subsets,
    Target,
)
from nalm.tasks.task import Task
from nalm.tasks.threshold import threshold

__all__ = [
    "DISTRIBUTIONS",
    "RANGES",
    "TARGETS",
    "TRUTH",
    "Benford",
    "Column",
    "Composition",
    "Distribution",
    "Exponential",
    "Expression",
    "Function",
    "Grid",
    "Halves",
    "Joint",
    "Near",
    "Needs",
    "Rows",
    "Scattered",
    "Sobol",
    "Subsets",
    "Target",
    "Task",
    "Tied",
    "TruncatedNormal",
    "Uniform",
    "Union",
    "arithmetic_dataset",
    "composition",
    "default_test",
    "parse",
    "range_pair",
    "single_module",
    "threshold",
    "trace",
]
