"""Names that programming languages allow, for columns of any name."""

import re
import unicodedata
from collections.abc import Collection, Sequence


def identifiers(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return a different identifier for each name; none is one that is taken.

    >>> identifiers(["mass [kg]", "θ", "lambda", "2nd", "größe", "%", "mass kg"], {"lambda"})
    ['mass_kg', 'theta', 'lambda_', 'x_2nd', 'grosse', 'x', 'mass_kg_2']
    """
    used = set(taken)
    found = []
    for name in names:
        word = _word(name)
        word = f"{word}_" if word in taken else word
        first, number = word, 2
        while word in used:
            word, number = f"{first}_{number}", number + 1
        used.add(word)
        found.append(word)
    return found


def _word(name: str) -> str:
    """Return a name in ASCII letters, digits and underscores."""
    text = "".join(_ascii(letter) for letter in unicodedata.normalize("NFKD", name))
    word = re.sub(r"_+", "_", re.sub(r"[^0-9A-Za-z]", "_", text)).strip("_")
    return word if word[:1].isalpha() else f"x_{word}".rstrip("_")


def _ascii(letter: str) -> str:
    """Return a letter in ASCII: Greek ones by name, accents left out, others as `_`."""
    if letter.isascii():
        return letter
    if unicodedata.combining(letter):
        return ""
    if letter == "ß":
        return "ss"
    kind = re.match(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)", unicodedata.name(letter, ""))
    if not kind:
        return "_"
    word = kind[2].replace("LAMDA", "LAMBDA")
    return word.lower() if kind[1] == "SMALL" else word.capitalize()
