"""How many of some runs succeed, in words."""

from nalm.sweeps.statistics import rate


def counted(successes: int, runs: int, what: str) -> str:
    """Return a count with the share and its 95 % interval.

    >>> counted(336, 441, "starts succeed")
    '336 of 441 starts succeed (0.76 [0.72, 0.80])'
    """
    found = rate(successes, runs)
    share = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
    return f"{successes} of {runs} {what} ({share})"
