"""What every distribution of inputs is: uniform numbers in, inputs out."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import FrozenInstanceError, fields
from math import isfinite
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from nalm._internal.checks import shown
from nalm._internal.subclasses import check_signatures, make_dataclass
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError
from nalm.tasks.distributions._zero import comes_near_zero


@dataclass_transform(frozen_default=True)
class Distribution(ABC):
    """Where the inputs of a task come from: one uniform number makes one input.

    A distribution has a method `quantile`, which turns uniform numbers in (0, 1) into inputs.
    Everything else has a default: a custom distribution is `quantile` alone. It must use the array
    functions of `xp`, for the same code runs on NumPy and on JAX. A class that derives from this
    becomes a frozen dataclass: its annotated attributes are its fields.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.tasks import Distribution
    >>> class LogUniform(Distribution):
    ...     low: float
    ...     high: float
    ...
    ...     def quantile(self, xp, u):
    ...         return self.low * xp.exp(u * np.log(self.high / self.low))
    >>> LogUniform(1, 100).quantile(np, np.array([0.0, 0.5, 1.0]))
    array([  1.,  10., 100.])
    >>> LogUniform(1, 100).label, LogUniform(1, 100).reaches_zero
    ('LogUniform(1,100)', False)
    """

    varying: ClassVar[tuple[str, ...]] = ()
    """Fields with numbers that may differ between the runs of one compiled program.

    In training these are arrays with one number per run; all other fields stay as they are.
    """
    low_discrepancy: ClassVar[bool] = False
    """Whether training steps through a Sobol sequence instead of random numbers."""
    written: ClassVar[str] = "quantile"
    """The method that a custom distribution of this kind writes."""
    even: ClassVar[bool] = False
    """Whether an evaluation goes through the distribution in equal steps, not at random."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        check_signatures(cls, Distribution, ("quantile", "inputs", "along"))
        make_dataclass(cls)

    def __new__(cls, *_args: Any, **_fields: Any) -> Self:
        """Make a distribution, unless its class lacks a method."""
        if missing := sorted(cls.__abstractmethods__):
            raise InputError(
                f"A distribution has a method quantile(self, xp, u), a Joint one inputs(self, xp, "
                f"u); {cls.__name__} has no {' and no '.join(missing)}. Add it."
            )
        return super().__new__(cls)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(
            f"{name!r} of {type(self).__name__} cannot be assigned. Instead of __init__, declare "
            f"its fields in the class, such as {name}: float."
        )

    @abstractmethod
    def quantile(self, xp: Namespace, u: Array) -> Array:
        """Return the inputs of uniform numbers.

        Parameters
        ----------
        xp
            The module of array functions: `numpy` or `jax.numpy`.
        u
            Uniform numbers in (0, 1), of any shape.

        Returns
        -------
        Array
            One input for each number, of the same shape.
        """

    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of a sample, one array for each array of uniform numbers."""
        return [self.quantile(xp, v) for v in u]

    def along(self, xp: Namespace, u: Array) -> Array:
        """Return all inputs of uniform numbers `(runs, inputs, samples)`, as one array."""
        return self.quantile(xp, u)

    def sample(self, u: np.ndarray) -> np.ndarray:
        """Return the inputs of uniform numbers as rows.

        Parameters
        ----------
        u
            Uniform numbers, `(samples, inputs)`.

        Returns
        -------
        numpy.ndarray
            The inputs, of the same shape.

        Examples
        --------
        >>> import numpy as np
        >>> from nalm.tasks import Uniform
        >>> Uniform(1, 2).sample(np.array([[0.0, 0.5]]))
        array([[1. , 1.5]])
        """
        return np.stack(self.inputs(np, list(u.T)), axis=-1)

    @property
    def label(self) -> str:
        """The short name in tables: the class with its fields, unless a class has its own."""
        values = (getattr(self, field.name) for field in fields(self))  # pyright: ignore[reportArgumentType]
        return f"{type(self).__name__}({','.join(map(text_of, values))})"

    @property
    def reaches_zero(self) -> bool:
        """Whether inputs may be zero, or as near to it as numbers are; decided by sampling."""
        return comes_near_zero(self)

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """The intervals that an input is of, from its fields low and high; none without these."""
        bounds = (getattr(self, "low", None), getattr(self, "high", None))
        low, high = (b if isinstance(b, int | float) else float("nan") for b in bounds)
        return ((float(low), float(high)),) if isfinite(high - low) else ()

    @classmethod
    def from_label(cls, text: str) -> Self | None:
        """Return the distribution that has this label, or None where the text is another's."""
        del text
        return None

    def test_form(self) -> "Distribution":
        """Return the same distribution in the form that shares most programs."""
        return self

    def beyond(self, times: float) -> "Distribution":  # noqa: ARG002 (as every distribution)
        """Return where it is tested when no test distribution is named: here, or beyond."""
        return self

    def numbers(self) -> tuple[Any, ...]:
        """Return the numbers of all fields that may differ between runs, those of parts too."""
        found: list[Any] = []
        for field in fields(self):  # pyright: ignore[reportArgumentType]
            value = getattr(self, field.name)
            if isinstance(value, Distribution):
                found += value.numbers()
            elif field.name in self.varying:
                found.append(value)
        return tuple(found)

    def bound(self, numbers: Iterable[Any]) -> Self:
        """Return the distribution with other numbers, often arrays, in the order of `numbers`."""
        return self._bound(iter(numbers))

    def _bound(self, numbers: Iterator[Any]) -> Self:
        made = object.__new__(type(self))  # arrays and None are no bounds that could be checked
        for field in fields(self):  # pyright: ignore[reportArgumentType]
            value = getattr(self, field.name)
            if isinstance(value, Distribution):
                value = value._bound(numbers)
            elif field.name in self.varying:
                value = next(numbers)
            object.__setattr__(made, field.name, value)
        return made

    def opened(self) -> Self:
        """Return the distribution without its numbers: what a program depends on."""
        return self.bound([None] * len(self.numbers()))

    @classmethod
    def described(cls, options: dict[str, Any], tables: Mapping[str, np.ndarray]) -> Self:  # noqa: ARG003
        """Return the distribution of a description: its fields, and tables by their digest."""
        return cls(**options)

    def tables(self) -> dict[str, np.ndarray]:
        """Return the tables whose rows it draws, by their digest."""
        return {}


