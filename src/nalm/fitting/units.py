"""Units of measurement, by pint: read from names or given, and what they allow."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isclose
from typing import Any

from nalm._internal.checks import shown
from nalm.errors import InputError, unknown
from nalm.fitting.dimensions import (
    Dimension,
    WrongDimensionError,
    dimension,
    dimensions_of_numbers,
    may_be,
    same,
    times,
)
from nalm.fitting.tree import Tree, columns_of

IN_NAME = re.compile(r"[\[(]([^\[\]()]*)[\])]\s*$")
"""The unit in brackets at the end of a name."""
HEADER = "header"
"""What stands for units that are in the names."""
RESULT = "y"
"""The key of the unit of a result that has no name."""
NONE = frozenset(["", "-", "1", "–", "—"])
"""What stands for a pure number."""
TOWER = re.compile(r"(?:\*\*|\^)[^*/]*(?:\*\*|\^)")
"""A power of a power, which may be too large to compute."""
LONG_POWER = re.compile(r"(?:\*\*|\^)[\s(+-]*(?:\d{3,}|[\d.]*[eE])")
"""A power of three digits or more."""
OTHER_SPELLINGS = {"°C": "degC", "°F": "degF", "°": "degree", "%": "percent", "Ω": "ohm", "·": "*"}


@dataclass(frozen=True)
class Units:
    """The units of columns and of the result; None where there is none."""

    columns: tuple[str | None, ...]
    target: str | None

    @property
    def dimensions(self) -> tuple[Dimension | None, ...]:
        """The dimension of each column."""
        return tuple(_dimension(unit) for unit in self.columns)

    def allows(self, tree: Tree) -> bool:
        """Whether a formula may have the unit of the result."""
        return not columns_of(tree) or may_be(tree, self.dimensions, _dimension(self.target))

    def of(self, tree: Tree) -> str | None:
        """Return the unit of a formula, as a product of those of the columns; None if unknown."""
        try:
            found = dimension(tree, [_symbol(unit) for unit in self.columns])
        except WrongDimensionError:
            return None
        return _text(found) if found else None

    def of_numbers(self, tree: Tree) -> list[str | None]:
        """Return the unit of each number of a formula; None if unknown."""
        symbols = [_symbol(unit) for unit in self.columns]
        try:
            found = dimensions_of_numbers(tree, symbols, _symbol(self.target))
        except WrongDimensionError:  # other units of the same dimension are added
            return [None] * len(tree.numbers())
        return [None if d is None else "" if _is_one(d) else _text(d) for d in found]

    def chosen(self, columns: Sequence[int]) -> "Units":
        """Return the units of some of the columns."""
        return Units(tuple(self.columns[i] for i in columns), self.target)


def units_of(given: Any, names: Sequence[str], target: str | None) -> Units | None:
    """Return the units that a user gives: a dictionary by name, or "header" for those in names."""
    if given is None or isinstance(given, Units):
        return given
    if given == HEADER:
        units = Units(tuple(_in_name(name) for name in names), _in_name(target) if target else None)
        if units.target is None and not any(units.columns):
            raise InputError(
                'Units in names stand in brackets, as in "mass [kg]"; received '
                f"{', '.join(map(repr, names[:5]))}. Give them as a dictionary: "
                f'units={{{names[0]!r}: "m"}}.'
            )
    elif isinstance(given, Mapping):
        result = target or RESULT
        known = _by_name(given, [*names, result])
        units = Units(tuple(known.get(name) for name in names), known.get(result))
    else:
        raise InputError(
            f'units are a dictionary such as {{"mass": "kg"}}, or "{HEADER}" for those in the '
            f"names; received {shown(given)}."
        )
    for name, unit in zip((*names, target or RESULT), (*units.columns, units.target), strict=True):
        _check(name, unit)
    _check_known(units, names)
    return units


def _by_name(given: Mapping[Any, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return units by the whole names of columns; the unit in brackets may be left out."""
    whole: dict[str, Any] = {}
    for name, unit in given.items():
        alike = [n for n in names if n == name] or [n for n in names if _bare(n) == name]
        if len(alike) != 1:
            raise unknown("column", name, names)
        whole[alike[0]] = unit
    return whole


