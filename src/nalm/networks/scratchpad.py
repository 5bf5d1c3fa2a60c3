r"""Lines of working without selection: every unit sees the inputs and all lines before its own.

.. math:: s_k = m_k(x, s_1, …, s_{k-1}), \qquad y = s_K

Each line has a unit of its own, so nothing but weights is to be learnt, and a line that is not
needed is one that no later line reads. The gates of Real NPUs stay open: a weight of 0 ignores an
input as well. A line begins with the inputs and the line before it and hardly reads older lines;
the last begins with the line before it alone.
"""

from array_api_compat import array_namespace

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.networks.composite import Composite
from nalm.units import NAU, Parameter, RealNPU, Unit
from nalm.units.initial import Uniform

HARDLY, SIGNED, POSITIVE, HALF = (Uniform(*b) for b in ((-0.1, 0.1), (-1, 1), (0, 1), (-0.5, 0.5)))
SUM = {"inputs": POSITIVE, "lines": HARDLY, "before": POSITIVE}
PRODUCT = {"inputs": HALF, "lines": HARDLY, "before": SIGNED}
LAST = {"inputs": HARDLY, "lines": HARDLY, "before": SIGNED}
"""Where the weights of a line start, by what they read."""


class Scratchpad(Composite):
    """NAUs and Real NPUs that each write one line and read all before; the last is the output.

    Parameters
    ----------
    in_features
        The number of inputs.
    out_features
        1.
    units
        One unit per line; unit k has `in_features + k` inputs and one output.

    Examples
    --------
    >>> list(scratchpad("MA", 4).parameters)
    ['0_inputs', '1_inputs', '1_before']
    """

    name = "scratchpad"
    papers = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = [(unit.in_features, unit.out_features) for unit in self.units]
        fitting = [(self.in_features + k, 1) for k in range(len(self.units))]
        if not sizes or sizes != fitting or self.out_features != 1:
            raise InputError(
                f"Unit k of a scratchpad reads {self.in_features} inputs and the k lines before "
                f"it and gives one number, as the scratchpad does; received {shown(self.units)}."
            )
        if not all(isinstance(unit, NAU | RealNPU) for unit in self.units):
            raise InputError(
                f"A scratchpad is made of NAUs and Real NPUs; received {shown(self.units)}."
            )

    @property
    def own(self):
        return {}

    @property
    def parameters(self):
        found = {}
        for k, unit in enumerate(self.units):
            sums = isinstance(unit, NAU)
            starts = LAST if k and k == len(self.units) - 1 else SUM if sums else PRODUCT
            bounds = unit.parameters["weight"].bounds
            for name, width in self._widths(k).items():
                found[f"{k}_{name}"] = Parameter((1, width), starts[name], bounds)
        return found

    @property
    def own_discrete(self):
        return {
            f"{k}_{name}": unit.discrete["weight"]
            for k, unit in enumerate(self.units)
            for name in self._widths(k)
        }

    def choices(self, xp, params):
        return dict(params)

    def part(self, params, i):
        pieces = [params[f"{i}_{name}"] for name in self._widths(i)]
        xp = array_namespace(*pieces)
        weight = xp.concat(pieces, axis=-1)
        gate = {"gate": xp.ones_like(weight[0, :])} if "gate" in self.units[i].parameters else {}
        return {"weight": weight, **gate}

    def forward(self, xp, params, x, train, noise):
        lines = [x]
        for k in range(len(self.units)):
            lines.append(self.apply(xp, params, k, xp.concat(lines, axis=-1), train))
        return lines[-1]

    def check_divisors(self, xp, params, x):
        lines = [x]
        for k in range(len(self.units)):
            seen = xp.concat(lines, axis=-1)
            self.refuse_in_part(xp, self.part(params, k), k, seen, line=k)
            lines.append(self.apply(xp, params, k, seen, False))

    def read_lines(self, read, x):
        """Return the expression of every line."""
        lines = []
        for k in range(len(self.units)):
            lines += self.read_part(read, k, [*x, *lines])
        return lines

    def read(self, read, x):
        return self.read_lines(read, x)[-1:]

    def _widths(self, k: int) -> dict[str, int]:
        """Return how many numbers of each sort a line reads."""
        widths = {"inputs": self.in_features, "lines": max(0, k - 1), "before": min(k, 1)}
        return {name: width for name, width in widths.items() if width}


KINDS = {"A": lambda size: NAU(size, 1), "M": lambda size: RealNPU(size, 1, modified=True)}


def scratchpad(kinds: str, inputs: int) -> Scratchpad:
    """Return a scratchpad with a line per letter.

    Parameters
    ----------
    kinds
        The lines: A for a NAU, M for a modified Real NPU.
    inputs
        The number of inputs.

    Returns
    -------
    Scratchpad
        The network.

    Examples
    --------
    >>> [type(unit).__name__ for unit in scratchpad("AM", 4).units]
    ['NAU', 'RealNPU']
    """
    if not kinds or not set(kinds) <= set(KINDS):
        raise InputError(
            f"A scratchpad is spelt with A (sum) and M (product); received {shown(kinds)}."
        )
    lines: list[Unit] = [KINDS[kind](inputs + k) for k, kind in enumerate(kinds)]
    return Scratchpad(inputs, 1, tuple(lines))
