r"""Units that write lines of working: the recurrent input selector.

.. math:: s_t = \operatorname{select}_t\big(m_1(x, s), …, m_M(x, s)\big), \qquad y = s_T

At each step every unit reads the inputs and a scratchpad of T slots; the output of one of them,
chosen by `selection`, is written to the slot of that step. The units are the same at every step,
the choice is its own. Slots that are not yet written hold `blank`: 1, which is what table 7.6 shows
in a product with an unwritten slot ("0 × 1"). Evaluation always takes the likeliest unit.

Reference: Mistry 2023, section 7.2.5 and algorithm 1.
"""

from dataclasses import dataclass
from typing import Any

from nalm.distributions import Uniform
from nalm.errors import InputError
from nalm.formula import BINARY
from nalm.networks.composite import Composite
from nalm.networks.selection import (
    DRAWN,
    one_hot,
    selected,
    selected_in_training,
    selection_parameters,
)
from nalm.units import Stochastic
from nalm.units._options import option

ABOVE_ZERO = "a number above 0"


@dataclass(frozen=True)
class Recurrent(Composite, Stochastic):
    """Recurrent input selector with learnt units, each of which gives one number.

    >>> from nalm.units import NAU, NMU
    >>> model = Recurrent(4, 1, (NAU(6, 1), NAU(6, 1), NMU(6, 1)))
    >>> list(model.parameters)
    ['0_weight', '1_weight', '2_weight', 'choice', 'certainty']
    """

    steps: int = 2
    blank: float = 1.0
    temperature: float = option(10.0, ABOVE_ZERO, lambda value: value > 0)

    name = "recurrent"

    def __post_init__(self) -> None:
        super().__post_init__()
        seen = self.in_features + self.steps
        sizes = {(unit.in_features, unit.out_features) for unit in self.units}
        if sizes != {(seen, 1)} or self.out_features != 1:
            raise InputError(
                f"A recurrent selector of {self.in_features} inputs and {self.steps} steps has 1 "
                f"output and units of {seen} inputs and 1 output; received {self.units!r}."
            )

    @property
    def own(self):
        return selection_parameters(self.steps, len(self.units))

    @property
    def own_discrete(self):
        return {"choice": BINARY}

    def choices(self, xp, params):
        return {"choice": one_hot(xp, params["choice"])}

    @property
    def noise_sees_batch(self):
        return False

    def draws(self, xp, params, x) -> tuple[tuple[int, ...], Uniform]:
        return (self.steps, len(self.units)), DRAWN

    def forward(self, xp, params, x, train, noise: Any):
        blank = xp.full_like(x[..., :1], self.blank)
        lines = []
        for t in range(self.steps):
            seen = xp.concat([x, *lines, *[blank] * (self.steps - t)], axis=-1)
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

    def values(self, xp, params, seen, step, train):
        """Return the output of every unit at a step."""
        outputs = [self.apply(xp, params, i, seen, train) for i in range(len(self.units))]
        return xp.concat(outputs, axis=-1)

    def read_lines(self, read, x):
        """Return the expression that each step writes to the scratchpad."""
        from sympy import Rational

        lines = []
        for t, row in enumerate(read("choice")):
            blanks = [Rational(str(self.blank))] * (self.steps - t)
            lines.append(self.read_value(read, t, list(row).index(1), [*x, *lines, *blanks]))
        return lines

    def read_value(self, read, step, i, seen):
        """Return the expression of a unit at a step."""
        return self.read_part(read, i, seen)[0]

    def read(self, read, x):
        return self.read_lines(read, x)[-1:]