class Joint(Distribution):
    """A distribution of all inputs together; a custom one writes `inputs`."""

    written: ClassVar[str] = "inputs"

    @abstractmethod
    def inputs(self, xp: Namespace, u: Sequence[Array]) -> list[Array]:
        """Return all inputs of a sample, one array for each array of uniform numbers."""

    def quantile(self, xp: Namespace, u: Array) -> Array:  # noqa: ARG002 (as every distribution)
        """Refuse: the inputs are not independent of each other."""
        raise InputError(
            f"{self.label} is a distribution of all inputs together, so it cannot be a part of "
            "another. Use a distribution of one input, such as Uniform(1, 2)."
        )

    def along(self, xp: Namespace, u: Array) -> Array:
        """Return all inputs of uniform numbers `(runs, inputs, samples)`, as one array."""
        each = [u[:, i : i + 1] for i in range(u.shape[1])]
        return xp.concatenate(self.inputs(xp, each), axis=1)


def text_of(value: Any) -> str:
    """Return a number in as few digits as say it, anything else as it is written."""
    if isinstance(value, Distribution):
        return value.label
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def check_part(owner: str, name: str, part: Any) -> None:
    """Raise unless a part is a distribution of one input."""
    if not isinstance(part, Distribution) or isinstance(part, Joint):
        raise InputError(
            f"{name} of {owner} is a distribution of one input, such as Uniform(1, 2); received "
            f"{shown(part)}."
        )
