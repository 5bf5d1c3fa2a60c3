"""Formulas as a function of arrays of any library: NumPy, JAX and PyTorch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace

from nalm.errors import InputError
from nalm.fitting.tree.node import Tree

if TYPE_CHECKING:
    from nalm._internal.types import Array

Coefficients = dict[str, Any]
"""The numbers that formulas multiply by and add, as one array: the parameters."""


@dataclass(frozen=True)
class ArrayFormulas:
    """Formulas of the same columns, one output each.

    It is called with parameters and rows, as a `nalm.Stack` is.

    Parameters
    ----------
    trees
        The formulas.
    in_features
        How many columns the rows have.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from nalm.fitting.tree import Column, WeightedSum
    >>> model = ArrayFormulas((WeightedSum(((Fraction(5, 2), Column(0)),), Fraction(1)),), 1)
    >>> model(model.params(), np.array([[2.0], [4.0]]))
    array([[ 6.],
           [11.]])
    """

    trees: tuple[Tree, ...]
    in_features: int

    def params(self) -> Coefficients:
        """Return the numbers of the formulas as a float64 array; powers are no parameters."""
        numbers = [float(n) for tree in self.trees for n in tree.coefficients()]
        return {"coefficients": np.array(numbers, dtype=np.float64)}

    def __call__(self, params: Coefficients, x: "Array") -> "Array":
        """Return the values, `(rows, outputs)`, of rows `(rows, columns)`."""
        if x.shape[-1:] != (self.in_features,):
            raise InputError(
                f"The last axis of x has one value per column of the fit, {self.in_features}; "
                f"received shape {tuple(x.shape)}."
            )
        xp = array_namespace(x)
        given = params["coefficients"]
        numbers = xp.asarray(given) if isinstance(given, np.ndarray) else given
        if not xp.isdtype(x.dtype, "real floating"):
            x = xp.astype(x, numbers.dtype)
        numbers = xp.astype(numbers, x.dtype)
        rest = iter(range(len(numbers)))
        with np.errstate(all="ignore"):
            values = [tree.computed(xp, x, lambda: numbers[next(rest)]) for tree in self.trees]
        return xp.stack(values, axis=-1)
