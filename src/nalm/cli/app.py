"""The app, and the options that its commands share."""

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import App, Parameter, Token

from nalm import __version__


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """Return a whole number; 2.5 is none."""
    text = tokens[0].value
    if not text.removeprefix("-").isdecimal():
        raise ValueError(f"It takes a whole number; received {text!r}.")
    return int(text)


Whole = Annotated[int | None, Parameter(converter=_whole)]
OutputFile = Annotated[str | None, Parameter(name=["--output", "-o"])]
Json = Annotated[bool, Parameter(name="--json", negative="")]

app = App(
    name="nalm",
    help="Neural arithmetic: units that learn exact, readable formulas.",
    version=__version__,
    help_format="plaintext",
)
