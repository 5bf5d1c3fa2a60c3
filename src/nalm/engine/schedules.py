"""How the scale of a penalty changes with the iteration."""


def ramp(iteration: float, start: float, end: float) -> float:
    """Return 0 before `start`, 1 after `end`, a straight line between.

    >>> [ramp(i, 20_000, 35_000) for i in (19_999, 27_500, 35_000)]
    [0.0, 0.5, 1.0]
    """
    return min(max((iteration - start) / (end - start), 0.0), 1.0)
