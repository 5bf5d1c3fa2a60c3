"""The papers behind units and experiments, as BibTeX."""

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from nalm._internal.checks import shown
from nalm.errors import InputError
from nalm.networks import Stack
from nalm.units import Unit, unit_class


@lru_cache
def references() -> dict[str, str]:
    """Return every BibTeX entry by its key."""
    text = (files("nalm.units") / "references.bib").read_text(encoding="utf-8")
    entries = re.split(r"\n\n(?=@)", text.strip())
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def titles(texts: Iterable[str]) -> dict[str, str]:
    """Return author, title and year of the papers whose keys the texts contain.

    >>> titles(["mistry2023, section 5.6"])
    {'mistry2023': 'Mistry, Bhumika: An Investigation into Neural Arithmetic Logic Modules, 2023'}
    """
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    found = {}
    for key in sorted(words & references().keys()):
        entry = references()[key]
        author, title, year = (
            re.search(rf"^\s+{field}\s+= {{(.+)}},$", entry, re.MULTILINE).group(1)  # pyright: ignore[reportOptionalMemberAccess]
            for field in ("author", "title", "year")
        )
        found[key] = re.sub(r"[{}]", "", f"{author}: {title}, {year}")
    return found


def citation(*used: Any) -> None:
    """Print the BibTeX entries of the units used, each paper once.

    Takes names, units, stacks and PyTorch models with arithmetic layers.

    >>> citation("nau", "nmu")
    @inproceedings{madsen2020,
      author    = {Madsen, Andreas and Johansen, Alexander Rosenberg},
      title     = {Neural Arithmetic Units},
      booktitle = {International Conference on Learning Representations},
      year      = {2020},
      doi       = {10.48550/arXiv.2001.05016},
    }
    """
    if not used:
        raise InputError("citation needs the units that were used, such as citation('nmu').")
    keys = dict.fromkeys(key for item in used for key in _papers(item))
    print("\n\n".join(references()[key] for key in keys))


def _papers(item: Any) -> tuple[str, ...]:
    if isinstance(item, str):
        return unit_class(item).papers
    if isinstance(item, Stack):
        return tuple(key for layer in item.layers for key in layer.papers)
    if isinstance(item, Unit) or (isinstance(item, type) and issubclass(item, Unit)):
        return item.papers
    parts = (
        [part.unit for part in item.modules() if hasattr(part, "unit")]
        if hasattr(item, "modules")
        else []
    )
    if not parts:
        raise InputError(
            "citation takes names of units, units, stacks and PyTorch models that contain them; "
            f"received {shown(item)}."
        )
    return tuple(key for part in parts for key in part.papers)
