"""The tasks of the papers, by name."""

from math import floor

from nalm.errors import unknown
from nalm.tasks.distributions import Distribution
from nalm.tasks.ranges import RANGES
from nalm.tasks.targets import Composition, Subsets
from nalm.tasks.task import Task


def single_module(op: str, name: str = "U[1,2)", inputs: int = 2) -> Task:
    """Return the single module task: one unit, one operation on two adjacent inputs.

    Parameters
    ----------
    op
        The operation, such as "mul".
    name
        One of the nine published ranges: a key of `nalm.tasks.RANGES`.
    inputs
        How many inputs there are; those beyond the operands are redundant.

    Returns
    -------
    Task
        The task.

    Examples
    --------
    >>> from nalm.tasks import single_module
    >>> single_module("div", "U[-2,-1)", 10).test.label
    'U[-6,-2)'
    """
    return Task(op, inputs, *_range(name))


def arithmetic_dataset(
    op: str,
    name: str = "U[1,2)",
    inputs: int = 100,
    subset_ratio: float = 0.25,
    overlap_ratio: float = 0.5,
) -> Task:
    """Return the arithmetic dataset task: two layers, an operation on two subset sums.

    Parameters
    ----------
    op
        The operation, such as "mul".
    name
        One of the nine published ranges: a key of `nalm.tasks.RANGES`.
    inputs
        How many inputs there are.
    subset_ratio
        The share of the inputs that a subset has.
    overlap_ratio
        The share of a subset that it has in common with its neighbour.

    Returns
    -------
    Task
        The task.

    Examples
    --------
    >>> from nalm.tasks import arithmetic_dataset
    >>> arithmetic_dataset("mul").target
    Subsets(op='mul', subset=25, overlap=12, spans=(), signs=())
    """
    subset, overlap = subset_sizes(inputs, subset_ratio, overlap_ratio)
    return Task(Subsets(op, subset, overlap), inputs, *_range(name))


def subset_sizes(inputs: int, subset_ratio: float, overlap_ratio: float) -> tuple[int, int]:
    """Return the size of the subsets and their overlap, which is a share of a subset."""
    subset = floor(subset_ratio * inputs)
    return subset, floor(overlap_ratio * subset)


def composition(ops: str | tuple[str, ...], inputs: int | None = None) -> Task:
    """Return a composition over U[1,2), tested over U[2,6), with one redundant input.

    Parameters
    ----------
    ops
        The operations, first to last: names, or one text such as "add-mul".
    inputs
        How many inputs there are; by default one more than it takes.

    Returns
    -------
    Task
        The task.

    Examples
    --------
    >>> from nalm.tasks import composition
    >>> composition("add-mul").inputs, composition(("add", "mul")).op
    (4, 'add-mul')
    """
    target = Composition(ops)
    return Task(target, target.least + 1 if inputs is None else inputs, *RANGES["U[1,2)"])


def _range(name: str) -> tuple[Distribution, Distribution]:
    if name not in RANGES:
        raise unknown("published range", name, RANGES)
    return RANGES[name]
