r"""Units one after the other that all see the inputs and every result before them.

.. math:: s_k = m_k(x, s_1, …, s_{k-1}), \qquad y = s_K

A recurrent selector without selection: each line of working has a unit of its own, so nothing but
weights is to be learnt, and a line that is not needed is one that no later unit reads.
"""

from dataclasses import dataclass

from nalm.errors import InputError
from nalm.networks.composite import Composite
from nalm.units import NAU, RealNPU, Unit


@dataclass(frozen=True)
class Scratchpad(Composite):
    """Units that write to a scratchpad and read all of it; the last gives the output.

    >>> list(scratchpad("MA", 4).parameters)
    ['0_weight', '0_gate', '1_weight']
    """

    name = "scratchpad"

    def __post_init__(self) -> None:
        super().__post_init__()
        width = self.in_features
        for k, unit in enumerate(self.units):
            if unit.in_features != width:
                raise InputError(
                    f"Unit {k} of a scratchpad sees the {self.in_features} inputs and all results "
                    f"before it, {width} numbers; received in_features={unit.in_features}."
                )
            width += unit.out_features
        if not self.units or self.units[-1].out_features != self.out_features:
            raise InputError(
                f"A scratchpad has units, the last with {self.out_features} outputs; received "
                f"{self.units!r}."
            )

    @property
    def own(self):
        return {}

    def forward(self, xp, params, x, train, noise):
        lines = [x]
        for k in range(len(self.units)):
            lines.append(self.apply(xp, params, k, xp.concat(lines, axis=-1), train))
        return lines[-1]

    def read_lines(self, read, x):
        """Return the expressions that each unit writes to the scratchpad."""
        return [line for lines in self._lines(read, x) for line in lines]

    def read(self, read, x):
        return self._lines(read, x)[-1]

    def _lines(self, read, x):
        seen, lines = list(x), []
        for k in range(len(self.units)):
            lines.append(list(self.read_part(read, k, seen)))
            seen = [*seen, *lines[-1]]
        return lines


def scratchpad(kinds: str, inputs: int) -> Scratchpad:
    """Return a scratchpad of NAUs (A) and Real NPUs (M), one line each: `MAMA`."""
    made: list[Unit] = []
    for k, kind in enumerate(kinds):
        if kind not in KINDS:
            raise InputError(f"A scratchpad is spelt with A (sum) and M (product): {kinds!r}.")
        made.append(KINDS[kind](inputs + k, 1))
    return Scratchpad(inputs, 1, tuple(made))


KINDS: dict[str, type[Unit]] = {"A": NAU, "M": RealNPU}
