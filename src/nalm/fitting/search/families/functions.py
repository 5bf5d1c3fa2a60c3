"""Laws with functions, in the few columns that the symmetries of the law leave."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.tree import Tree
from nalm.fitting.tree.functions import NAMES


@dataclass(frozen=True)
class Functions(Family):
    """Exact relations between columns, their products and quotients, and functions of them."""

    allowed: frozenset[str] = frozenset(NAMES)

    name = "functions"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        yield Stage(self.name, _trees(problem, self.allowed))


def _trees(problem: Problem, allowed: frozenset[str]) -> Iterator[Tree]:
    from nalm.fitting.search.symmetry.exact_search import ExactSearch
    from nalm.fitting.search.symmetry.reduced_table import original_table, reduced_tables

    rows = problem.rows
    table = original_table(rows.x, rows.y)
    searches: list[ExactSearch] = []
    for smaller in chain(reduced_tables(table, problem.stop), [table]):
        search = ExactSearch(smaller, allowed, problem.epsilon, problem.stop)
        yield from search.quick()
        searches.append(search)
    searches.sort(key=lambda search: search.table.x.shape[1])
    for search in searches:
        yield from search.scanned()
    for search in searches:
        yield from search.thorough()
