r"""Modules that write lines of working: what every recurrent input selector does.

.. math:: s_t = \operatorname{select}_t\big(m_1(x, s), …, m_M(x, s)\big), \qquad y = s_T

At each step every module reads the inputs and a scratchpad of T slots; the output of one of them,
chosen by `selection`, is written to the slot of that step. The choice is that step's own. Slots
that are not yet written hold `blank`: 1, which is what table 7.6 shows in a product with an
unwritten slot ("0 × 1"). Evaluation always takes the likeliest module.

Reference: Mistry 2023, section 7.2.5 and algorithm 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

from nalm._internal.ops import is_known_true
from nalm._internal.types import Array, Namespace, Params
from nalm.errors import InputError, NotDiscreteError
from nalm.formula import Reader
from nalm.networks.composite import Composite
from nalm.networks.selection import DRAWN, one_hot, selected, selected_in_training
from nalm.units import Stochastic
from nalm.units._options import option
from nalm.units.initial import Uniform

if TYPE_CHECKING:
    import sympy

ABOVE_ZERO = "a number above 0"


class Selector(Composite, Stochastic, ABC):
    """A recurrent input selector; what its modules are is said by those that inherit."""

    steps: int = 2
    blank: float = 1.0
    temperature: float = option(default=10.0, rule=ABOVE_ZERO, valid=lambda value: value > 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.out_features != 1:
            raise InputError(f"A selector has 1 output; received {self.out_features}.")

    @property
    @abstractmethod
    def modules(self) -> int:
        """How many modules there are to choose from."""

    @abstractmethod
    def values(self, xp: Namespace, params: Params, seen: Array, step: int, train: bool) -> Array:
        """Return the output of every module at a step."""

    @abstractmethod
    def check_value(self, xp: Namespace, params: Params, seen: Array, step: int, i: int) -> None:
        """Raise ZeroDivisorError if a module divides by a zero at a step."""

    @abstractmethod
    def read_value(
        self, read: Reader, step: int, i: int, seen: Sequence["sympy.Expr"]
    ) -> "sympy.Basic":
        """Return the expression of a module at a step."""

    @property
    def noise_sees_batch(self):
        return False

    def draws(self, xp, params, x) -> tuple[tuple[int, ...], Uniform]:
        return (self.steps, self.modules), DRAWN

    @final
    def forward(self, xp, params, x, train, noise: Any):
        lines = []
        for t in range(self.steps):
            seen = self._seen(xp, x, lines)
            values = self.values(xp, params, seen, t, train)
            logits = params["choice"][t, :]
            if train:
                gate, u = params["certainty"][t], noise[t, :]
                chosen = selected_in_training(
                    xp, values, logits, gate, u, temperature=self.temperature
                )
            else:
                chosen = selected(xp, values, logits)
            lines.append(xp.expand_dims(chosen, axis=-1))
        return lines[-1]

    def _seen(self, xp: Namespace, x: Array, lines: list[Array]) -> Array:
        """Return the inputs and the scratchpad, with the lines that are written."""
        blank = xp.full_like(x[..., :1], self.blank)
        return xp.concat([x, *lines, *[blank] * (self.steps - len(lines))], axis=-1)

    @final
    def check_divisors(self, xp, params, x):
        """Only the module that is chosen counts."""
        lines = []
        for t in range(self.steps):
            seen = self._seen(xp, x, lines)
            logits = params["choice"][t, :]
            taken = one_hot(xp, logits)
            for i in range(self.modules):
                if is_known_true(taken[i] > 0):
                    self.check_value(xp, params, seen, t, i)
            values = self.values(xp, params, seen, t, False)
            lines.append(xp.expand_dims(selected(xp, values, logits), axis=-1))

    @final
    def read_lines(self, read, x):
        """Return the expression that each step writes to the scratchpad."""
        from sympy import Rational

        lines = []
        for t, row in enumerate(read("choice")):
            if 1 not in row:
                raise NotDiscreteError(
                    f"A formula needs a largest number in each row of choice; row {t} has none, "
                    "for a number of it is not a number (NaN)."
                )
            blanks = [Rational(str(self.blank))] * (self.steps - t)
            lines.append(self.read_value(read, t, list(row).index(1), [*x, *lines, *blanks]))
        return lines

    @final
    def read(self, read, x):
        return self.read_lines(read, x)[-1:]
