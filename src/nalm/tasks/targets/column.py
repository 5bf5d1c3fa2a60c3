"""A column of a table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions import Distribution
from nalm.tasks.targets._target import Target

CLOSE = 1e-3
"""The root mean square error of a success, as a share of the spread of the test results."""


@dataclass(frozen=True)
class Column(Target):
    """The result column of a table, which follows the columns of the inputs.

    A run is a success when its root mean squared test error is below a thousandth of the standard
    deviation of the test results.

    Parameters
    ----------
    result
        The name of the column.
    names
        The names of the inputs.

    Examples
    --------
    >>> from nalm.tasks import Column
    >>> Column("y", ("a", "b")).name
    'y'
    """

    result: str
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.result

    @property
    def least(self) -> int:
        """How many inputs the table has."""
        return len(self.names)

    def check(self, inputs: int, train: Distribution, test: Distribution) -> None:
        """Raise InputError unless the inputs are those of a table with a result."""
        for part in (train, test):
            columns = {table.shape[1] for table in part.tables().values()}
            if inputs != self.least or columns != {inputs + 1}:
                raise InputError(
                    f"The column {self.result} belongs to tables of {self.least} inputs; received "
                    f"inputs={inputs} over {part.label}. Use Task.from_table."
                )

    def input_names(self, inputs: int) -> tuple[str, ...] | None:  # noqa: ARG002
        """Return the names of the columns; None if one of them is empty."""
        return self.names if all(name.strip() for name in self.names) else None

    def apply(self, xp: Namespace, operands: Sequence[Array], layout: Array) -> Array:  # noqa: ARG002
        """Return the targets of runs: the last column of their rows."""
        return operands[-1]

    def imperfect(self, x: np.ndarray, epsilon: float) -> np.ndarray:
        """Return the results with an error of epsilon of their spread."""
        return self.perfect(x) + epsilon * np.std(self.perfect(x))

    def tolerated(self, test: Distribution) -> float:
        """Return the error of a success: the square of a thousandth of the spread."""
        (table,) = test.tables().values()
        spread = np.var(table[:, -1]) or np.mean(table[:, -1] ** 2) or 1.0
        return float(CLOSE**2 * spread)
