"""The papers behind the units, as BibTeX."""

import re
from functools import lru_cache
from importlib.resources import files

from nalm.errors import InputError
from nalm.networks import Stack
from nalm.units import Unit, unit_class


@lru_cache
def references() -> dict[str, str]:
    """Return every BibTeX entry by its key."""
    text = (files("nalm.units") / "references.bib").read_text(encoding="utf-8")
    entries = re.split(r"\n\n(?=@)", text.strip())
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def citation(*used: str | Unit | type[Unit] | Stack) -> None:
    """Print the BibTeX entries of the units used, each paper once.

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


def _papers(item: str | Unit | type[Unit] | Stack) -> tuple[str, ...]:
    if isinstance(item, Stack):
        return tuple(key for layer in item.layers for key in layer.papers)
    return unit_class(item).papers if isinstance(item, str) else item.papers
