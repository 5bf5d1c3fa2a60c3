"""What a field of a table says: a number, that there is none, or something else with a name."""

import re

MISSING = frozenset(["", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "?", "-", "."])
SHEET_ERRORS = frozenset(["#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!"])
"""What a sheet writes where a formula has no value."""
TRUTH = {"true": 1.0, "false": 0.0}
FORTRAN = re.compile(r"([+-]?(?:\d+\.\d*|\.\d+|\d+(?=[dD][+-])))[dD]([+-]?\d+)")
"""A number with the exponent D of Fortran; 12D3 is none, for it may be a name."""
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([.,' \u00a0\u2009\u202f][0-9]{3})+([.,][0-9]+)?")
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?")
CLOCK = re.compile(r"\d+(:\d\d){1,2}(\.\d+)?")
OTHERS = (
    (THOUSANDS, "Write numbers without separators between thousands."),
    (re.compile(r".*\d\s*[%‰]"), "Write the number without its sign, as 12.5 or 0.125 for 12.5%."),
    (re.compile(r"[€$£¥].*\d|.*\d\s*[€$£¥]"), "Write amounts without the sign of the currency."),
    (DATE, "Write a date as the time since a start, such as a number of days."),
    (CLOCK, "Write a time of day as one number, such as seconds."),
    (re.compile(r"[<>≤≥].*\d"), "Where only a limit is known, leave the field empty."),
)
"""Kinds of fields that are no numbers, and how they become numbers."""


def is_missing(field: str) -> bool:
    """Whether a field says that there is no value."""
    word = field.strip().lower()
    return word in MISSING or word in SHEET_ERRORS


def parsed(field: str) -> float | None:
    """Return a number, or None: Python's 1_000 is none.

    >>> parsed("1e3"), parsed("−2.5"), parsed("1.5D+02"), parsed("true"), parsed("12D3")
    (1000.0, -2.5, 150.0, 1.0, None)
    """
    word = field.strip().lower()
    if is_missing(word):
        return None
    word = FORTRAN.sub(r"\1e\2", word.replace("−", "-"))
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return TRUTH.get(word)


def is_number(field: str) -> bool:
    """Whether a field is a number, perhaps with a decimal comma."""
    return parsed(field.replace(",", ".")) is not None


def advice(field: str) -> str:
    """Return how a field that is no number becomes one; nothing if it may be any text.

    >>> advice("85.7%"), advice("ok")
    ('Write the number without its sign, as 12.5 or 0.125 for 12.5%.', '')
    """
    return next((fix for kind, fix in OTHERS if kind.fullmatch(field.strip())), "")
