"""The weights of a unit as exact numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm._internal.ops import to_numpy
from nalm.errors import InputError, NotDiscreteError
from nalm.formula.discrete import Discrete

if TYPE_CHECKING:
    import sympy

SMALLEST_POSITIVE = 1e-6
"""The sum of positive inputs from which a gate must be decided to be read without samples."""


@dataclass(frozen=True)
class Reader:
    """Reads the weights of one unit as exact numbers, or says why it cannot."""

    unit: str
    weights: Mapping[str, np.ndarray]
    discrete: Mapping[str, Discrete]
    tolerance: float
    x: np.ndarray | None
    """Sample inputs, for gates that depend on them."""
    inputs: list["sympy.Expr"]

    def __post_init__(self) -> None:
        valid = isinstance(self.tolerance, int | float) and 0 <= self.tolerance <= 0.5
        if not valid:
            raise InputError(f"tolerance is between 0 and 0.5; received {self.tolerance!r}.")

    def __call__(self, name: str, used: np.ndarray | bool = True) -> np.ndarray:
        """Return the weight of this name as an array of sympy numbers; unused elements are 0."""
        values = np.asarray(self.weights[name], dtype=np.float64)
        used = np.broadcast_to(used, values.shape)
        nearest = self.discrete[name].nearest(values)
        gap = np.where(used, np.abs(values - nearest), 0.0)
        if not np.all(gap <= self.tolerance):
            worst = np.unravel_index(
                int(np.argmax(np.where(np.isnan(gap), np.inf, gap))), gap.shape
            )
            self.refuse(name, worst, values[worst])
        return _exact(np.where(used, nearest, 0.0))

    def refuse(self, name: str, index: tuple[Any, ...], value: float) -> None:
        """Raise the error that names the weight which is not discrete."""
        place = f"[{', '.join(str(int(i)) for i in index)}]" if index else ""
        raise NotDiscreteError(
            f"A formula needs every weight within {self.tolerance:g} of {self.discrete[name]}; "
            f"{self.unit} has {name}{place} = {value:.4g}. Train longer, raise the penalty that "
            "makes it discrete if it has one, start anew, or pass a larger tolerance."
        )

    def input_gate(self, squash: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return 1 or 0 per output: the gate `squash(G x)`, if the same for every sample.

        Without samples the inputs are taken to be positive, which only names can be: then the
        gate is known where all weights of its row are large and of one sign.
        """
        import sympy

        gate = np.asarray(self.weights["gate"], dtype=np.float64)
        if self.x is not None:
            values = squash(self.x @ gate.T)
        elif all(isinstance(name, sympy.Symbol) for name in self.inputs):
            values = squash(gate.T * SMALLEST_POSITIVE)
        else:
            values = np.full((1, gate.shape[0]), 0.5)
        for open_ in (values.max(axis=0) <= self.tolerance) | (
            values.min(axis=0) >= 1 - self.tolerance
        ):
            if not open_:
                raise NotDiscreteError(
                    f"The gate of {self.unit} depends on its input and is not within "
                    f"{self.tolerance:g} of 0 or 1 for "
                    + (
                        "every sample. Read parts of the samples apart, or train longer."
                        if self.x is not None
                        else "every positive input. Pass sample inputs with x=... to read it there."
                    )
                )
        return _exact(np.round(values[0]))


def _exact(values: np.ndarray) -> np.ndarray:
    """Return the array with sympy numbers for elements."""
    import sympy

    exact = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        exact[index] = sympy.Rational(Fraction(repr(float(value))))
    return exact


def samples(x: Any, count: int) -> np.ndarray | None:
    """Return sample inputs as rows of numbers."""
    if x is None:
        return None
    rows = to_numpy(x).astype(np.float64)
    if rows.ndim == 0 or rows.shape[-1] != count or rows.size == 0:
        raise InputError(
            f"Sample inputs have {count} columns and at least one row; received shape {rows.shape}."
        )
    return rows.reshape(-1, count)
