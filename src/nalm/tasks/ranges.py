"""The ranges of the papers: where units are trained, and where they must hold."""

from nalm.errors import InputError
from nalm.tasks.composition import Composition
from nalm.tasks.distributions import InputDistribution, Union, interval
from nalm.tasks.task import Task, subset_sizes

RANGES: dict[str, tuple[InputDistribution, InputDistribution]] = {
    "U[-20,-10)": (interval(-20, -10), interval(-40, -20)),
    "U[-2,-1)": (interval(-2, -1), interval(-6, -2)),
    "U[-1.2,-1.1)": (interval(-1.2, -1.1), interval(-6.1, -1.2)),
    "U[-0.2,-0.1)": (interval(-0.2, -0.1), interval(-2, -0.2)),
    "U[-2,2)": (interval(-2, 2), Union(interval(-6, -2), interval(2, 6))),
    "U[0.1,0.2)": (interval(0.1, 0.2), interval(0.2, 2)),
    "U[1,2)": (interval(1, 2), interval(2, 6)),
    "U[1.1,1.2)": (interval(1.1, 1.2), interval(1.2, 6)),
    "U[10,20)": (interval(10, 20), interval(20, 40)),
}
"""Training and test distribution of the nine ranges, by the name of the training range."""


def single_module(op: str, name: str = "U[1,2)", inputs: int = 2) -> Task:
    """Return the single module task: one unit, one operation on two adjacent inputs."""
    train, test = RANGES[name]
    return Task(op, inputs, train, test)


def arithmetic_dataset(
    op: str,
    name: str = "U[1,2)",
    inputs: int = 100,
    subset_ratio: float = 0.25,
    overlap_ratio: float = 0.5,
) -> Task:
    """Return the arithmetic dataset task: two layers, an operation on two subset sums."""
    train, test = RANGES[name]
    return Task(op, inputs, train, test, *subset_sizes(inputs, subset_ratio, overlap_ratio))


def composition(ops: str | tuple[str, ...], inputs: int | None = None) -> Composition:
    """Return a composition over U[1,2), tested over U[2,6), with one redundant input.

    >>> composition("add-mul").inputs, composition(("add", "mul")).op
    (4, 'add-mul')
    """
    if not isinstance(ops, str | tuple | list):
        raise InputError(
            "A composition is named by its operations, such as 'add-mul' or ('add', 'mul'); "
            f"received {ops!r}."
        )
    steps = tuple(ops.split("-") if ops else ()) if isinstance(ops, str) else tuple(ops)
    train, test = RANGES["U[1,2)"]
    return Composition(steps, len(steps) + 2 if inputs is None else inputs, train, test)
