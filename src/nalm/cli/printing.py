"""The only place where commands print: names in files and folders cannot steer the terminal."""

import sys
from contextlib import suppress

from nalm._internal.printable import printable


def say(text: object = "") -> None:
    """Print a result."""
    print(printable(text))


def complain(text: object) -> None:
    """Print what is wrong or noteworthy to stderr."""
    with suppress(OSError):  # who cannot be told cannot be helped
        print(printable(text), file=sys.stderr, flush=True)
