"""A task: what is to be learnt, of which inputs, and where it must hold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nalm._internal.checks import check_whole, positive, qualified, shown
from nalm.errors import InputError
from nalm.tasks.distributions import Distribution, parse
from nalm.tasks.distributions._custom import check_custom
from nalm.tasks.ranges import default_test, pair_label
from nalm.tasks.table import split_table
from nalm.tasks.targets import Column, Function, Subsets, Target

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, init=False)
class Task:
    """A target over input distributions: what is to be learnt.

    Parameters
    ----------
    target
        An operation by name ("mul"), a function of numbers, or a `Target`. A function may use
        Python operators and functions of `numpy` or `jax.numpy`; it is traced once.
    inputs
        How many inputs a model sees; those that the target does not use are redundant. By default
        as many as the target takes.
    train
        The distribution of the inputs in training and validation, or its text: "U[1,2)".
    test
        The distribution of the inputs in the test. By default the one that belongs to `train`, see
        `nalm.tasks.default_test`.
    name
        What the task is called in tables, instead of the name of its target.
    threshold
        The test error (mean squared) of a success, instead of `nalm.tasks.threshold`.

    Examples
    --------
    >>> from nalm.tasks import Task, Uniform
    >>> task = Task("mul", 2, Uniform(1, 2), Uniform(2, 6))
    >>> task.op, task.range, task.expression(["a", "b"])
    ('mul', 'U[1,2)', a*b)
    >>> task = Task(lambda a, b, c: (a + b) * c, inputs=4, train=Uniform(1, 2), test=Uniform(2, 6))
    >>> task.op, task.inputs
    ('(a + b)*c', 4)
    """

    target: Target
    inputs: int
    train: Distribution
    test: Distribution
    name: str | None = field(default=None, metadata={"described": False})
    threshold: float | None = field(default=None, metadata={"described": False})

    def __init__(
        self,
        target: str | Target | Callable[..., Any],
        inputs: int | None = None,
        train: Distribution | str = "U[1,2)",
        test: Distribution | str | None = None,
        *,
        name: str | None = None,
        threshold: float | None = None,
    ) -> None:
        wanted = _target(target, inputs)
        count = wanted.least if inputs is None else inputs
        check_whole("inputs", count, 1)
        trained = _distribution("train", train)
        tested = default_test(trained) if test is None else _distribution("test", test)
        check_custom(trained, count)
        check_custom(tested, count)
        wanted.check(count, trained, tested)
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise InputError(f"The name of a task is text; received {shown(name)}.")
        if threshold is not None:
            positive("threshold", threshold)
        self._set((wanted, count, trained, tested, name, threshold))

    @classmethod
    def from_table(
        cls,
        X: Any,
        y: Any,
        *,
        test: float | tuple[Any, Any] = 0.25,
        names: Sequence[str] | None = None,
        random_state: int = 0,
        threshold: float | None = None,
    ) -> "Task":
        """Return the task of a table: the results from the inputs, row by row.

        Training draws rows at random with replacement. The validation error is that of the training
        rows, the test error that of the rows kept for the test, each row counted alike.

        Parameters
        ----------
        X
            The inputs, `(rows, columns)`: an array, lists, a DataFrame or a dictionary of columns.
        y
            The results, one per row; or the name of the column of X that holds them.
        test
            The share of the rows that is kept for the test, or test rows as `(X, y)`.
        names
            The names of the inputs; by default those of the columns, or x1, x2, ...
        random_state
            The seed of the choice of test rows.
        threshold
            The test error (mean squared) of a success; by default that of a root mean square error
            of a thousandth of the standard deviation of the test results.

        Returns
        -------
        Task
            The task.

        Examples
        --------
        >>> import numpy as np
        >>> from nalm.tasks import Task
        >>> X = np.random.default_rng(0).uniform(1, 2, (100, 2))
        >>> task = Task.from_table(X, X[:, 0] * X[:, 1])
        >>> task.op, task.inputs, len(task.test.table)
        ('y', 2, 25)
        """
        found = split_table(X, y, test, names, random_state)
        target = Column(found.result, found.names)
        return cls(target, len(found.names), found.train, found.test, threshold=threshold)

    def _set(self, values: tuple[Any, ...]) -> None:
        for own, value in zip(fields(Task), values, strict=True):
            object.__setattr__(self, own.name, value)

    @property
    def op(self) -> str:
        """What it is called in tables."""
        return self.target.name if self.name is None else self.name

    @property
    def range(self) -> str:
        """The label of the training distribution."""
        return self.train.label

    @property
    def ranges(self) -> str:
        """The label of both distributions; of the first alone if the test is the usual one."""
        return pair_label(self.train, self.test)

    @property
    def trainer(self) -> Any:
        """Who trains models on it, a `nalm.training.trainer.Trainer`; None for the engine."""
        return None

    @property
    def compared(self) -> bool:
        """Whether the formulas that models learn are compared with the target by algebra."""
        return self.target.compared

    @property
    def learns_unit(self) -> bool:
        """Whether the weights of the unit are to be learnt."""
        return True

    @property
    def for_any_unit(self) -> Self:
        """The task without what a single unit is given in a publication."""
        return self

    @property
    def counts_right(self) -> bool:
        """Whether runs have an accuracy: the share of their test results that are right."""
        return False

    def accuracy(self, curves: Any) -> float:  # noqa: ARG002 (as every task)
        """Return the accuracy of a run from its `nalm.training.Curves`; NaN if it has none."""
        return float("nan")

    def judged(self, curves: Any, range_label: str) -> Any:  # noqa: ARG002 (as every task)
        """Return the curves by which a cell is judged whose range is called so in tables."""
        return curves

    def prepare(self, *, shown: bool = False) -> None:
        """Have what workers need on this machine, such as pictures; `shown` tells of downloads."""

    @property
    def input_names(self) -> tuple[str, ...] | None:
        """The names of the inputs in formulas; None for x1, x2, ..."""
        return self.target.input_names(self.inputs)

    @property
    def divides_by_zero(self) -> bool:
        """Whether a divisor may come as near to zero as numbers are, in training or test."""
        return self.target.divides_by_zero(self.inputs, self.train, self.test)

    def layout(self, seed: int) -> np.ndarray:
        """Return what the target of a run is made of: the subsets of its operands, say."""
        return self.target.layout(self.inputs, seed)

    def expression(self, names: Sequence[Any] | None = None) -> "sympy.Expr | None":
        """Return the target as a sympy expression.

        Parameters
        ----------
        names
            One name or sympy expression per input; x1, x2, ... by default.

        Returns
        -------
        sympy.Expr or None
            None where the target has no formula: logic, comparisons, tables.

        Examples
        --------
        >>> from nalm.tasks import composition
        >>> composition("mul-add").expression(["a", "b", "c", "d"])
        a*b + c
        """
        return self.target.expression(names, self.inputs)

    @cached_property
    def opened(self) -> "Task":
        """What a program depends on: the task without the numbers that differ by run."""
        made = object.__new__(Task)  # a distribution without numbers cannot be checked
        test = self.test.test_form().opened()
        made._set((self.target.opened(), self.inputs, self.train.opened(), test, None, None))
        return made

    def tables(self) -> dict[str, np.ndarray]:
        """Return the tables whose rows it draws, by digest; no description has them in it."""
        return self.train.tables() | self.test.tables()


def _target(target: Any, inputs: int | None) -> Target:
    if isinstance(target, str):
        return Subsets(target)
    if isinstance(target, Target):
        return target
    if callable(target) and not isinstance(target, type):
        return Function.of(target, inputs)
    raise InputError(
        "A target is the name of an operation, such as 'mul', a function of numbers or a Target; "
        f"received {shown(target)}."
    )


def _distribution(name: str, given: Any) -> Distribution:
    if isinstance(given, Distribution):
        return given
    if isinstance(given, str):
        return parse(given)
    raise InputError(
        f"{name} is a distribution of nalm.tasks, such as nalm.tasks.Uniform(1, 2) or its text "
        f"'U[1,2)'; received {qualified(given)}."
    )
