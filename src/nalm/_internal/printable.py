"""Text that a terminal shows and does not obey."""

import re

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab and newline, those that change the direction, and lone surrogates."""


def printable(text: object) -> str:
    r"""Return a text in which what a terminal would obey is written as Python writes it.

    >>> printable("a\x1b[31m, \u202eb, é\n")
    'a\\x1b[31m, \\u202eb, é\n'
    """
    return OBEYED.sub(lambda found: repr(found[0])[1:-1], str(text))
