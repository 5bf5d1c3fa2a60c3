"""The app, and the options that its commands share."""

from typing import Annotated

from cyclopts import App, Parameter

from nalm import __version__

OutputFile = Annotated[str | None, Parameter(name=["--output", "-o"])]
Json = Annotated[bool, Parameter(name="--json", negative="")]

app = App(
    name="nalm",
    help="Neural arithmetic: units that learn exact, readable formulas.",
    version=__version__,
    help_format="plaintext",
)
