"""Formulas that the user knows: tried before all others, with their numbers fitted again."""

from collections.abc import Iterator

from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.tree import Tree


class Starts(Family):
    """The formulas to start from, after a constant, which every search has."""

    name = "start"

    def __init__(self, trees: tuple[Tree, ...]) -> None:
        self.trees = trees

    def stages(self, problem: Problem) -> Iterator[Stage]:
        if self.trees:
            yield Stage(self.name, self._candidates())

    def _candidates(self) -> Iterator[Tree]:
        for tree in self.trees:
            yield tree
            numbers = tree.numbers()
            yield tree.with_numbers([n if n in (0, 1, -1) else float(n) for n in numbers])
