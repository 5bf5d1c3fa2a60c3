"""The recurrent input selector with learnt units, the same at every step.

Reference: Mistry 2023, section 7.2.5.
"""

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.formula import BINARY
from nalm.networks.selection import one_hot, selection_parameters
from nalm.networks.selector import Selector


class Recurrent(Selector):
    """Recurrent input selector with learnt units, each of which gives one number.

    Parameters
    ----------
    in_features
        The number of inputs.
    out_features
        1.
    units
        The units to choose from, each with `in_features + steps` inputs and one output.
    steps
        The number of lines of working.
    blank
        What a line that is not yet written holds.
    temperature
        The temperature of the choice in training.

    Examples
    --------
    >>> from nalm.units import NAU, NMU
    >>> model = Recurrent(4, 1, (NAU(6, 1), NAU(6, 1), NMU(6, 1)))
    >>> list(model.parameters)
    ['0_weight', '1_weight', '2_weight', 'choice', 'certainty']
    """

    name = "recurrent"

    def __post_init__(self) -> None:
        super().__post_init__()
        seen = self.in_features + self.steps
        if {(unit.in_features, unit.out_features) for unit in self.units} != {(seen, 1)}:
            raise InputError(
                f"A recurrent selector of {self.in_features} inputs and {self.steps} steps has "
                f"units of {seen} inputs and 1 output; received {shown(self.units)}."
            )

    @property
    def modules(self):
        return len(self.units)

    @property
    def own(self):
        return selection_parameters(self.steps, self.modules)

    @property
    def own_discrete(self):
        return {"choice": BINARY}

    def choices(self, xp, params):
        return {"choice": one_hot(xp, params["choice"])}

    def values(self, xp, params, seen, step, train):
        outputs = [self.apply(xp, params, i, seen, train) for i in range(self.modules)]
        return xp.concat(outputs, axis=-1)

    def check_value(self, xp, params, seen, step, i):
        self.refuse_in_part(xp, self.part(params, i), i, seen, line=step)

    def read_value(self, read, step, i, seen):
        return self.read_part(read, i, seen)[0]
