"""The names of all penalties, and penalties that stay usable when units are swapped."""

from collections.abc import Mapping

from nalm._internal.types import Array
from nalm.errors import unknown

PENALTIES = {
    "active": "closed gates: the expected number of open ones",
    "discretise": "discrete weights",
    "discretise_gate": "gates 0 and 1",
    "imaginary": "imaginary weights 0: the sum of their absolute values",
    "l1": "zero: the sum of absolute values",
    "l2": "zero: the sum of norms",
    "out_of_bounds": "the allowed interval, where weights are not clamped",
    "saturate": "parameters beyond ±20, where tanh and σ are discrete",
    "saturate_gate": "gates of networks beyond ±20, where σ is 0 or 1",
    "weight_decay": "zero: half the sum of squares",
    "z": "weights that do not ignore what matters; needs inputs",
}
"""What each penalty of the published units pulls to."""


class Penalties(dict[str, Array]):
    """Penalties by name; one that only other units have is zero.

    Parameters
    ----------
    terms
        The penalties that there are.
    zero
        What the others are.

    Examples
    --------
    >>> penalties = Penalties({"discretise": 0.25}, 0.0)
    >>> penalties["discretise"] + penalties["saturate"]
    0.25
    >>> penalties["discretize"]
    Traceback (most recent call last):
    nalm.errors.UnknownNameError: There is no penalty 'discretize'. Did you mean 'discretise'? \
Known: active, discretise, discretise_gate, imaginary, l1, l2, out_of_bounds, saturate, \
saturate_gate, weight_decay, z.
    """

    def __init__(self, terms: Mapping[str, Array], zero: Array) -> None:
        super().__init__(terms)
        self.zero = zero

    def __missing__(self, name: str) -> Array:
        """Return zero for a penalty that another unit has."""
        if name not in PENALTIES:
            raise unknown("penalty", name, {*PENALTIES, *self})
        return self.zero
