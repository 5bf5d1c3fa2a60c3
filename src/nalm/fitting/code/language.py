"""What a language of programs is: how it writes numbers, powers and calls, and the whole."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import ClassVar, final

from nalm.fitting.tree import Applied, Column, PowerProduct, Tree, VariablePower, WeightedSum
from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.number import HALF, ONE, Number

LONGEST = 15
"""The most digits of the numerator and denominator of a fraction that is written as one."""


class Language(ABC):
    """A language that formulas are written in; each computes what `predict` computes."""

    name: ClassVar[str]
    functions: ClassVar[dict[str, str]]
    """How it calls each elementary function, and `sqrt`."""
    pi: ClassVar[str]

    # --- what each language writes ---------------------------------------------------------------

    @abstractmethod
    def variables(self, names: Sequence[str]) -> list[str]:
        """Return what stands for each column."""

    @abstractmethod
    def number(self, value: Number) -> str:
        """Return a whole number, or one that is written with all its digits."""

    @abstractmethod
    def whole_power(self, base: str, power: int) -> str:
        """Return a power of at least 2 of something that needs no brackets."""

    @abstractmethod
    def real_power(self, base: str, power: str) -> str:
        """Return a power; both need no brackets."""

    @abstractmethod
    def odd_root(self, base: str, power: Fraction) -> str:
        """Return a power with an odd denominator, which negative numbers have, too."""

    @abstractmethod
    def program(
        self, tree: Tree, names: Sequence[str], target: str | None, used: Collection[int]
    ) -> str:
        """Return the whole program."""

    def minus(self, text: str) -> str:
        """Return the negative of a product."""
        return f"-{text}"

    # --- formulas --------------------------------------------------------------------------------

    @final
    def call(self, function: str, argument: str) -> str:
        """Return a call of an elementary function."""
        return f"{self.functions[function]}({argument})"

    @final
    def expression(self, tree: Tree, names: Sequence[str]) -> str:
        """Return a formula, with what stands for each column."""
        if not isinstance(tree, WeightedSum):
            return self._times(ONE, tree, names)
        parts = [(w < 0, self._times(abs(w), term, names)) for w, term in tree.terms]
        if tree.constant != 0 or not parts:
            parts.append((tree.constant < 0, self._constant(abs(tree.constant))))
        first = next((i for i, (minus, _) in enumerate(parts) if not minus), 0)
        minus, text = parts.pop(first)
        text = self.minus(text) if minus else text
        return text + "".join(f" {'-' if minus else '+'} {part}" for minus, part in parts)

    def _constant(self, value: Number) -> str:
        return self._quotient(*self._fraction(value))

    def _quotient(self, above: list[str], below: list[str]) -> str:
        numerator = "*".join(above) or self.number(ONE)
        if not below:
            return numerator
        return f"{numerator}/{below[0] if len(below) == 1 else '(' + '*'.join(below) + ')'}"

    def _fraction(self, value: Number) -> tuple[list[str], list[str]]:
        """Return the factors of the numerator and of the denominator of a number above 0."""
        if isinstance(value, Closed):
            return self._closed(value)
        if value == 1:
            return [], []
        if not isinstance(value, Fraction) or value.denominator == 1:
            return [self.number(value)], []
        above, below = value.numerator, value.denominator
        if below % 5 == 0 or len(str(above)) > LONGEST or len(str(below)) > LONGEST:
            return [self.number(float(value))], []
        numerator = [self.number(Fraction(above))] if above != 1 else []
        return numerator, [self.number(Fraction(below))]

    def _closed(self, value: Closed) -> tuple[list[str], list[str]]:
        """Return the factors of a multiple of π, e and a root."""
        above, below = self._fraction(value.fraction)
        if value.root > 1:
            above = [*above, self.call("sqrt", self.number(Fraction(value.root)))]
        for base, power in (
            (self.pi, value.pi_power),
            (self.call("exp", self.number(ONE)), value.e_power),
        ):
            if power:
                factor = self._raised(base, abs(power))
                above, below = ([*above, factor], below) if power > 0 else (above, [*below, factor])
        return above, below

    def _times(self, weight: Number, tree: Tree, names: Sequence[str]) -> str:
        """Return a number above 0 times a formula as one fraction."""
        factors = list(_flat(tree, ONE))
        above = [self._power(f, p, names) for f, p in factors if p > 0]
        below = [self._power(f, -p, names) for f, p in factors if p < 0]
        numerator, denominator = self._fraction(weight)
        return self._quotient([*numerator, *above], [*denominator, *below])

    def _power(self, base: Tree, power: Number, names: Sequence[str]) -> str:
        if power == HALF:
            return self.call("sqrt", self.expression(base, names))
        return self._raised(self._atom(base, names), power)

    def _raised(self, atom: str, power: Number) -> str:
        """Return a power of something that needs no brackets."""
        if power == HALF:
            return self.call("sqrt", atom)
        if power == 1:
            return atom
        if not isinstance(power, Fraction):
            return self.real_power(atom, self.number(power))
        if power.denominator == 1:
            return self.whole_power(atom, int(power))
        if power.denominator % 2:
            return self.odd_root(atom, power)
        return self.real_power(atom, self.number(float(power)))

    def _atom(self, tree: Tree, names: Sequence[str]) -> str:
        """Return a formula that needs no brackets."""
        match tree:
            case Column(index):
                return names[index]
            case Applied(function, argument):
                return self.call(function.name, self.expression(argument, names))
            case VariablePower(base, exponent):
                power = self.real_power(self._atom(base, names), self._atom(exponent, names))
                return f"({power})"
        return f"({self.expression(tree, names)})"


def _flat(tree: Tree, power: Number) -> Iterator[tuple[Tree, Number]]:
    """Yield the factors of a formula; products and quotients inside it are part of it."""
    if isinstance(tree, PowerProduct) and abs(power) == 1:
        for factor, inner in tree.factors:
            yield from _flat(factor, inner * power)
    else:
        yield tree, power
