"""The values that a weight may have in a formula."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

TOLERANCE = 0.1
"""How far a weight may be from its discrete value and still be read."""


@dataclass(frozen=True)
class Discrete:
    """The values a weight may have in a formula.

    Parameters
    ----------
    values
        The values; None for every integer.
    digits
        If given, every number with so many significant digits is a value.

    Examples
    --------
    >>> import numpy as np
    >>> Discrete((0, 1)).nearest(np.array([0.2, 0.9]))
    array([0, 1])
    """

    values: tuple[float, ...] | None = None
    digits: int | None = None

    def nearest(self, x: np.ndarray) -> np.ndarray:
        """Return the member nearest to each element."""
        if self.digits is not None:
            return np.vectorize(lambda v: float(f"{v:.{self.digits}g}"), otypes=[float])(x)
        if self.values is None:
            return np.round(x)
        values = np.asarray(self.values)
        return values[np.argmin(np.abs(x[..., None] - values), axis=-1)]

    def __str__(self) -> str:
        if self.digits is not None:
            return f"numbers of {self.digits} digits"
        if self.values is None:
            return "the integers"
        return "{" + ", ".join(str(Fraction(v)) for v in self.values) + "}"


INTEGERS = Discrete()
"""Every integer."""
MEASURED = Discrete(digits=6)
"""Numbers of six digits."""
BINARY = Discrete((0, 1))
"""0 and 1: an input is ignored or taken."""
TERNARY = Discrete((-1, 0, 1))
"""-1, 0 and 1: an input is subtracted, ignored or added; or divided by, ignored or multiplied."""
HALVES = Discrete((-1, -0.5, 0, 0.5, 1))
"""Exponents of a product with roots."""
POWERS = Discrete((-2, -1, -0.5, 0, 0.5, 1, 2))
"""Exponents of a product with roots and squares."""
