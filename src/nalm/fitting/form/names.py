"""Which names of a form are columns, and which are constants."""

import re
from collections.abc import Sequence

from nalm.errors import InputError, unknown
from nalm.fitting.form.building import Unknown
from nalm.fitting.tree import Column, Tree, constant
from nalm.fitting.tree.closed import PI


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
        """Return the column, or the constant, of this name."""
        if name in self.columns:
            return self.column(name)
        if name == "pi":
            return constant(PI)
        alike = [column for column in self.columns if column.lower() == name.lower()]
        if alike:
            raise InputError(f"There is no column {name!r}. Did you mean {alike[0]!r}?")
        if self.numbered and re.fullmatch(r"x\d+", name):
            raise unknown("column", name, self.columns)
        return constant(Unknown(name))
