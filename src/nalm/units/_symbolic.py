"""Units and formulas: exact parameters for operations, and expressions read off weights."""

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any, final

import numpy as np
from array_api_compat import array_namespace

from nalm import formula
from nalm._internal.ops import to_numpy
from nalm._internal.types import Array, Params
from nalm.errors import InputError, UnknownNameError
from nalm.formula import TOLERANCE, Reader
from nalm.formula.operations import operation
from nalm.units import _checks as checks
from nalm.units._contract import Contract

if TYPE_CHECKING:
    import sympy


class Symbolic(Contract):
    """What every unit can do with operations and formulas."""

    @property
    @final
    def ops(self) -> tuple[str, ...]:
        """The operations it can represent exactly with the sizes and options it has.

        Examples
        --------
        >>> import nalm
        >>> nalm.unit("nru", 2, 1).ops, nalm.unit("nru", 1, 1).ops
        (('mul', 'div', 'reciprocal'), ('reciprocal',))
        """
        return tuple(op for op in self.represents if self._can(op))

    @final
    def exact(self, op: str, operands: Sequence[int] | None = None) -> dict[str, np.ndarray]:
        """Return discrete parameters with which every output is an operation of the operands.

        Parameters
        ----------
        op
            The name of an operation, one of `ops`.
        operands
            The indices of its operands; the first inputs if absent.

        Returns
        -------
        dict
            The parameters by name.

        Examples
        --------
        >>> import nalm
        >>> nalm.unit("nau", 3, 1).exact("sub", [2, 0])["weight"]
        array([[-1.,  0.,  1.]])
        """
        wanted = operation(op)
        if op not in self.represents:
            can = ", ".join(self.ops) or "no operation exactly"
            raise UnknownNameError(f"{self!r} cannot represent {op!r}; it can: {can}.")
        rows = wanted.rows((self.out_features, self.in_features), operands)
        params = self.represent(wanted, rows)
        for name, parameter in self.parameters.items():
            low, high = parameter.bounds or (-inf, inf)
            if np.min(params[name]) < low or np.max(params[name]) > high:
                raise InputError(
                    f"{self!r} cannot represent {op!r}: {name} must stay in [{low:g}, {high:g}]."
                )
        return params

    @final
    def formula(
        self,
        params: Params,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple["sympy.Basic", ...]:
        """Read one sympy expression per output off the rounded weights.

        Parameters
        ----------
        params
            The parameters, which must be discrete within the tolerance.
        names
            A name per input, or a sympy expression per input; `x1, x2, …` if absent.
        tolerance
            How far a weight may be from its discrete value.
        x
            Sample inputs; units whose gate depends on the input read it from them.

        Returns
        -------
        tuple
            The expressions.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> nalm.unit("nau", 3, 1).formula({"weight": np.array([[1.0, -0.98, 0.01]])})
        (x1 - x2,)
        """
        reader = self.reader(params, names, tolerance, x)
        return tuple(self.read(reader, reader.inputs))

    @final
    def latex(
        self,
        params: Params,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = TOLERANCE,
        x: Array | None = None,
    ) -> tuple[str, ...]:
        r"""Return the formulas as LaTeX; the parameters are those of `formula`.

        Examples
        --------
        >>> import nalm
        >>> unit = nalm.unit("nru", 2, 1)
        >>> print(*unit.latex(unit.exact("div"), ["a", "b"]))
        \frac{a}{b}
        """
        expressions = self.formula(params, names, tolerance=tolerance, x=x)
        return tuple(formula.latex(expression) for expression in expressions)

    @final
    def reader(
        self, params: Params, names: Sequence[Any] | None, tolerance: float, x: Array | None
    ) -> Reader:
        """Return what `read` takes the weights from."""
        numbers = {
            name: to_numpy(value).astype(np.float64)
            for name, value in checks.parameters(self, params).items()
        }
        return Reader(
            type(self).__name__,
            self.transform(array_namespace(*numbers.values()), numbers),
            self.discrete,
            tolerance,
            formula.samples(x, self.in_features),
            formula.inputs(names, self.in_features),
        )

    def _can(self, op: str) -> bool:
        try:
            self.exact(op)
        except InputError:
            return False
        return True
