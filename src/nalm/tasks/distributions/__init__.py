"""Where inputs come from: one file for each distribution."""

from nalm.tasks.distributions._distribution import Distribution, Joint
from nalm.tasks.distributions._text import parse
from nalm.tasks.distributions.benford import Benford
from nalm.tasks.distributions.exponential import Exponential
from nalm.tasks.distributions.grid import Grid
from nalm.tasks.distributions.halves import Halves
from nalm.tasks.distributions.near import Near
from nalm.tasks.distributions.rows import Rows
from nalm.tasks.distributions.sobol import Sobol
from nalm.tasks.distributions.tied import Tied
from nalm.tasks.distributions.truncated_normal import TruncatedNormal
from nalm.tasks.distributions.uniform import Uniform
from nalm.tasks.distributions.union import Union

__all__ = [
    "DISTRIBUTIONS",
    "Benford",
    "Distribution",
    "Exponential",
    "Grid",
    "Halves",
    "Joint",
    "Near",
    "Rows",
    "Sobol",
    "Tied",
    "TruncatedNormal",
    "Uniform",
    "Union",
    "parse",
]

DISTRIBUTIONS: dict[str, type[Distribution]] = {
    cls.__name__: cls
    for cls in (
        Halves,
        Near,
        Tied,
        Rows,
        Union,
        Uniform,
        TruncatedNormal,
        Exponential,
        Benford,
        Sobol,
        Grid,
    )
}
"""All distributions by name. The text of one is read by the first that knows it: joint ones first.
"""
