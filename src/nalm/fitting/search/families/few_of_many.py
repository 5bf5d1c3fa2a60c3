"""Formulas of a few columns of a table that has many."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.tree import with_columns


@dataclass(frozen=True)
class FewOfMany(Family):
    """The families for a few columns, in those columns that matter."""

    columns: tuple[int, ...]
    families: tuple[Family, ...]

    name = "few columns"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        chosen = list(self.columns)
        inner = replace(
            problem, rows=problem.rows.of_columns(chosen), more=problem.more.of_columns(chosen)
        )
        for family in self.families:
            for stage in family.stages(inner):
                trees = (with_columns(tree, chosen) for tree in stage.trees)
                yield replace(stage, name=f"{stage.name} of {len(chosen)} columns", trees=trees)
