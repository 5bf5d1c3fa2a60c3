r"""Two units of the same size, chosen between by a gate per output.

.. math:: y = \sigma(\hat g) \odot m_1(x) + (1 - \sigma(\hat g)) \odot m_2(x)

The gate does not see the input. Reference: Mistry 2023, section 7.2.4, after Schlör, Ring and
Hotho, iNALU, 2020, whose initial gates N(0, 0.2) it has: the thesis prints none.
"""

from nalm._internal.checks import shown
from nalm._internal.ops import sigmoid, weigh
from nalm._internal.types import Array
from nalm.errors import InputError
from nalm.formula import BINARY
from nalm.networks.composite import Composite
from nalm.units import Parameter, Unit
from nalm.units.inac import saturate
from nalm.units.initial import Normal


class Gated(Composite):
    """Two units and a gate: 1 reads the first, 0 the second.

    Parameters
    ----------
    in_features
        The number of inputs.
    out_features
        The number of outputs.
    units
        The two units, both of this size.

    Examples
    --------
    >>> from nalm.units import NAU, NMU
    >>> list(gated(NAU(4, 5), NMU(4, 5)).parameters)
    ['0_weight', '1_weight', 'gate']
    """

    name = "gated"

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = {(unit.in_features, unit.out_features) for unit in self.units}
        if len(self.units) != 2 or sizes != {(self.in_features, self.out_features)}:
            raise InputError(
                f"A gated layer has two units of its own size, {self.in_features} inputs and "
                f"{self.out_features} outputs; received {shown(self.units)}."
            )

    @property
    def own(self):
        return {"gate": Parameter((self.out_features,), Normal(0.0, 0.2))}

    @property
    def own_discrete(self):
        return {"gate": BINARY}

    def choices(self, xp, params):
        return {"gate": sigmoid(xp, params["gate"])}

    def forward(self, xp, params, x, train, noise):
        g = sigmoid(xp, params["gate"])
        first, second = (self.apply(xp, params, i, x, train) for i in (0, 1))
        return weigh(xp, g, first) + weigh(xp, 1 - g, second)

    def penalty_terms(self, xp, params, x):
        """Those of the units, and that of iNALU for the gate."""
        terms = super().penalty_terms(xp, params, x)
        return terms | {"saturate_gate": saturate(xp, {"gate": params["gate"]})}

    def check_divisors(self, xp, params, x):
        """Only the outputs that a gate leaves to a part count."""

        def by_output(value: Array) -> bool:
            return value.ndim == 2 and value.shape[0] == self.out_features

        first = params["gate"] > 0
        for i, mine in enumerate((first, ~first)):
            part = {
                name: value * xp.astype(mine[:, None], value.dtype) if by_output(value) else value
                for name, value in self.part(params, i).items()
            }
            self.refuse_in_part(xp, part, i, x)

    def read(self, read, x):
        g = read("gate")
        wanted = {i for i in (0, 1) if (g == 1 - i).any()}
        parts = {i: self.read_part(read, i, x, g == 1 - i) for i in wanted}
        return [parts[0 if g[o] == 1 else 1][o] for o in range(self.out_features)]


def gated(first: Unit, second: Unit) -> Gated:
    """Return two units with a gate per output.

    Parameters
    ----------
    first, second
        Units of the same size.

    Returns
    -------
    Gated
        The layer.

    Examples
    --------
    >>> from nalm.units import NAU, NMU
    >>> gated(NAU(2, 1), NMU(2, 1)).name
    'gated'
    """
    return Gated(first.in_features, first.out_features, (first, second))
