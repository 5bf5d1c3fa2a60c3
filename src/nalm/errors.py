"""Every error that nalm raises on purpose: the rule, what was received, and the fix."""

from collections.abc import Iterable
from difflib import get_close_matches


class NalmError(Exception):
    """The base of all errors of nalm."""


class InputError(NalmError, ValueError):
    """A value, a shape or a dtype that the called function does not accept."""


class UnknownNameError(NalmError, ValueError):
    """A unit, option, operation or paper that does not exist."""


class NotDiscreteError(NalmError, ValueError):
    """A formula was asked of weights that are not discrete."""


class ZeroDivisorError(NalmError, ZeroDivisionError):
    """A unit was asked to divide by an input that is zero."""


class ModelFileError(NalmError, ValueError):
    """A model file that is damaged, foreign or newer than this version of nalm."""


def unknown(kind: str, received: object, known: Iterable[str]) -> UnknownNameError:
    """Say that a name is unknown, which names there are, and which is nearest."""
    names = sorted(known)
    near = get_close_matches(str(received).lower(), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    separator = "; " if any("," in name for name in names) else ", "
    listed = separator.join(names)
    return UnknownNameError(f"There is no {kind} {received!r}.{hint} Known: {listed}.")
