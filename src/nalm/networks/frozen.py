r"""The recurrent input selector with frozen operations: only the masks and the choice are learnt.

.. math::
    p_{tim} = \text{straight-through softmax}_m(\hat p_{ti}), \qquad
    m(x) = \operatorname{op}_m\big(p_{tim} x_i + (1 - p_{tim}) e_m\big)_i

Each input goes to one operation per step; to the others it is their identity e: 0 for Σx and -Σx,
1 for Πx and 1/Πx. The masks start at 0, with ones in the row of the step before, which change
nothing, for a softmax does not see a constant row. The reciprocal of 0 is 0, or training would end
where a product reads an empty sum: no source says what it is.

Reference: Mistry 2023, section 7.2.6.
"""

from nalm._internal.checks import shown
from nalm._internal.ops import is_known_true
from nalm._internal.types import Array, Namespace
from nalm.errors import InputError, ZeroDivisorError
from nalm.formula import BINARY
from nalm.formula.operations import CUMULATIVE
from nalm.networks.selection import joined, one_hot, selection_parameters, straight_through
from nalm.networks.selector import Selector
from nalm.units import Parameter, ops
from nalm.units.initial import Constant

SLOPE = 1.0
"""The temperature of the masks: the thesis prints one for the choice of modules only."""


def inverse(xp: Namespace, x: Array) -> Array:
    """Return 1/x, and 0 for 0."""
    zero = x == 0
    return xp.where(zero, 0.0, 1 / xp.where(zero, 1.0, x))


class Frozen(Selector):
    """Recurrent input selector with the operations Σx, -Σx, Πx and 1/Πx.

    Parameters
    ----------
    in_features
        The number of inputs.
    out_features
        1.
    units
        None: the operations are given.
    steps
        The number of lines of working.
    blank
        What a line that is not yet written holds.
    temperature
        The temperature of the choice in training.

    Examples
    --------
    >>> list(Frozen(4, 1).parameters)
    ['choice', 'certainty', 'mask_0', 'mask_1']
    """

    name = "frozen"
    has_sparsity_error = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.units:
            raise InputError(
                "A frozen selector has no units, for its operations are given; received "
                f"{shown(self.units)}."
            )

    @property
    def modules(self):
        return len(CUMULATIVE)

    @property
    def own(self):
        shape = self.in_features + self.steps, self.modules
        masks = {f"mask_{t}": Parameter(shape, Constant(0.0)) for t in range(self.steps)}
        return selection_parameters(self.steps, self.modules) | masks

    @property
    def own_discrete(self):
        return {"choice": BINARY} | {f"mask_{t}": BINARY for t in range(self.steps)}

    def choices(self, xp, params):
        return {name: one_hot(xp, params[name]) for name in self.own_discrete}

    def values(self, xp, params, seen, step, train):
        logits = params[f"mask_{step}"]
        mask = straight_through(xp, logits, SLOPE) if train else one_hot(xp, logits)
        outputs = []
        for m, op in enumerate(CUMULATIVE.values()):
            mine = mask[:, m]
            if op.kind == "sum":
                total = xp.sum(mine * seen, axis=-1)
                outputs.append(total if op.weights[0] > 0 else -total)
            else:
                product = ops.product(xp, mine * seen + (1 - mine))
                outputs.append(product if op.weights[0] > 0 else inverse(xp, product))
        return joined(xp, outputs)

    def check_value(self, xp, params, seen, step, i):
        op = list(CUMULATIVE.values())[i]
        taken = one_hot(xp, params[f"mask_{step}"])[:, i] > 0
        if op.kind == "power" and op.weights[0] < 0 and is_known_true(xp.any((seen == 0) & taken)):
            raise ZeroDivisorError(
                f"Line {step}: the reciprocal of a product is asked of a zero. A divisor must not "
                "be zero: leave that row out or replace its zero. In training 1/0 is 0."
            )

    def read_value(self, read, step, i, seen):
        from sympy import Add, Mul

        op = list(CUMULATIVE.values())[i]
        mine = [e for e, taken in zip(seen, read(f"mask_{step}")[:, i], strict=True) if taken]
        if op.kind == "sum":
            return op.weights[0] * Add(*mine)
        return Mul(*mine) ** op.weights[0]
