"""A range that is covered evenly."""

from dataclasses import dataclass

from nalm.tasks.distributions._interval import Interval


@dataclass(frozen=True)
class Sobol(Interval):
    """Inputs of the range [low, high), covered evenly: training steps through a Sobol sequence.

    Each run has its own random shift of it. An evaluation draws uniformly from the range.

    Parameters
    ----------
    low, high
        The bounds, finite numbers with low < high.

    Examples
    --------
    >>> from nalm.tasks import Sobol
    >>> Sobol(-1, 1).label
    'S[-1,1)'
    """

    letter = "S"
    low_discrepancy = True
