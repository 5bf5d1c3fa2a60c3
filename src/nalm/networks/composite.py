"""Units made of units: what gated layers, selectors and scratchpads share."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import numpy as np

from nalm import formula
from nalm._internal.checks import shown
from nalm._internal.types import Array, Namespace, Params
from nalm.errors import InputError, UnknownNameError, ZeroDivisorError
from nalm.formula.operations import Operation
from nalm.units import DividingInside, Parameter, Stochastic, Unit
from nalm.units._checks import refuse_zero_divisors

if TYPE_CHECKING:
    import sympy


class Composite(Unit, DividingInside, ABC):
    """A layer whose equation is made of units; their parameters are `0_weight`, `1_weight`, ….

    It computes no single operation, so it is no unit of the registry: it is a model or a layer.
    """

    units: tuple[Unit, ...] = ()

    papers = ("mistry2023",)
    represents = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for unit in self.units:
            if isinstance(unit, Stochastic):
                raise InputError(f"The parts of a network take no noise; received {shown(unit)}.")

    @property
    @abstractmethod
    def own(self) -> dict[str, Parameter]:
        """The parameters that belong to no part."""

    @property
    def own_discrete(self) -> Mapping[str, formula.Discrete]:
        """The values that its own effective weights have in a formula."""
        return {}

    def choices(self, xp: Namespace, params: Params) -> dict[str, Array]:
        """The effective weights that belong to no part."""
        return {}

    @property
    def discrete(self) -> Mapping[str, formula.Discrete]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The values the effective weights have in a formula."""
        parts = {
            f"{i}_{name}": values
            for i, unit in enumerate(self.units)
            for name, values in unit.discrete.items()
        }
        return parts | dict(self.own_discrete)

    @property
    def parameters(self):
        parts = {
            f"{i}_{name}": parameter
            for i, unit in enumerate(self.units)
            for name, parameter in unit.parameters.items()
        }
        return parts | self.own

    def part(self, params: Params, i: int) -> dict[str, Array]:
        """Return the parameters of a part by their own names."""
        return {name: params[f"{i}_{name}"] for name in self.units[i].parameters}

    def apply(self, xp: Namespace, params: Params, i: int, x: Array, train: bool) -> Array:
        """Return what a part gives."""
        return self.units[i].forward(xp, self.part(params, i), x, train, None)

    def refuse_in_part(
        self, xp: Namespace, part: Params, i: int, x: Array, line: int | None = None
    ) -> None:
        """Raise if a part with these parameters divides by a zero; the error names its line."""
        try:
            refuse_zero_divisors(self.units[i], xp, part, x)
        except ZeroDivisorError as error:
            where = f"Part {i}" if line is None else f"Line {line}"
            raise ZeroDivisorError(f"{where}: {error}") from None

    def transform(self, xp, params):
        weights = {
            f"{i}_{name}": value
            for i, unit in enumerate(self.units)
            for name, value in unit.transform(xp, self.part(params, i)).items()
        }
        return weights | self.choices(xp, params)

    def penalty_terms(self, xp, params, x):
        terms: dict[str, Array] = {}
        for i, unit in enumerate(self.units):
            for name, value in unit.penalty_terms(xp, self.part(params, i), None).items():
                terms[name] = terms[name] + value if name in terms else value
        return terms

    def sparsity(self, xp, weights):
        errors = [
            unit.sparsity(xp, {n: weights[f"{i}_{n}"] for n in unit.discrete})
            for i, unit in enumerate(self.units)
            if unit.has_sparsity_error
        ]
        if errors:
            return xp.max(xp.stack(errors))
        return xp.sum(next(iter(weights.values()))) * float("nan")

    def represent(self, op: Operation, weight: Any):
        raise UnknownNameError(f"{self!r} computes no single operation; received {shown(op.name)}.")

    def read_lines(self, read: formula.Reader, x: list["sympy.Expr"]) -> Sequence["sympy.Basic"]:
        """Return every expression on the way to the output, the output last."""
        return self.read(read, x)

    @final
    def lines(
        self,
        params: Params,
        names: Sequence[Any] | None = None,
        *,
        tolerance: float = formula.TOLERANCE,
    ) -> tuple["sympy.Basic", ...]:
        """Read the lines of working: what each step writes to the scratchpad, the output last."""
        reader = self.reader(params, names, tolerance, None)
        return tuple(self.read_lines(reader, reader.inputs))

    def read_part(
        self,
        read: formula.Reader,
        i: int,
        x: Sequence["sympy.Expr"],
        used: np.ndarray | bool = True,
    ) -> Sequence["sympy.Basic"]:
        """Return the expressions of a part for these inputs; outputs that are not used are 0.

        To a product, the weight of an input that is 1 is of no account, whatever it is.
        """
        unit, prefix = self.units[i], f"{i}_"
        ones = np.array([value == 1 for value in x]) & ("mul" in unit.represents)
        told = np.where(ones, 0.0, 1.0)
        mine = replace(
            read,
            unit=f"part {i} ({type(unit).__name__})",
            weights={
                name: _rows(read.weights[prefix + name], used) * told for name in unit.discrete
            },
            discrete=unit.discrete,
            x=None,
            inputs=list(x),
        )
        return unit.read(mine, list(x))


def _rows(weight: np.ndarray, used: np.ndarray | bool) -> np.ndarray:
    """Return an `(out, in)` weight with zeros in the rows of outputs that are not used."""
    return np.where(np.reshape(used, (-1, 1)), weight, 0.0) if weight.ndim == 2 else weight
