"""Every error that nalm raises on purpose: the rule, what was received, and the fix."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

LONGEST = 1500
"""The most letters of a message; of a longer one, which quotes a long value, both ends are kept."""


class NalmError(Exception):
    """The base of all errors of nalm; its message can be printed, whatever it quotes."""

    def __init__(self, message: str) -> None:
        super().__init__(_printable(message))


def _printable(message: str) -> str:
    r"""Return a message of a bearable length without control characters.

    >>> print(_printable("There is no column '\x1b[31mred'."))
    There is no column '\x1b[31mred'.
    """
    if len(message) > LONGEST:
        message = f"{message[: LONGEST - 500]} … {message[-490:]}"
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1]
        for letter in message
    )


class InputError(NalmError, ValueError):
    """A value, a shape or a dtype that the called function does not accept."""


class TableError(InputError):
    """A table in a file that cannot be used as it is.

    `fixes` are arguments of the reader that help, with their values; None where the user chooses.
    """

    def __init__(self, message: str, fixes: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.fixes = dict(fixes or {})


class UnknownNameError(NalmError, ValueError):
    """A unit, option, operation or paper that does not exist."""


class NotDiscreteError(NalmError, ValueError):
    """A formula was asked of weights that are not discrete."""


class ZeroDivisorError(NalmError, ZeroDivisionError):
    """A unit was asked to divide by an input that is zero."""


class ModelFileError(NalmError, ValueError):
    """A model file that is damaged, foreign or newer than this version of nalm."""


class NoFormError(NalmError, TypeError):
    """A unit uses a function that the training engine does not know."""


class StoreError(NalmError, RuntimeError):
    """A results folder that cannot be used: damaged, of another format, or in use."""


class ClusterError(NalmError, RuntimeError):
    """A Dask cluster that cannot be used: nobody answers, or its workers have other versions."""


class WorkerError(NalmError, RuntimeError):
    """A worker process ended before its block did.

    `final` says that it would end so every time.
    """

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


def unknown(
    kind: str, received: object, known: Iterable[str], *, owner: str = ""
) -> UnknownNameError:
    """Say that a name is unknown, which names there are, and which is nearest.

    Parameters
    ----------
    kind
        What the name would be one of.
    received
        The name.
    known
        The names there are.
    owner
        Whose names they are; of everyone if absent.
    """
    missing = f"{owner} has no" if owner else "There is no"
    names = sorted(known)
    if not names:
        return UnknownNameError(f"{missing} {kind}; received {received!r}.")
    near = get_close_matches(str(received).lower(), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    separator = "; " if any("," in name for name in names) else ", "
    listed = separator.join(names)
    return UnknownNameError(f"{missing} {kind} {received!r}.{hint} Known: {listed}.")