def _bare(name: str) -> str:
    return IN_NAME.sub("", name).strip()


def _check_known(units: Units, names: Sequence[str]) -> None:
    """Raise if the result has a unit, no column has one, and all are said to be pure numbers."""
    pure = all(unit is not None and not _dimension(unit) for unit in units.columns)
    if units.target is not None and pure and _dimension(units.target):
        raise InputError(
            f"The result is in {units.target}, but all columns are pure numbers, so no formula of "
            f"{', '.join(map(repr, names[:5]))} can have its unit. Check the units."
        )


def _in_name(name: str) -> str | None:
    found = IN_NAME.search(name)
    return found[1].strip() if found else None


def _check(name: str, unit: Any) -> None:
    if unit is None:
        return
    if not isinstance(unit, str):
        raise InputError(f"A unit is text such as 'm/s'; received {shown(unit)} for {name!r}.")
    try:
        _dimension(unit)
    except (ValueError, TypeError, AttributeError, KeyError, ArithmeticError):
        raise InputError(
            f"A unit is one that pint knows, such as kg, m/s**2 or 1/s; received {unit!r} for "
            f"{name!r}."
        ) from None


@cache
def _registry() -> Any:
    try:
        import pint
    except ImportError:
        raise InputError(
            "Units are read with pint; it is not installed. Install it: pip install 'nalm[units]'."
        ) from None
    return pint.UnitRegistry()


def _dimension(unit: str | None) -> Dimension | None:
    return None if unit is None else _known_dimension(unit)


@cache
def _known_dimension(unit: str) -> Dimension:
    if unit.strip() in NONE:
        return {}
    try:
        found = _parsed(unit).dimensionality
    except Exception as error:  # pint raises whatever its tokens cause
        raise ValueError(unit) from error
    return {str(name).strip("[]"): float(power) for name, power in found.items() if power}


def _parsed(unit: str) -> Any:
    """Return a unit of pint."""
    for other, spelling in OTHER_SPELLINGS.items():
        unit = unit.replace(other, spelling)
    if len(unit) > 100 or TOWER.search(unit) or LONG_POWER.search(unit):
        raise ValueError(unit)
    return _registry().parse_units(unit.replace("^", "**"))


def _is_one(found: Dimension) -> bool:
    """Whether a product of units is 1, as J/(kg*(m/s)^2) is.

    >>> _is_one({"J": 1.0, "kg": -1.0, "m/s": -2.0}), _is_one({"m": 1.0, "cm": -1.0})
    (True, False)
    """
    size = 1.0
    total: Dimension = {}
    for unit, power in found.items():
        factor, _ = _registry().get_base_units(_parsed(unit))
        size *= float(factor) ** power
        total = times(total, _known_dimension(unit), power)
    return not total and isclose(size, 1.0, rel_tol=1e-12)


def _symbol(unit: str | None) -> Dimension | None:
    """Return a unit as if it were a dimension of its own, to write products of units."""
    if unit is None:
        return None
    return {unit: 1.0} if _dimension(unit) else {}


def _text(found: Dimension) -> str:
    """Return a product of units.

    >>> _text({"N": 1.0, "mm": -1.0}), _text({"kg": 1.0, "m/s": -2.0}), _text({})
    ('N/mm', 'kg/(m/s)^2', '')
    """
    above = [_power(n, p) for n, p in found.items() if p > 0]
    below = [_power(n, -p) for n, p in found.items() if p < 0]
    if not below:
        return "*".join(above)
    under = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return f"{'*'.join(above) or '1'}/{under}"


def _power(unit: str, power: float) -> str:
    if same({unit: power}, {unit: 1.0}):
        return unit if re.fullmatch(r"[\w^]+", unit) else f"({unit})"
    return f"{unit}^{power:g}" if re.fullmatch(r"\w+", unit) else f"({unit})^{power:g}"
