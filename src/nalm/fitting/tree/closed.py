"""Exact numbers that are no fractions: fractions times powers of π and e, and a root."""

from fractions import Fraction
from math import e, log2, pi
from typing import Any, Self

HIGHEST = 4
"""The highest power of π and e."""
SIMPLE = 1000
"""The largest denominator of a fraction that a number is multiplied by and stays exact."""
ROOTS = (1, 2, 3, 5, 6, 7, 10)
"""What the root may be of."""


class Closed(float):
    """`fraction · πⁱ · eʲ · √root`: exact, though computed with as the nearest float.

    Parameters
    ----------
    fraction
        A fraction, not 0.
    pi_power, e_power
        The powers of π and e, whole or half.
    root
        A whole number without square factors.

    Examples
    --------
    >>> Closed(Fraction(4, 3), Fraction(1)), Closed(Fraction(-1, 2), root=2)
    (4*pi/3, -sqrt(2)/2)
    >>> float(Closed(Fraction(2), Fraction(1)))
    6.283185307179586
    """

    fraction: Fraction
    pi_power: Fraction
    e_power: Fraction
    root: int

    def __new__(
        cls,
        fraction: Fraction,
        pi_power: Fraction = Fraction(0),
        e_power: Fraction = Fraction(0),
        root: int = 1,
    ) -> Self:
        """Make the number from its parts."""
        value = float(fraction) * pi ** float(pi_power) * e ** float(e_power) * root**0.5
        made = super().__new__(cls, value)
        made.fraction, made.pi_power, made.e_power, made.root = fraction, pi_power, e_power, root
        return made

    def __neg__(self) -> "Closed":
        return Closed(-self.fraction, self.pi_power, self.e_power, self.root)

    def __abs__(self) -> "Closed":
        return -self if self.fraction < 0 else self

    def __mul__(self, other: Any) -> Any:
        return self.scaled(other) if isinstance(other, Fraction) and other else float(self) * other

    def __rmul__(self, other: Any) -> Any:
        """Return a multiple; a fraction times this comes as the float that it is."""
        near = Fraction(other).limit_denominator(SIMPLE)
        return self.scaled(near) if near and float(near) == other else other * float(self)

    def __radd__(self, other: Any) -> Any:
        return self if other == 0 else other + float(self)

    def scaled(self, factor: Fraction) -> "Closed":
        """Return a multiple that is not 0."""
        return Closed(factor * self.fraction, self.pi_power, self.e_power, self.root)

    def __getnewargs__(self) -> tuple[Fraction, Fraction, Fraction, int]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.fraction, self.pi_power, self.e_power, self.root

    def bits(self) -> float:
        """Return the length of its description."""
        powers = [abs(float(p)) for p in (self.pi_power, self.e_power) if p]
        root = 1 + 2 * log2(self.root) if self.root > 1 else 0.0
        above, below = abs(self.fraction.numerator), self.fraction.denominator
        return log2(above) + 2 * log2(below) + root + sum(1 + 2 * log2(1 + 2 * p) for p in powers)

    def above_and_below(self) -> tuple[list[str], list[str]]:
        """Return the factors of the numerator and of the denominator; a 1 is left out."""
        above = [str(abs(self.fraction.numerator))] if abs(self.fraction.numerator) != 1 else []
        below = [str(self.fraction.denominator)] if self.fraction.denominator != 1 else []
        if self.root > 1:
            above.append(f"sqrt({self.root})")
        for name, power in (("pi", self.pi_power), ("exp(1)", self.e_power)):
            if power:
                (above if power > 0 else below).append(_power(name, abs(power)))
        return above, below

    def to_sympy(self) -> Any:
        """Return it as sympy."""
        import sympy

        def rational(value: Fraction) -> Any:
            return sympy.Rational(value.numerator, value.denominator)

        powers = sympy.pi ** rational(self.pi_power) * sympy.E ** rational(self.e_power)
        return rational(self.fraction) * sympy.sqrt(self.root) * powers

    def __repr__(self) -> str:
        above, below = self.above_and_below()
        sign = "-" if self.fraction < 0 else ""
        text = "*".join(above) or "1"
        if not below:
            return sign + text
        return f"{sign}{text}/{below[0] if len(below) == 1 else '(' + '*'.join(below) + ')'}"

    def __str__(self) -> str:
        return repr(self)


def _power(name: str, power: Fraction) -> str:
    if power == Fraction(1, 2):
        return f"sqrt({name})"
    if power == 1:
        return name
    return f"{name}**{power}" if power.denominator == 1 else f"{name}**({power})"


PI = Closed(Fraction(1), Fraction(1))
