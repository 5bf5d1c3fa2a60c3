"""Labels that are made of the labels of two parts."""

from functools import lru_cache

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.tasks.distributions._distribution import Distribution

LONGEST = 300
"""The most letters of a label."""


def split_label(text: str, sign: str) -> tuple[Distribution, Distribution] | None:
    """Return the two distributions on the sides of a sign; None if the text is no such pair."""
    for at, letter in enumerate(text):
        if letter != sign:
            continue
        sides = find(text[:at]), find(text[at + 1 :])
        if sides[0] is not None and sides[1] is not None:
            return sides[0], sides[1]
    return None


@lru_cache(1024)  # the parts of a pair are tried again at every sign
def find(text: str) -> Distribution | None:
    """Return the distribution that has this label, if one has."""
    from nalm.tasks.distributions import DISTRIBUTIONS

    for cls in DISTRIBUTIONS.values():
        found = cls.from_label(text)
        if found is not None:
            return found
    return None


def parse(text: str) -> Distribution:
    """Return the distribution of a text: the label it has in tables.

    Parameters
    ----------
    text
        A label such as `U[5,9)`, `U[-6,-2)|U[2,6)`, `1..9 by 0.5`, `Exp(2)`, `B[10,100)`,
        `S[0,1)`, `TN(0,1)[-5,5)` or `U[1,2)&U[-2,-1)`. Spaces are ignored.

    Returns
    -------
    Distribution
        The distribution whose `label` this is.

    Raises
    ------
    InputError
        If the text is no label, or its bounds are no range.

    Examples
    --------
    >>> from nalm.tasks import parse
    >>> parse("U[5,9)")
    Uniform(low=5.0, high=9.0)
    >>> parse("U[-6,-2) | U[2,6)").label
    'U[-6,-2)|U[2,6)'
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        raise InputError(
            f"A range is text such as 'U[5,9)', of at most {LONGEST} letters; received "
            f"{shown(text)}."
        )
    compact = "".join(text.split()).replace("by", " by ")
    found = find(compact)
    if found is None and find(half_open := compact.replace("]", ")")) is not None:
        raise InputError(
            f"A range ends with ), since its upper end is excluded: {half_open}; received "
            f"{shown(text)}."
        )
    if found is None:
        raise InputError(
            f"There is no range {text!r}. Write U[5,9) for uniform numbers from 5 to 9, and "
            "U[-6,-2)|U[2,6) for two ranges."
        )
    return found
