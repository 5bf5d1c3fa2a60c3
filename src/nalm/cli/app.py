"""The app, and the options that its commands share."""

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter, Token

from nalm import __version__
from nalm._internal.printable import printable
from nalm.cli.choices import DIGITS


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """Return a whole number; 2.5 is none."""
    text = tokens[0].value
    digits = text.removeprefix("-")
    if not digits.isdecimal() or len(digits) > DIGITS:
        raise ValueError(f"It takes a whole number; received {text[:60]!r}.")
    return int(text)


Whole = Annotated[int | None, Parameter(converter=_whole)]
OutputFile = Annotated[str | None, Parameter(name=["--output", "-o"])]
Changed = Annotated[list[str] | None, Parameter(name="--set", negative="")]
Json = Annotated[bool, Parameter(name="--json", negative="")]


def _plain(error: CycloptsError) -> str:
    """Return what is wrong with a command as other errors are written, and who knows more."""
    command = " ".join(("nalm", *(error.command_chain or ())))
    return printable(f"{error} See {command} --help.")


app = App(
    name="nalm",
    help="Neural arithmetic: units that learn exact, readable formulas.",
    version=__version__,
    help_format="plaintext",
    error_formatter=_plain,
    suppress_keyboard_interrupt=False,
)
