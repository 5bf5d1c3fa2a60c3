"""Which names of a form are columns, and which are constants."""

import re
import unicodedata
from collections.abc import Sequence

from nalm.errors import InputError, unknown
from nalm.fitting.form.building import Unknown
from nalm.fitting.tree import Column, Tree, constant
from nalm.fitting.tree.closed import PI
from nalm.fitting.units import IN_NAME


class Names:
    """The names of the columns; every other name is a constant, but for mistakes."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)
        self.numbered = all(re.fullmatch(r"x\d+", name) for name in columns)

    def column(self, name: str) -> Tree:
        """Return a column that was named as one."""
        if name not in self.columns:
            raise unknown("column", name, self.columns)
        return Column(self.columns.index(name))

    def leaf(self, name: str) -> Tree:
        """Return the column (its unit in brackets may be left out) or constant of this name."""
        if name in self.columns:
            return self.column(name)
        if name == "pi":
            return constant(PI)
        bare = [column for column in self.columns if IN_NAME.sub("", column).strip() == name]
        if len(bare) == 1:
            return self.column(bare[0])
        alike = [column for column in self.columns if column.lower() == name.lower()]
        if alike:
            raise InputError(f"There is no column {name!r}. Did you mean {alike[0]!r}?")
        alike = [column for column in self.columns if _bare(column) == _bare(name)]
        if alike:
            raise InputError(f"There is no column {name!r}. Did you mean `{alike[0]}`?")
        if self.numbered and re.fullmatch(r"x\d+", name):
            raise unknown("column", name, self.columns)
        return constant(Unknown(name))


def _bare(name: str) -> str:
    """Return a name without the unit in brackets, and in the usual letters."""
    return IN_NAME.sub("", unicodedata.normalize("NFKC", name)).strip().lower()
